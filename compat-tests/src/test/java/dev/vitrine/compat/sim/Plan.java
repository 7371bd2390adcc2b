package dev.vitrine.compat.sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * What a seed draws before anything happens: the machines, their settings, the work, and which
 * faults there are at all (a swarm: what never meets in one run may still meet in another).
 */
final class Plan {
  /** A machine and the roles of its node. */
  record Machine(int id, boolean broker, boolean controller, int shards) {
    String host() {
      return "n" + id;
    }
  }

  /** What an administrator does while the rest works. */
  enum Chore {
    CREATE,
    DELETE,
    GROW,
    DELETE_RECORDS,
    CONFIGURE,
    ELECT,
    REASSIGN
  }

  final List<Machine> machines = new ArrayList<>();
  final Map<String, String> settings = new LinkedHashMap<>();
  final Map<String, String> topicConfigs = new TreeMap<>();
  final int partitions;
  final int replication;
  final int minInSync;

  /** Whether there are eligible leader replicas (KIP-966). */
  final boolean elr;

  /** Whether old segments are deleted. */
  final boolean retention;

  final List<Chore> chores = new ArrayList<>();

  /** Each as often as it is in here. */
  final List<Fault> faults = new ArrayList<>();

  /** Between two faults it is up to twice as long. */
  final int paceMs;

  final int safetyMs;
  final int producers;
  final int plainProducers;
  final int readers;
  final int members;

  /** How long clients wait for an answer: the shorter, the more is sent twice. */
  final int patienceMs;

  Plan(RandomGenerator random) {
    int brokers = machines(random);
    partitions = 1 + random.nextInt(4);
    faults(random);
    boolean few = !faults.contains(Fault.POWER) && random.nextInt(6) == 0;
    replication = Math.min(brokers, few ? 2 : random.nextInt(6) == 0 ? 4 : 3);
    elr = random.nextBoolean();
    boolean single = !faults.contains(Fault.POWER) && random.nextInt(4) == 0;
    minInSync = replication == 2 || single ? 1 : 2;
    settings(random, Math.min(3, brokers));
    retention = random.nextInt(4) == 0;
    topic(random);
    for (Chore c : Chore.values()) {
      if (random.nextInt(3) == 0) {
        chores.add(c);
      }
    }
    paceMs = random.nextBoolean() ? 300 : random.nextBoolean() ? 80 : 1_200;
    safetyMs = random.nextInt(4) == 0 ? 12_000 : random.nextBoolean() ? 5_000 : 2_500;
    producers = 1 + random.nextInt(2);
    plainProducers = random.nextInt(2);
    readers = 1 + random.nextInt(2);
    members = random.nextInt(4);
    patienceMs = random.nextInt(3) == 0 ? 300 : 2_000;
  }

  /** Returns how many of the machines are brokers. */
  private int machines(RandomGenerator random) {
    int both = 0;
    int controllers = 0;
    int brokers = 0;
    switch (random.nextInt(8)) {
      case 0 -> {
        controllers = 3;
        brokers = 3 + random.nextInt(2);
      }
      case 1 -> {
        controllers = 1;
        brokers = 3 + random.nextInt(3);
      }
      case 2 -> {
        both = 3;
        brokers = 1 + random.nextInt(2);
      }
      case 3 -> both = 5;
      default -> both = 3;
    }
    int shards = random.nextInt(3) == 0 ? 3 : 1;
    for (int id = 1; id <= both + brokers; id++) {
      machines.add(new Machine(id, true, id <= both, random.nextInt(4) == 0 ? 4 - shards : shards));
    }
    for (int i = 1; i <= controllers; i++) {
      machines.add(new Machine(100 + i, false, true, 1));
    }
    return both + brokers;
  }

  private void faults(RandomGenerator random) {
    for (Fault f : Fault.values()) {
      if (random.nextInt(5) < (f == Fault.KILL ? 4 : 2)) {
        int weight = f == Fault.KILL_ALL ? 1 : f == Fault.KILL ? 4 : 1 + random.nextInt(3);
        for (int i = 0; i < weight; i++) {
          faults.add(f);
        }
      }
    }
    if (faults.isEmpty()) {
      faults.add(Fault.KILL);
    }
  }

