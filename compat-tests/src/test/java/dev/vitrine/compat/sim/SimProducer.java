package dev.vitrine.compat.sim;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
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
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
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

  /** A leader knows again so many batches of a producer, the last ones. */
  private static final int REMEMBERED = 5;

  private static final class Batch {
    final TopicPartition partition;
    final PartitionId id;

    /** How many batches of the partition were made before it. */
    final long number;

    final List<String> values = new ArrayList<>();
    ByteBuf bytes;
    boolean sent;
    boolean underWay;
    boolean sentFirst;

    /** Of a topic that is gone. */
    boolean moot;

    Batch(TopicPartition partition, PartitionId id, long number) {
      this.partition = partition;
      this.id = id;
      this.number = number;
    }
  }

  private final int maxUnderWay;
  private final int padding;
  private final Map<TopicPartition, Deque<Batch>> unacknowledged = new TreeMap<>();
  private final Map<TopicPartition, Integer> next = new TreeMap<>();
  private final Map<TopicPartition, Long> made = new TreeMap<>();
  private final Map<TopicPartition, Long> notBefore = new TreeMap<>();
  private final Set<TopicPartition> known = new TreeSet<>();
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

  @Override
  void topicGone(String topic) {
    unacknowledged.forEach(
        (p, open) -> {
          if (p.topic().equals(topic)) {
            open.forEach(b -> b.moot = true);
            open.clear();
          }
        });
    next.keySet().removeIf(p -> p.topic().equals(topic));
    made.keySet().removeIf(p -> p.topic().equals(topic));
    notBefore.keySet().removeIf(p -> p.topic().equals(topic));
    known.removeIf(p -> p.topic().equals(topic));
  }

  /** Now and then: makes records, sends what may be sent. */
  private void act() {
    if (!isReady() || shard.random().nextInt(40) == 0) {
      refresh();
    }
    if (isReady()) {
      for (TopicPartition p : leaders.keySet()) {
        if (!stopping && shard.random().nextInt(sim.isHealed() ? 30 : 3) == 0) {
          create(p);
        }
      }
      send();
    }
    shard.schedule(shard.random().nextInt(PAUSE_MS), this::act);
  }

  private Deque<Batch> unacknowledged(TopicPartition partition) {
    return unacknowledged.computeIfAbsent(partition, p -> new ArrayDeque<>());
  }

  private void create(TopicPartition partition) {
    Deque<Batch> open = unacknowledged(partition);
    // As in Kafka, a leader takes any sequence from a producer that it has never seen: the second
    // batch, too, when the first was refused. Two firsts under way may therefore change places.
    boolean unknown = !known.contains(partition) && !open.isEmpty();
    if (unknown || open.size() >= maxUnderWay) {
      return;
    }
    long number = made.getOrDefault(partition, 0L);
    // Those behind the first may be acknowledged before it: it waits for a leader of old, they went
    // to the new one, which has it already. Were there more of them than a leader remembers, it
    // would find the first out of order, though nothing is lost.
    if (!open.isEmpty() && number - open.peekFirst().number >= REMEMBERED) {
      return;
    }
    int sequence = next.getOrDefault(partition, 0);
    Batch b = new Batch(partition, id(partition), number);
    b.bytes = Unpooled.buffer();
    BatchBuilder builder = new BatchBuilder(b.bytes).producer(producerId, producerEpoch, sequence);
    int n = 1 + shard.random().nextInt(4);
    for (int i = 0; i < n; i++) {
      String value = values(partition) + "/" + (sequence + i);
      b.values.add(value);
      String padded = value + " " + "x".repeat(shard.random().nextInt(padding));
      builder.append(shard.now(), null, padded.getBytes(StandardCharsets.UTF_8));
    }
    builder.build();
    next.put(partition, sequence + n);
    made.put(partition, number + 1);
    open.add(b);
  }

  private String values(TopicPartition p) {
    return Values.IDEMPOTENT + name + "/" + p.partition();
  }

  private void send() {
    Map<Integer, List<Batch>> byLeader = new TreeMap<>();
    for (TopicPartition p : leaders.keySet()) {
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

  /** The next of a partition: one that failed only when all before it are acknowledged. */
  private Batch sendable(TopicPartition partition) {
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
    Map<Uuid, ProduceRequest.TopicProduceData> topics = new LinkedHashMap<>();
    Map<PartitionId, Batch> sent = new HashMap<>();
    for (Batch b : batches) {
      b.sent = true;
      b.underWay = true;
      b.sentFirst = unacknowledged(b.partition).peekFirst() == b;
      sent.put(b.id, b);
      topics
          .computeIfAbsent(
              b.id.topic(),
              id -> new ProduceRequest.TopicProduceData().name(b.partition.topic()).topicId(id))
          .partitionData()
          .add(
              new ProduceRequest.PartitionProduceData()
                  .index(b.partition.partition())
                  .records(new MemoryRecords(b.bytes.copy())));
    }
    ProduceRequest request =
        new ProduceRequest()
            .acks((short) -1)
            .timeoutMs(1 + sim.plan.patienceMs / 2)
            .topicData(new ArrayList<>(topics.values()));
    ask(
        node(leader),
        request,
        ProduceResponse.class,
        r -> {
          int answers = 0;
          for (var t : r.responses()) {
            for (var p : t.partitionResponses()) {
              answered(sent.get(new PartitionId(t.topicId(), p.index())), p);
              answers++;
            }
          }
          sim.check(answers == batches.size(), null, name + " gets another answer: " + r);
          send();
        },
        () -> batches.forEach(this::again));
  }

  private void answered(Batch b, ProduceResponse.PartitionProduceResponse p) {
    Errors error = Errors.forCode(p.errorCode());
    TopicPartition at = b.partition;
    if (b.moot) {
      return;
    }
    switch (error) {
      case NONE, DUPLICATE_SEQUENCE_NUMBER -> {
        if (error == Errors.NONE) {
          sim.history.acknowledged(b.id, p.baseOffset(), b.values);
        }
        Deque<Batch> open = unacknowledged(b.partition);
        open.remove(b);
        acknowledged += b.values.size();
        known.add(b.partition);
        sim.trace("ack " + b.values);
      }
      case OUT_OF_ORDER_SEQUENCE_NUMBER -> {
        if (b.sentFirst && sim.history.isDeleted(b.id, b.values)) {
          // A leader that has restarted knows of a producer, as Kafka's does, only what is left.
          unacknowledged(b.partition).remove(b);
          return;
        }
        sim.check(
            !b.sentFirst,
            null,
            name
                + ": what was before "
                + b.values
                + " is lost, or so says the leader of "
                + at
                + ": "
                + p.errorMessage());
        again(b);
      }
      default -> {
        retriable(error, "for " + b.values + " in " + at + ": " + p.errorMessage());
        again(b);
      }
    }
  }

  private void again(Batch b) {
    if (b.moot) {
      return;
    }
    b.underWay = false;
    notBefore.put(b.partition, shard.ticks() + 20 + shard.random().nextInt(50));
    refresh();
  }
}
