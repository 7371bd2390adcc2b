package dev.vitrine.compat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.ElectionNotNeededException;

/**
 * Three nodes with one topic of three replicas, of which one is killed in each round while a stock
 * producer with {@code acks=all} writes. Used by one thread.
 */
final class FailoverRounds implements AutoCloseable {
  private static final String TOPIC = "failover";
  private static final int NODES = 3;
  private static final long WARM_NANOS = 2_000_000_000L;
  private static final int BETWEEN_WRITES_MS = 2;
  private static final int POLL_MS = 200;

  private final int partitions;
  private final ClusterUnderTest cluster;
  private final Admin admin;
  private final KafkaProducer<String, String> producer;
  private int rounds;

  FailoverRounds(int partitions) throws Exception {
    this.partitions = partitions;
    this.cluster =
        LocalCluster.start(
            "failover-" + partitions, NODES, Map.of("auto.leader.rebalance.enable", "false"));
    Clients clients = new Clients(cluster.bootstrap());
    this.admin = clients.admin();
    this.producer = clients.producer(Map.of("acks", "all"));
    clients.createTopic(new NewTopic(TOPIC, balanced()));
  }

  /** Nanoseconds from the kill to the acknowledgement, for each partition that is watched. */
  long[] round(FailoverFigures.Case what) throws Exception {
    awaitInSync();
    int controller = admin.describeMetadataQuorum().quorumInfo().get().leaderId();
    arrange(what == FailoverFigures.Case.CONTROLLER ? without(controller) : balanced());
    controller = admin.describeMetadataQuorum().quorumInfo().get().leaderId();
    int victim = what == FailoverFigures.Case.LEADER ? other(controller, rounds++) : controller;
    List<Integer> watched =
        leaders().entrySet().stream()
            .filter(e -> what == FailoverFigures.Case.CONTROLLER || e.getValue() == victim)
            .map(Map.Entry::getKey)
            .sorted()
            .toList();
    warmUp(watched);
    long[] times = kill(victim, watched);
    cluster.start(victim);
    cluster.awaitReady();
    return times;
  }

  private static int other(int controller, int round) {
    int next = controller % NODES + 1;
    return round % 2 == 0 ? next : next % NODES + 1;
  }

  /** Every connection is open and every partition's leader known when the node falls. */
  private void warmUp(List<Integer> watched) throws Exception {
    long end = System.nanoTime() + WARM_NANOS;
    for (int i = 0; i < watched.size() || System.nanoTime() < end; i++) {
      producer.send(new ProducerRecord<>(TOPIC, watched.get(i % watched.size()), null, "before"));
      Thread.sleep(BETWEEN_WRITES_MS);
    }
    producer.flush();
  }

  private long[] kill(int victim, List<Integer> watched) throws Exception {
    long[] times = new long[watched.size()];
    CountDownLatch left = new CountDownLatch(watched.size());
    AtomicReference<Exception> failed = new AtomicReference<>();
    long start = System.nanoTime();
    cluster.kill(victim);
    for (int i = 0; i < times.length; i++) {
      int slot = i;
      producer.send(
          new ProducerRecord<>(TOPIC, watched.get(i), null, "after"),
          (metadata, problem) -> {
            times[slot] = System.nanoTime() - start;
            if (problem != null) {
              failed.compareAndSet(null, problem);
            }
            left.countDown();
          });
    }
    left.await();
    if (failed.get() != null) {
      throw new IllegalStateException("a write has failed", failed.get());
    }
    return times;
  }

  // ---- where the leaders are

  private Map<Integer, List<Integer>> balanced() {
    return assignment(p -> replicas(p % NODES + 1, (p + 1) % NODES + 1, (p + 2) % NODES + 1));
  }

  /** The other two lead, in turn. */
  private Map<Integer, List<Integer>> without(int node) {
    int a = node % NODES + 1;
    int b = a % NODES + 1;
    return assignment(p -> p % 2 == 0 ? replicas(a, b, node) : replicas(b, a, node));
  }

  private static List<Integer> replicas(int... ids) {
    return java.util.Arrays.stream(ids).boxed().toList();
  }

  private Map<Integer, List<Integer>> assignment(IntFunction<List<Integer>> replicas) {
    Map<Integer, List<Integer>> all = new HashMap<>();
    for (int p = 0; p < partitions; p++) {
      all.put(p, replicas.apply(p));
    }
    return all;
  }

  /** Puts the replicas into this order and lets the first of each lead. */
  private void arrange(Map<Integer, List<Integer>> wanted) throws Exception {
    Map<TopicPartition, Optional<NewPartitionReassignment>> changes = new HashMap<>();
    for (TopicPartitionInfo p : infos()) {
      if (!p.replicas().stream().map(Node::id).toList().equals(wanted.get(p.partition()))) {
        changes.put(
            new TopicPartition(TOPIC, p.partition()),
            Optional.of(new NewPartitionReassignment(wanted.get(p.partition()))));
      }
    }
    if (!changes.isEmpty()) {
      admin.alterPartitionReassignments(changes).all().get();
      await(() -> admin.listPartitionReassignments().reassignments().get().isEmpty());
    }
    await(
        () -> {
          try {
            admin.electLeaders(ElectionType.PREFERRED, null).all().get();
          } catch (ExecutionException e) {
            if (!(e.getCause() instanceof ElectionNotNeededException)) {
              throw e;
            }
          }
          Map<Integer, Integer> leaders = leaders();
          return wanted.entrySet().stream()
              .allMatch(e -> e.getValue().get(0).equals(leaders.get(e.getKey())));
        });
  }

  private Map<Integer, Integer> leaders() throws Exception {
    Map<Integer, Integer> leaders = new HashMap<>();
    for (TopicPartitionInfo p : infos()) {
      if (p.leader() != null) {
        leaders.put(p.partition(), p.leader().id());
      }
    }
    return leaders;
  }

  private List<TopicPartitionInfo> infos() throws Exception {
    List<TopicPartitionInfo> infos = new ArrayList<>(Clients.partitions(admin, TOPIC));
    infos.sort(Comparator.comparingInt(TopicPartitionInfo::partition));
    return infos;
  }

  private void awaitInSync() throws Exception {
    await(
        () -> {
          List<TopicPartitionInfo> infos = infos();
          return infos.size() == partitions
              && infos.stream().allMatch(p -> p.isr().size() == NODES);
        });
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  private static void await(Condition condition) throws Exception {
    while (!condition.holds()) {
      Thread.sleep(POLL_MS);
    }
  }

  @Override
  public void close() {
    producer.close(java.time.Duration.ZERO);
    admin.close();
    cluster.close();
  }
}
