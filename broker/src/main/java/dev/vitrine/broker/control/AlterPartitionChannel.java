package dev.vitrine.broker.control;

import dev.vitrine.broker.partition.IsrProposals;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.AlterPartitionRequest;
import dev.vitrine.protocol.message.AlterPartitionResponse;
import dev.vitrine.rpc.RpcCallback;
import dev.vitrine.rpc.RpcFailure;
import dev.vitrine.rpc.RpcRequest;
import dev.vitrine.seam.Shard;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries the proposals of one shard's leaders to the controller, one AlterPartition request in
 * flight with all that has gathered meanwhile. Belongs to the shard.
 */
public final class AlterPartitionChannel implements IsrProposals {
  private static final Logger LOG = LoggerFactory.getLogger(AlterPartitionChannel.class);
  private static final long TIMEOUT_MS = 10_000;
  private static final long RETRY_MS = 50;

  private record Key(Uuid topicId, int partition) {
    static Key of(Proposal p) {
      return new Key(p.topicId(), p.partition());
    }
  }

  private record Open(Proposal proposal, Consumer<Answer> answered) {}

  private final Shard shard;
  private final ControllerChannel controller;
  private final int brokerId;
  private final LongSupplier brokerEpoch;
  private final Map<Key, Open> open = new LinkedHashMap<>();
  private boolean inFlight;

  public AlterPartitionChannel(
      Shard shard, ControllerChannel controller, int brokerId, LongSupplier brokerEpoch) {
    this.shard = shard;
    this.controller = controller;
    this.brokerId = brokerId;
    this.brokerEpoch = brokerEpoch;
  }

  @Override
  public void propose(Proposal proposal, Consumer<Answer> answered) {
    open.put(Key.of(proposal), new Open(proposal, answered));
    shard.execute(this::send);
  }

  @Override
  public void forget(Proposal proposal) {
    Open o = open.get(Key.of(proposal));
    if (o != null && o.proposal == proposal) {
      open.remove(Key.of(proposal));
    }
  }

  private void send() {
    if (inFlight || open.isEmpty()) {
      return;
    }
    inFlight = true;
    Map<Key, Open> sent = new HashMap<>(open);
    List<Proposal> proposals = open.values().stream().map(Open::proposal).toList();
    controller.send(
        RpcRequest.of(request(proposals)),
        TIMEOUT_MS,
        r -> ((AlterPartitionResponse) r).errorCode() == Errors.NOT_CONTROLLER.code(),
        new RpcCallback() {
          @Override
          public void completed(ApiMessage response, short version, ByteBuf frame) {
            inFlight = false;
            answered((AlterPartitionResponse) response, sent);
          }

          @Override
          public void failed(RpcFailure failure) {
            inFlight = false;
            LOG.warn("Changes of the in-sync set are not decided yet: {}", failure.message());
            shard.schedule(RETRY_MS, AlterPartitionChannel.this::send);
          }
        });
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

  private void answered(AlterPartitionResponse response, Map<Key, Open> sent) {
    Errors all = Errors.forCode(response.errorCode());
    if (all != Errors.NONE) {
      LOG.warn("The controller refuses changes of the in-sync set: {}", all);
      shard.schedule(RETRY_MS, this::send);
      return;
    }
    boolean again = false;
    for (AlterPartitionResponse.TopicData topic : response.topics()) {
      for (AlterPartitionResponse.PartitionData p : topic.partitions()) {
        if (p.errorCode() == Errors.NOT_CONTROLLER.code()) {
          again = true; // it knows less than we do: another one decides, or has decided
          continue;
        }
        Key key = new Key(topic.topicId(), p.partitionIndex());
        Open was = sent.get(key);
        if (was != null && open.get(key) == was) {
          open.remove(key);
          was.answered.accept(
              new Answer(
                  Errors.forCode(p.errorCode()),
                  p.leaderId(),
                  p.leaderEpoch(),
                  p.isr(),
                  p.partitionEpoch()));
        }
      }
    }
    if (again) {
      shard.schedule(RETRY_MS, this::send);
    } else {
      send();
    }
  }
}
