package dev.vitrine.compat.sim;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.message.InitProducerIdRequest;
import dev.vitrine.protocol.message.InitProducerIdResponse;
import dev.vitrine.protocol.message.ProduceRequest;
import dev.vitrine.protocol.message.ProduceResponse;
import dev.vitrine.protocol.record.BatchBuilder;
import dev.vitrine.protocol.record.MemoryRecords;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * An idempotent producer with {@code acks=all} that never gives up: several batches of a partition
 * under way, in order, what failed first of all again. Its records are numbered in each partition.
 */
final class SimProducer extends SimClient {
  private static final int PAUSE_MS = 40;

  private static final class Batch {
    final int partition;
    final int baseSequence;
    final List<String> values = new ArrayList<>();
    ByteBuf bytes;
    boolean sent;
    boolean underWay;
    boolean sentFirst;
    boolean forgotten;
    int attempt;

    Batch(int partition, int baseSequence) {
      this.partition = partition;
      this.baseSequence = baseSequence;
    }
  }

  private final int maxUnderWay;
  private final int padding;
  private final Map<Integer, Deque<Batch>> unacknowledged = new TreeMap<>();
  private final Map<Integer, Integer> next = new TreeMap<>();
  private final Map<Integer, Long> notBefore = new TreeMap<>();
  private final Set<Integer> known = new TreeSet<>();
  private long producerId = -1;
  private short producerEpoch;
  boolean stopping;
  long acknowledged;

  SimProducer(ClusterSim sim, String name) {
    super(sim, name);
    maxUnderWay = 1 + sim.world.random().nextInt(5);
    padding = sim.world.random().nextBoolean() ? 20 : 3_000;
  }

  @Override
  void begin() {
    ask(
        anyNode(),
        new InitProducerIdRequest().transactionalId(null).transactionTimeoutMs(60_000),
        InitProducerIdResponse.class,
        r -> {
          Errors error = Errors.forCode(r.errorCode());
          if (error == Errors.NONE) {
            producerId = r.producerId();
            producerEpoch = r.producerEpoch();
            sim.producerId(producerId, name);
            act();
          } else {
            retriable(error, "for InitProducerId");
            later(this::begin);
          }
        },
        () -> later(this::begin));
  }

  boolean isDone() {
    return stopping && producerId >= 0 && unacknowledged.values().stream().allMatch(Deque::isEmpty);
  }

  /** Now and then: makes records, sends what may be sent. */
  private void act() {
    if (leaders.size() < sim.partitions) {
      refresh();
    } else {
      for (int p = 0; p < sim.partitions; p++) {
        if (!stopping && shard.random().nextInt(sim.isHealed() ? 30 : 3) == 0) {
          create(p);
        }
      }
      send();
    }
    shard.schedule(shard.random().nextInt(PAUSE_MS), this::act);
  }

  private Deque<Batch> unacknowledged(int partition) {
    return unacknowledged.computeIfAbsent(partition, p -> new ArrayDeque<>());
  }

  private void create(int partition) {
    Deque<Batch> open = unacknowledged(partition);
    // As in Kafka, a leader takes any sequence from a producer that it has never seen: the second
    // batch, too, when the first was refused. Two firsts under way may therefore change places.
    boolean unknown = !known.contains(partition) && !open.isEmpty();
    if (unknown || open.size() >= maxUnderWay) {
      return;
    }
    int sequence = next.getOrDefault(partition, 0);
    Batch b = new Batch(partition, sequence);
    b.bytes = Unpooled.buffer();
    BatchBuilder builder = new BatchBuilder(b.bytes).producer(producerId, producerEpoch, sequence);
    int n = 1 + shard.random().nextInt(4);
    for (int i = 0; i < n; i++) {
      String value = "p" + name + "/" + partition + "/" + (sequence + i);
      b.values.add(value);
      String padded = value + " " + "x".repeat(shard.random().nextInt(padding));
      builder.append(shard.now(), null, padded.getBytes(StandardCharsets.UTF_8));
    }
    builder.build();
    next.put(partition, sequence + n);
    open.add(b);
  }

