package dev.vitrine.quorum;

/** Who leads in an epoch; {@code leaderId} is -1 while nobody is known to. */
public record LeaderAndEpoch(int leaderId, int epoch) {
  public static final LeaderAndEpoch UNKNOWN = new LeaderAndEpoch(-1, 0);

  public boolean isLeader(int nodeId) {
    return leaderId >= 0 && leaderId == nodeId;
  }
}
