package dev.vitrine.compat.sim;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.message.ProduceRequest;
import dev.vitrine.protocol.message.ProduceResponse;
import dev.vitrine.protocol.record.BatchBuilder;
import dev.vitrine.protocol.record.MemoryRecords;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A producer without a producer id: one batch under way, sent again or given up when it fails. With
 * {@code acks=1} it makes leaders that are cut off write what will be lost.
 */
final class SimPlainProducer extends SimClient {
  private static final int PAUSE_MS = 60;

  private int number;
  boolean stopping;
  private boolean underWay;

  SimPlainProducer(ClusterSim sim, String name) {
    super(sim, name);
  }

  @Override
  void begin() {
    if (!isReady() || shard.random().nextInt(20) == 0) {
      refresh();
    }
    if (isReady() && !underWay && !stopping) {
      List<TopicPartition> all = new ArrayList<>(leaders.keySet());
      TopicPartition p = all.get(shard.random().nextInt(all.size()));
      short acks = (short) (shard.random().nextInt(3) == 0 ? -1 : 1);
      String prefix = acks == 1 ? Values.LEADER_ONLY : Values.PLAIN;
      List<String> values = new ArrayList<>();
      for (int i = 0; i < 1 + shard.random().nextInt(3); i++) {
        values.add(prefix + name + "/" + number++);
      }
      send(p, acks, values);
    }
    shard.schedule(shard.random().nextInt(PAUSE_MS), this::begin);
  }

  private void send(TopicPartition to, short acks, List<String> values) {
    Leader leader = leaders.get(to);
    if (leader == null || leader.id() < 0) {
      refresh();
      return;
    }
    underWay = true;
    PartitionId id = id(to);
    ByteBuf bytes = Unpooled.buffer();
    BatchBuilder builder = new BatchBuilder(bytes);
    values.forEach(v -> builder.append(shard.now(), null, v.getBytes(StandardCharsets.UTF_8)));
    builder.build();
    ProduceRequest.TopicProduceData topic =
        new ProduceRequest.TopicProduceData().name(to.topic()).topicId(id.topic());
    topic
        .partitionData()
        .add(
            new ProduceRequest.PartitionProduceData()
                .index(to.partition())
                .records(new MemoryRecords(bytes)));
    ProduceRequest request = new ProduceRequest().acks(acks).timeoutMs(1 + sim.plan.patienceMs / 2);
    request.topicData().add(topic);
    ask(
        node(leader.id()),
        request,
        ProduceResponse.class,
        r -> {
          var p = r.responses().get(0).partitionResponses().get(0);
          Errors error = Errors.forCode(p.errorCode());
          underWay = false;
          if (error != Errors.NONE) {
            retriable(error, "for " + values + " in " + to + ": " + p.errorMessage());
            failed(to, id, acks, values);
          } else if (acks == -1) {
            sim.history.acknowledged(id, p.baseOffset(), values);
          }
        },
        () -> failed(to, id, acks, values));
  }

  private void failed(TopicPartition to, PartitionId id, short acks, List<String> values) {
    underWay = false;
    refresh();
    if (shard.random().nextBoolean()) {
      underWay = true;
      later(
          () -> {
            underWay = false;
            if (id.equals(id(to))) {
              send(to, acks, values);
            }
          });
    }
  }
}
