package dev.vitrine.quorum;

/**
 * What a replica is in its epoch (KIP-595, KIP-996). Never steps back to a lower epoch; within an
 * epoch it knows at most one leader and has voted for at most one candidate.
 *
 * <pre>
 *   Unattached --election time-out--> Prospective --majority of pre-votes--> Candidate (epoch + 1)
 *       ^                              |      ^                                |          |
 *       |<--lost, no leader known------+      +---------lost or timed out------+       majority
 *       |                              |      |                                           |
 *       |            lost, leader known|      |fetch time-out                             v
 *       |                              +-> Follower <--learns of the epoch's leader    Leader
 *       |                                                                                 |
 *       +--election time-out, epoch + 1-- Resigned <--no majority fetches, resign, shutdown
 * </pre>
 *
 * <p>Any state becomes Unattached or Follower when it hears of a higher epoch.
 */
abstract sealed class EpochState permits Unattached, Nominee, Follower, Leader, Resigned {
  final int epoch;

  /** When this state ends by itself, in ticks. */
  long deadline;

  EpochState(int epoch, long deadline) {
    this.epoch = epoch;
    this.deadline = deadline;
  }

  /** -1 if the epoch's leader is not known. */
  abstract int leaderId();

  /** Whom this replica voted for in this epoch, or null. */
  abstract ReplicaKey voted();

  /**
   * Whether the candidate, whose log is or isn't at least as up to date as ours, gets the vote of
   * this epoch, or the promise of one.
   */
  abstract boolean grants(ReplicaKey candidate, boolean upToDate, boolean preVote);

  /** The leader as told to others: one that has resigned is none. */
  LeaderAndEpoch leaderAndEpoch() {
    return new LeaderAndEpoch(leaderId(), epoch);
  }

  final ElectionState election() {
    ReplicaKey v = voted();
    return v == null
        ? new ElectionState(epoch, leaderId(), -1, dev.vitrine.protocol.Uuid.ZERO)
        : new ElectionState(epoch, leaderId(), v.id(), v.directoryId());
  }

  /** The rule of the states that don't follow anybody. */
  final boolean grantsUnlessBound(ReplicaKey candidate, boolean upToDate, boolean preVote) {
    if (preVote) {
      return upToDate;
    }
    if (voted() != null) {
      return voted().id() == candidate.id()
          && (!voted().hasDirectory() || voted().directoryId().equals(candidate.directoryId()));
    }
    return leaderId() < 0 && upToDate;
  }
}
