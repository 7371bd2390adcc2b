package dev.vitrine.broker.control;

import dev.vitrine.broker.observe.ShardMeters;
import dev.vitrine.broker.partition.IsrProposals;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.protocol.Errors;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Counts what becomes of the proposals of one shard. Belongs to the shard. */
public final class CountedProposals implements IsrProposals {
  private final IsrProposals proposals;
  private final Supplier<MetadataImage> metadata;
  private final ShardMeters meters;

  public CountedProposals(
      IsrProposals proposals, Supplier<MetadataImage> metadata, ShardMeters meters) {
    this.proposals = proposals;
    this.metadata = metadata;
    this.meters = meters;
  }

  @Override
  public void propose(Proposal proposal, Consumer<Answer> answered) {
    proposals.propose(
        proposal,
        answer -> {
          if (answer.error() == Errors.NONE) {
            agreed(proposal);
          } else {
            meters.isrUpdateFailed();
          }
          answered.accept(answer);
        });
  }

  /** There will be no answer; but perhaps the record of what was proposed has come before it. */
  @Override
  public void forget(Proposal proposal) {
    PartitionImage now = metadata.get().partition(proposal.topicId(), proposal.partition());
    List<Integer> proposed = proposal.isr().stream().map(Member::brokerId).toList();
    if (now != null
        && now.leaderEpoch() == proposal.leaderEpoch()
        && now.partitionEpoch() == proposal.partitionEpoch() + 1
        && now.isr().equals(proposed)) {
      agreed(proposal);
    }
    proposals.forget(proposal);
  }

  private void agreed(Proposal proposal) {
    if (proposal.grows()) {
      meters.isrExpanded();
    } else {
      meters.isrShrunk();
    }
  }
}
