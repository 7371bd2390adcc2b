package dev.vitrine.broker.partition;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import java.util.List;
import java.util.function.Consumer;

/** The way of a leader's proposal to the controller (AlterPartition). */
public interface IsrProposals {
  /**
   * Proposes a new in-sync set. {@code answered} is called once on the calling shard, however long
   * it takes: what could not be delivered is sent again until the controller has answered or {@link
   * #forget} is called.
   */
  void propose(Proposal proposal, Consumer<Answer> answered);

  /** The proposer is no longer interested: it leads no more. */
  void forget(Proposal proposal);

  /**
   * A broker that is to be in the set, with the epoch the leader saw, so that a restarted one is
   * not let in unseen.
   */
  record Member(int brokerId, long brokerEpoch) {}

  /**
   * @param grows whether it has more members than the one before
   */
  record Proposal(
      Uuid topicId,
      int partition,
      int leaderEpoch,
      int partitionEpoch,
      List<Member> isr,
      boolean grows) {}

  /** What the controller says; the state is only meaningful without an error. */
  record Answer(
      Errors error, int leaderId, int leaderEpoch, List<Integer> isr, int partitionEpoch) {}
}
