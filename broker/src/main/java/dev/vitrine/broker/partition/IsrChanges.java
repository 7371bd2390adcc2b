package dev.vitrine.broker.partition;

import dev.vitrine.broker.partition.IsrProposals.Answer;
import dev.vitrine.broker.partition.IsrProposals.Member;
import dev.vitrine.broker.partition.IsrProposals.Proposal;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one change of a partition's in-sync set that may be on its way to the controller, and what
 * its answer means. Belongs to the shard of the partition. It never decides who is to be in the
 * set.
 */
final class IsrChanges {
  private static final Logger LOG = LoggerFactory.getLogger(IsrChanges.class);

  private final PartitionContext context;
  private final Uuid topicId;
  private final TopicPartition name;
  private final Runnable settled;
  private Proposal proposal;

  /**
   * @param settled called after each answer that counts: the set may be another now
   */
  IsrChanges(PartitionContext context, Uuid topicId, TopicPartition name, Runnable settled) {
    this.context = context;
    this.topicId = topicId;
    this.name = name;
    this.settled = settled;
  }

  /** By ascending id, as Kafka's leaders do: what clients are shown has no other order. */
  void propose(LeaderRole leader, List<Integer> members, String why) {
    List<Integer> isr = members.stream().sorted().toList();
    LOG.info("{}: in-sync replicas {} to become {} ({})", name, leader.isr().committed(), isr, why);
    leader.isr(leader.isr().propose(isr));
    List<Member> withEpochs = new ArrayList<>();
    for (int id : isr) {
      FollowerProgress f = leader.follower(id);
      withEpochs.add(
          new Member(id, f == null ? context.brokerEpoch().getAsLong() : f.brokerEpoch()));
    }
    Proposal sent =
        new Proposal(
            topicId,
            name.partition(),
            leader.leaderEpoch,
            leader.isr().partitionEpoch(),
            withEpochs,
            isr.size() > leader.isr().committed().size());
    proposal = sent;
    context.proposals().propose(sent, answer -> answered(leader, sent, answer));
  }

  /** Newer metadata, or the end of this leadership, has made it pointless. */
  void forget() {
    if (proposal != null) {
      context.proposals().forget(proposal);
      proposal = null;
    }
  }

  private void answered(LeaderRole leader, Proposal sent, Answer answer) {
    if (proposal != sent) {
      return;
    }
    proposal = null;
    switch (answer.error()) {
      case NONE -> {
        // With another leader epoch it came with an election: metadata is on its way.
        if (answer.leaderEpoch() == leader.leaderEpoch) {
          leader.isr(new IsrState(List.copyOf(answer.isr()), null, answer.partitionEpoch()));
        }
      }
      case INVALID_UPDATE_VERSION,
          FENCED_LEADER_EPOCH,
          NEW_LEADER_ELECTED,
          UNKNOWN_TOPIC_ID,
          UNKNOWN_TOPIC_OR_PARTITION ->
          // A newer state is on its way to us as metadata. It may come from this very proposal,
          // sent again because the first answer was lost: until then it counts.
          LOG.info(
              "{}: in-sync replicas {} are proposed too late: {}",
              name,
              sent.isr(),
              answer.error());
      default -> {
        LOG.info(
            "{}: the controller refuses in-sync replicas {}: {}", name, sent.isr(), answer.error());
        leader.isr(leader.isr().withdraw());
      }
    }
    settled.run();
  }
}