  private void send() {
    Map<Integer, List<Batch>> byLeader = new TreeMap<>();
    for (int p = 0; p < sim.partitions; p++) {
      takeForgotten(p);
      Batch b = sendable(p);
      if (b != null) {
        Leader l = leaders.get(p);
        if (l.id() < 0) {
          refresh();
        } else {
          byLeader.computeIfAbsent(l.id(), id -> new ArrayList<>()).add(b);
        }
      }
    }
    byLeader.forEach(this::send);
  }

  /** Those that are committed although no leader will ever say so. */
  private void takeForgotten(int partition) {
    TopicPartition at = new TopicPartition(ClusterSim.TOPIC, partition);
    Batch b = unacknowledged(partition).peekFirst();
    if (b != null
        && b.forgotten
        && !b.underWay
        && sim.history.sizeOf(at, "p" + name + "/" + partition)
            >= b.baseSequence + b.values.size()) {
      unacknowledged(partition).remove(b);
      acknowledged += b.values.size();
    }
  }

  /** The next of a partition: one that failed only when all before it are acknowledged. */
  private Batch sendable(int partition) {
    if (notBefore.getOrDefault(partition, 0L) > shard.ticks()) {
      return null;
    }
    for (Batch b : unacknowledged(partition)) {
      if (!b.underWay) {
        boolean first = unacknowledged(partition).peekFirst() == b;
        return b.sent && !first ? null : b;
      }
    }
    return null;
  }

  private void send(int leader, List<Batch> batches) {
    ProduceRequest.TopicProduceData topic =
        new ProduceRequest.TopicProduceData().name(ClusterSim.TOPIC).topicId(topicId);
    Map<Integer, Batch> sent = new TreeMap<>();
    Map<Integer, Integer> attempts = new TreeMap<>();
    for (Batch b : batches) {
      b.sent = true;
      b.underWay = true;
      b.sentFirst = unacknowledged(b.partition).peekFirst() == b;
      attempts.put(b.partition, ++b.attempt);
      sent.put(b.partition, b);
      topic
          .partitionData()
          .add(
              new ProduceRequest.PartitionProduceData()
                  .index(b.partition)
                  .records(new MemoryRecords(b.bytes.copy())));
    }
    ProduceRequest request =
        new ProduceRequest()
            .acks((short) -1)
            .timeoutMs(TIMEOUT_MS / 2)
            .topicData(new ArrayList<>(Collections.singletonList(topic)));
    ask(
        node(leader),
        request,
        ProduceResponse.class,
        r -> {
          sim.check(
              r.responses().size() == 1
                  && r.responses().get(0).partitionResponses().size() == batches.size(),
              null,
              name + " gets another answer than it asked for: " + r);
          for (var p : r.responses().get(0).partitionResponses()) {
            answered(sent.get(p.index()), p);
          }
          send();
        },
        () -> batches.forEach(this::again));
  }

  private void answered(Batch b, ProduceResponse.PartitionProduceResponse p) {
    Errors error = Errors.forCode(p.errorCode());
    TopicPartition at = new TopicPartition(ClusterSim.TOPIC, b.partition);
    switch (error) {
      case NONE, DUPLICATE_SEQUENCE_NUMBER -> {
        if (error == Errors.NONE) {
          sim.history.acknowledged(at, p.baseOffset(), b.values);
        }
        Deque<Batch> open = unacknowledged(b.partition);
        open.remove(b);
        acknowledged += b.values.size();
        known.add(b.partition);
        sim.trace("ack " + b.values);
      }
      case OUT_OF_ORDER_SEQUENCE_NUMBER -> {
        // A leader that has restarted knows only the newest batch of each producer, as Kafka's
        // snapshots of producers do; it may not know this one as the repetition that it is.
        boolean forgotten = b.sentFirst && sim.isInLog(at, b.values);
        sim.check(
            !b.sentFirst || forgotten,
            null,
            name
                + ": what was before "
                + b.values
                + " is lost, or so says the leader of "
                + at
                + ": "
                + p.errorMessage());
        sim.forgotten += forgotten && !b.forgotten ? 1 : 0;
        b.forgotten |= forgotten;
        again(b);
      }
      default -> {
        retriable(error, "for " + b.values + " in " + at + ": " + p.errorMessage());
        again(b);
      }
    }
  }

  private void again(Batch b) {
    b.underWay = false;
    notBefore.put(b.partition, shard.ticks() + 20 + shard.random().nextInt(50));
    refresh();
  }
}
