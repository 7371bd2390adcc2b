package dev.vitrine.broker.control;

import dev.vitrine.broker.partition.IsrProposals;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.AlterPartitionRequest;
import dev.vitrine.protocol.message.AlterPartitionResponse;
import dev.vitrine.seam.Shard;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Carries the proposals of one shard's leaders to the controller by AlterPartition. Belongs to the
 * shard.
 */
public final class AlterPartitionChannel implements IsrProposals {
  private static final long RETRY_MS = 50;

  private record Key(Uuid topicId, int partition) {
    static Key of(Proposal p) {
      return new Key(p.topicId(), p.partition());
    }
  }

  private record Open(Proposal proposal, Consumer<Answer> answered) {}

  private final int brokerId;
  private final LongSupplier brokerEpoch;
  private final Untold<Key, Open> open;

  public AlterPartitionChannel(
      Shard shard, ControllerChannel controller, int brokerId, LongSupplier brokerEpoch) {
    this.brokerId = brokerId;
    this.brokerEpoch = brokerEpoch;
    this.open =
        new Untold<>("in-sync sets", shard, controller, new Form(), RETRY_MS, Integer.MAX_VALUE);
  }

  @Override
  public void propose(Proposal proposal, Consumer<Answer> answered) {
    open.put(Key.of(proposal), new Open(proposal, answered));
  }

  @Override
  public void forget(Proposal proposal) {
    Open o = open.get(Key.of(proposal));
    if (o != null && o.proposal == proposal) {
      open.remove(Key.of(proposal), o);
    }
  }

  private final class Form implements Untold.Form<Key, Open> {
    @Override
    public ApiMessage request(Map<Key, Open> entries) {
      return AlterPartitionChannel.this.request(
          entries.values().stream().map(Open::proposal).toList());
    }

    @Override
    public short errorCode(ApiMessage response) {
      return ((AlterPartitionResponse) response).errorCode();
    }

    @Override
    public boolean answered(ApiMessage response, Map<Key, Open> sent) {
      boolean again = false;
      for (AlterPartitionResponse.TopicData topic : ((AlterPartitionResponse) response).topics()) {
        for (AlterPartitionResponse.PartitionData p : topic.partitions()) {
          if (p.errorCode() == Errors.NOT_CONTROLLER.code()) {
            again = true; // it knows less than we do: another one decides, or has decided
          } else {
            decided(new Key(topic.topicId(), p.partitionIndex()), p, sent);
          }
        }
      }
      return again;
    }
  }

  private void decided(Key key, AlterPartitionResponse.PartitionData p, Map<Key, Open> sent) {
    Open was = sent.get(key);
    if (was != null && open.remove(key, was)) {
      was.answered.accept(
          new Answer(
              Errors.forCode(p.errorCode()),
              p.leaderId(),
              p.leaderEpoch(),
              p.isr(),
              p.partitionEpoch()));
    }
  }

  private AlterPartitionRequest request(List<Proposal> proposals) {
    Map<Uuid, AlterPartitionRequest.TopicData> topics = new LinkedHashMap<>();
    for (Proposal p : proposals) {
      List<AlterPartitionRequest.BrokerState> isr = new ArrayList<>();
      p.isr()
          .forEach(
              m ->
                  isr.add(
                      new AlterPartitionRequest.BrokerState()
                          .brokerId(m.brokerId())
                          .brokerEpoch(m.brokerEpoch())));
      topics
          .computeIfAbsent(p.topicId(), id -> new AlterPartitionRequest.TopicData().topicId(id))
          .partitions()
          .add(
              new AlterPartitionRequest.PartitionData()
                  .partitionIndex(p.partition())
                  .leaderEpoch(p.leaderEpoch())
                  .newIsrWithEpochs(isr)
                  .partitionEpoch(p.partitionEpoch()));
    }
    return new AlterPartitionRequest()
        .brokerId(brokerId)
        .brokerEpoch(brokerEpoch.getAsLong())
        .topics(new ArrayList<>(topics.values()));
  }
}
