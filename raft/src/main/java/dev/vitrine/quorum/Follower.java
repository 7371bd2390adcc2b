package dev.vitrine.quorum;

import dev.vitrine.seam.Endpoint;

/** Fetches from the leader of its epoch. */
final class Follower extends EpochState {
  private final int leaderId;
  private final ReplicaKey voted;

  /** Where the leader is. */
  final Endpoint endpoint;

  /** From when on this node may say what it is as a voter, or ask to become one, in ticks. */
  long nextVoterRequestAt;

  /** At kraft.version 0: the leader knows by now what this node is as a voter. */
  boolean leaderKnowsVoter;

  /** Whether this leader has answered a fetch: until then it may be gone already. */
  boolean hasFetched;

  /** Fetches in a row at which nobody listened. */
  int refusals;

  /** What the leader said last; the own log may end before it. */
  long leaderHighWatermark = -1;

  /**
   * The leader has said that it goes, says that it leads no more, or its process is gone: time to
   * let others go ahead, and soon to stand for election oneself.
   */
  boolean leaderGone;

  Follower(int epoch, int leaderId, Endpoint endpoint, ReplicaKey voted, long deadline) {
    super(epoch, deadline);
    this.leaderId = leaderId;
    this.endpoint = endpoint;
    this.nextVoterRequestAt = deadline;
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

  /**
   * Never a vote: this epoch has its leader. A promise only if that leader has never been heard
   * from, or is gone: so a replica that was cut off cannot unseat a leader that works.
   */
  @Override
  boolean grants(ReplicaKey candidate, boolean upToDate, boolean preVote) {
    return preVote && upToDate && (!hasFetched || leaderGone);
  }
}
