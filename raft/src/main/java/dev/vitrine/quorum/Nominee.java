package dev.vitrine.quorum;

import dev.vitrine.seam.Endpoint;
import java.util.Set;
import java.util.TreeSet;

/**
 * Asks the voters for what it needs to lead. Prospective: for the promise that they would vote for
 * it, which binds nobody and changes no epoch. Candidate: for their vote in its own new epoch.
 */
final class Nominee extends EpochState {
  /** False: prospective. */
  final boolean candidate;

  final Outbox outbox;
  private final int leaderId;

  /** Where the leader is that this one has followed in this epoch, or null. */
  final Endpoint leaderAt;

  private final ReplicaKey voted;
  private final Set<Integer> granting = new TreeSet<>();
  private final Set<Integer> rejecting = new TreeSet<>();

  /** Those of the log when it began to ask; while it asks the log stays as it is. */
  final VoterSet voters;

  /** Whether the deadline has been moved forward because the election is lost. */
  boolean lost;

  private Nominee(
      EpochState before,
      int epoch,
      boolean candidate,
      ReplicaKey self,
      VoterSet voters,
      long deadline) {
    super(epoch, deadline);
    this.candidate = candidate;
    this.leaderId = candidate ? -1 : before.leaderId();
    this.leaderAt = !candidate && before instanceof Follower f ? f.endpoint : null;
    this.voted = candidate ? self : before.voted();
    this.voters = voters;
    this.outbox = new Outbox(voters, self.id());
    if (voters.contains(self)) {
      granting.add(self.id());
    }
  }

  static Nominee prospective(EpochState before, ReplicaKey self, VoterSet voters, long deadline) {
    return new Nominee(before, before.epoch, false, self, voters, deadline);
  }

  static Nominee candidate(EpochState before, ReplicaKey self, VoterSet voters, long deadline) {
    return new Nominee(before, before.epoch + 1, true, self, voters, deadline);
  }

  void granted(int node) {
    outbox.done(node);
    granting.add(node);
  }

  void rejected(int node) {
    outbox.done(node);
    rejecting.add(node);
  }

  boolean hasMajority() {
    return granting.size() >= voters.majority();
  }

  /** Those who have not answered yet could not make a majority any more. */
  boolean isRejected() {
    return voters.size() - rejecting.size() < voters.majority();
  }

  /** As {@link #isRejected}, also counting those whose process is gone. */
  boolean isHopeless() {
    return granting.size() + outbox.open() < voters.majority();
  }

  Set<Integer> granting() {
    return granting;
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
  boolean grants(ReplicaKey other, boolean upToDate, boolean preVote) {
    return grantsUnlessBound(other, upToDate, preVote);
  }
}
