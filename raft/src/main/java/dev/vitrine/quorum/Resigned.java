package dev.vitrine.quorum;

import java.util.List;

/**
 * Was the leader of this epoch and gave it up: tells the voters so until each has answered. Will
 * never lead in this epoch again.
 */
final class Resigned extends EpochState {
  private final int localId;

  final VoterSet voters;

  /** The voters, best log first. */
  final List<ReplicaKey> successors;

  final Outbox outbox;

  Resigned(int epoch, int localId, VoterSet voters, List<ReplicaKey> successors, long deadline) {
    super(epoch, deadline);
    this.localId = localId;
    this.voters = voters;
    this.successors = successors;
    this.outbox = new Outbox(voters, localId);
  }

  @Override
  int leaderId() {
    return localId;
  }

  @Override
  LeaderAndEpoch leaderAndEpoch() {
    return new LeaderAndEpoch(-1, epoch);
  }

  @Override
  ReplicaKey voted() {
    return null;
  }

  @Override
  boolean grants(ReplicaKey candidate, boolean upToDate, boolean preVote) {
    return preVote && upToDate;
  }
}