  private void settings(RandomGenerator random, int offsetsReplication) {
    Map<String, String> s = settings;
    List<String> voters = new ArrayList<>();
    for (Machine m : machines) {
      if (m.controller()) {
        voters.add(m.id() + "@" + m.host() + ":9093");
      }
    }
    s.put("log.dirs", SimNode.DATA.toString());
    s.put("controller.listener.names", "CONTROLLER");
    s.put("controller.quorum.voters", String.join(",", voters));
    s.put("listener.security.protocol.map", "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT");
    int quorum = random.nextBoolean() ? 1_000 : 300;
    s.put("controller.quorum.election.timeout.ms", "" + quorum);
    s.put("controller.quorum.fetch.timeout.ms", "" + 2 * quorum);
    s.put("controller.quorum.election.backoff.max.ms", "" + quorum);
    s.put("controller.quorum.request.timeout.ms", "" + 2 * quorum);
    int session = random.nextBoolean() ? 3_000 : 1_000;
    if (random.nextBoolean()) {
      // Whoever was away gets the metadata as a snapshot.
      s.put("metadata.log.max.record.bytes.between.snapshots", "400");
      s.put("metadata.max.retention.bytes", "800");
    }
    s.put("broker.session.timeout.ms", "" + session);
    s.put("broker.heartbeat.interval.ms", "" + session / 5);
    s.put("replica.lag.time.max.ms", random.nextBoolean() ? "3000" : "600");
    s.put("replica.fetch.wait.max.ms", random.nextBoolean() ? "500" : "100");
    s.put("replica.fetch.backoff.ms", random.nextBoolean() ? "1000" : "50");
    if (random.nextBoolean()) {
      s.put("replica.fetch.max.bytes", "1000");
      s.put("replica.fetch.response.max.bytes", "3000");
    }
    s.put("vitrine.writeback.ms", "" + (1 + random.nextInt(3_000)));
    s.put("replica.high.watermark.checkpoint.interval.ms", "" + (1 + random.nextInt(3_000)));
    String retentionCheck = "" + (1 + random.nextInt(2_000));
    s.put("log.initial.task.delay.ms", retentionCheck);
    s.put("log.retention.check.interval.ms", retentionCheck);
    s.put("min.insync.replicas", "" + minInSync);
    s.put("offsets.topic.num.partitions", "" + ClusterSim.OFFSETS_PARTITIONS);
    s.put("offsets.topic.replication.factor", "" + offsetsReplication);
    s.put("group.min.session.timeout.ms", "100");
    s.put("group.initial.rebalance.delay.ms", "" + random.nextInt(300));
    if (random.nextInt(3) == 0) {
      s.put("leader.imbalance.check.interval.seconds", "1");
    }
  }

  private void topic(RandomGenerator random) {
    Map<String, String> topic = topicConfigs;
    if (random.nextBoolean()) {
      topic.put("segment.ms", "" + (1 + random.nextInt(2_000)));
    }
    if (random.nextInt(4) == 0) {
      topic.put("segment.bytes", "" + (1 << 20));
      topic.put("index.interval.bytes", "" + random.nextInt(200));
    }
    if (retention) {
      topic.put("segment.ms", "" + (1 + random.nextInt(500)));
      topic.put("retention.bytes", "" + (1 + random.nextInt(20_000)));
    }
    topic.put("file.delete.delay.ms", "" + random.nextInt(1_000));
  }

  /** What a node is started with. */
  Map<String, String> propertiesOf(Machine m) {
    Map<String, String> own = new LinkedHashMap<>(settings);
    List<String> roles = new ArrayList<>();
    List<String> listeners = new ArrayList<>();
    if (m.broker()) {
      roles.add("broker");
      listeners.add("PLAINTEXT://" + m.host() + ":9092");
    }
    if (m.controller()) {
      roles.add("controller");
      listeners.add("CONTROLLER://" + m.host() + ":9093");
    }
    own.put("process.roles", String.join(",", roles));
    own.put("node.id", "" + m.id());
    own.put("listeners", String.join(",", listeners));
    return own;
  }

  @Override
  public String toString() {
    StringBuilder s = new StringBuilder();
    for (Machine m : machines) {
      s.append(m.host())
          .append(m.broker() && m.controller() ? "" : m.broker() ? "b" : "c")
          .append(m.shards() > 1 ? "*" : "")
          .append(' ');
    }
    return s
        + "partitions "
        + partitions
        + " replicas "
        + replication
        + " min "
        + minInSync
        + (elr ? " elr" : "")
        + " pace "
        + paceMs
        + " for "
        + safetyMs
        + " ms, patience "
        + patienceMs
        + ", chores "
        + chores
        + ", faults "
        + new java.util.TreeSet<>(faults)
        + ", topics "
        + topicConfigs;
  }
}
