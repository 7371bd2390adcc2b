package dev.vitrine.quorum;

/**
 * Follows nobody: has just started, has heard of a new epoch whose leader it doesn't know, or has
 * lost an election. Looks for the leader by fetching from any voter; a voter stands for election at
 * the deadline.
 */
final class Unattached extends EpochState {
  private final int leaderId;
  private final ReplicaKey voted;

  Unattached(int epoch, int leaderId, ReplicaKey voted, long deadline) {
    super(epoch, deadline);
    this.leaderId = leaderId;
    this.voted = voted;
  }

  @Override
  int leaderId() {
    return leaderId;
  }

  @Override
  ReplicaKey voted() {
    return voted;
  }

  @Override
  boolean grants(ReplicaKey candidate, boolean upToDate, boolean preVote) {
    return grantsUnlessBound(candidate, upToDate, preVote);
  }
}
