package dev.vitrine.compat.sim;

import dev.vitrine.broker.partition.Partition;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.sim.SimNetwork;
import dev.vitrine.sim.SimWorld;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/**
 * Three whole nodes and their clients in one simulated world, from one seed: faults for a while,
 * held against {@link History} after every step; then no more faults, and all must come to an end.
 */
final class ClusterSim {
  static final String CLUSTER_ID = "SimulatedClusterXXXXXX";
  static final String TOPIC = "t";
  static final int OFFSETS_PARTITIONS = 2;
  private static final int NODES = 3;
  private static final int KNOWN_AFTER_MS = 3_500;
  private static final int LIVENESS_MS = 120_000;

  final SimWorld world;
  final SimNetwork network;
  final History history;
  final List<SimNode> nodes = new ArrayList<>();
  final int partitions;
  private final long seed;
  private final long safetyMs;
  private final LogLines log;
  private final List<SimProducer> producers = new ArrayList<>();
  private final List<SimReader> readers = new ArrayList<>();
  private final List<SimMember> members = new ArrayList<>();
  private final List<String> hosts = new ArrayList<>();
  private final Map<Long, String> producerIds = new HashMap<>();
  private final Map<String, Map<Integer, Long>> commits = new TreeMap<>();
  private final int pace;
  private final boolean powerCuts;
  private boolean faults = true;

  /** Whether old segments are deleted. */
  boolean retention;

  private int fallen;
  private int powerless;

  /** Batches that a restarted leader did not know as repetitions. */
  int forgotten;

  private long steps;
  private long lastFaultMs;
  private long publishedOffset = -1;
  private long trace = 17;

  ClusterSim(long seed, long safetyMs, boolean print) {
    this.seed = seed;
    this.safetyMs = safetyMs;
    this.world = new SimWorld(seed);
    this.network = new SimNetwork(world);
    this.history = new History(this);
    this.log = LogLines.of(this, print);
    RandomGenerator random = world.random();
    this.partitions = 1 + random.nextInt(4);
    this.pace = random.nextBoolean() ? 300 : 1_200;
    this.powerCuts = random.nextInt(3) == 0;
    Map<String, String> common = settings(seed, random);
    for (int id = 1; id <= NODES; id++) {
      Map<String, String> own = new LinkedHashMap<>(common);
      own.put("node.id", "" + id);
      own.put("listeners", "PLAINTEXT://n" + id + ":9092,CONTROLLER://n" + id + ":9093");
      nodes.add(new SimNode(this, id, random.nextBoolean() ? 1 : 3, own));
      hosts.add("n" + id);
    }
    clients(random);
  }

  private static Map<String, String> settings(long seed, RandomGenerator random) {
    Map<String, String> s = new LinkedHashMap<>();
    s.put("process.roles", "broker,controller");
    s.put("log.dirs", SimNode.DATA.toString());
    s.put("controller.listener.names", "CONTROLLER");
    s.put("controller.quorum.voters", "1@n1:9093,2@n2:9093,3@n3:9093");
    s.put("listener.security.protocol.map", "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT");
    int quorum = random.nextBoolean() ? 1_000 : 300;
    s.put("controller.quorum.election.timeout.ms", "" + quorum);
    s.put("controller.quorum.fetch.timeout.ms", "" + 2 * quorum);
    s.put("controller.quorum.election.backoff.max.ms", "" + quorum);
    s.put("controller.quorum.request.timeout.ms", "" + 2 * quorum);
    int session = random.nextBoolean() ? 3_000 : 1_000;
    if (seed % 2 == 0) {
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
    s.put("log.retention.check.interval.ms", "" + (1 + random.nextInt(2_000)));
    s.put("min.insync.replicas", "2");
    s.put("offsets.topic.num.partitions", "" + OFFSETS_PARTITIONS);
    s.put("offsets.topic.replication.factor", "" + NODES);
    s.put("group.min.session.timeout.ms", "100");
    s.put("group.initial.rebalance.delay.ms", "" + random.nextInt(300));
    return s;
  }

  private void clients(RandomGenerator random) {
    Map<String, String> topic = new TreeMap<>();
    if (random.nextBoolean()) {
      topic.put("segment.ms", "" + (1 + random.nextInt(2_000)));
    }
    retention = random.nextInt(4) == 0;
    if (retention) {
      topic.put("segment.ms", "" + (1 + random.nextInt(500)));
      topic.put("retention.bytes", "" + (1 + random.nextInt(20_000)));
      topic.put("file.delete.delay.ms", "" + random.nextInt(1_000));
    }
    add(new SimAdmin(this, "admin", topic));
    for (int i = 0; i < 1 + random.nextInt(3); i++) {
      producers.add(add(new SimProducer(this, "prod" + i)));
    }
    for (int i = 0; i < 1 + random.nextInt(2); i++) {
      readers.add(add(new SimReader(this, "cons" + i)));
    }
    for (int i = 0; i < random.nextInt(4); i++) {
      members.add(add(new SimMember(this, "memb" + i, "group" + i % 2)));
    }
  }

  private <T extends SimClient> T add(T client) {
    hosts.add(client.name);
    client.start();
    return client;
  }

  /** Runs it; what fails says with which seed. Returns a hash of all that happened. */
  long run() {
    try {
      network.latency(50, world.random().nextInt(500, 5_000));
      network.slow(world.random().nextInt(30), 200_000);
      nodes.forEach(SimNode::start);
      world.at(2_000_000, this::act);
      long until = world.elapsedMs() + safetyMs;
      while (world.elapsedMs() < until) {
        step();
      }
      heal();
      finish();
      return trace;
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(
          "seed "
              + seed
              + " at "
              + world.elapsedMs()
              + " ms: "
              + e.getMessage()
              + "; again with -Dtest=ClusterSimulationTest -Dseed="
              + seed
              + " -DsimMs="
              + safetyMs
              + ", which logs what it does",
          e);
    } finally {
      log.end();
    }
  }

  private void step() {
    world.step();
    steps++;
    for (SimNode n : nodes) {
      if (n.up) {
        history.look(n);
        if (n.metadata().offset() > publishedOffset) {
          publishedOffset = n.metadata().offset();
          history.published(n.metadata(), nodes);
        }
      }
    }
    if (log.error() != null) {
      throw new AssertionError(log.error());
    }
  }

  private void await(String what, BooleanSupplier condition) {
    long until = world.elapsedMs() + LIVENESS_MS;
    while (!condition.getAsBoolean()) {
      check(world.elapsedMs() < until, null, "never: " + what + states());
      for (int i = 0; i < 16; i++) {
        step();
      }
    }
    log.say("--- " + what);
  }

  // --- faults

  private void act() {
    if (!faults) {
      return;
    }
    RandomGenerator random = world.random();
    SimNode n = nodes.get(random.nextInt(NODES));
    lastFaultMs = world.elapsedMs();
    switch (random.nextInt(16)) {
      case 0, 1, 2 -> kill(n, false);
      case 3 -> {
        if (n.up) {
          int ms = random.nextInt(random.nextBoolean() ? 500 : 6_000);
          log.say("--- " + n.host() + " pauses for " + ms);
          n.pause(ms);
        }
      }
      case 4, 5 -> cut(n.host(), hosts.get(random.nextInt(hosts.size())), random.nextBoolean());
      case 6 -> hosts.forEach(h -> cut(n.host(), h, true));
      case 7 -> {
        for (SimNode other : nodes) {
          cut(n.host(), other.host(), true);
        }
      }
      case 8, 9, 10 -> {
        log.say("--- links mended");
        network.mendAll();
      }
      case 11 -> network.breakOne();
      case 12 -> stop(n);
      case 13 -> {
        if (random.nextInt(4) == 0) {
          nodes.forEach(each -> kill(each, false));
        }
      }
      case 14 -> {
        if (powerCuts) {
          // The promise holds where all are in sync and the controller is told before the next
          // fault: Kafka has none when the only one that has a record loses it.
          world.at(50_000, () -> actWhenWhole(() -> cutPower(n), world.elapsedMs() + 10_000));
          return;
        }
      }
      default -> {}
    }
    trace(n.id);
    world.at(1000L * random.nextInt(2 * pace), this::act);
  }

  private void cutPower(SimNode n) {
    if (isWhole()) {
      kill(n, true);
      powerless++;
      lastFaultMs = world.elapsedMs();
    }
    actWhenWhole(this::act, world.elapsedMs() + 20_000);
  }

  /** Waits for better times: no faults until all is well, or so late. */
  private void actWhenWhole(Runnable next, long untilMs) {
    if (!faults) {
      return;
    }
    if (isWhole() || world.elapsedMs() > untilMs) {
      next.run();
    } else {
      world.at(50_000, () -> actWhenWhole(next, untilMs));
    }
  }

  private void cut(String from, String to, boolean both) {
    if (!from.equals(to)) {
      log.say("--- cut " + from + (both ? " <> " : " > ") + to);
      network.cut(from, to);
      if (both) {
        network.cut(to, from);
      }
    }
  }

  private void kill(SimNode n, boolean power) {
    if (n.up) {
      log.say("--- " + n.host() + (power ? " loses its power" : " is killed"));
      fallen++;
      n.kill(power);
      startLater(n);
    }
  }

  private void startLater(SimNode n) {
    int limit = world.random().nextBoolean() ? 5_000 : 50;
    world.at(
        1000L * world.random().nextInt(limit),
        () -> {
          if (!n.up) {
            log.say("--- " + n.host() + " starts");
            n.start();
          }
        });
  }

  private void stop(SimNode n) {
    if (!n.up || n.stopping) {
      return;
    }
    log.say("--- " + n.host() + " is stopped");
    int incarnation = n.incarnation;
    n.stop(
        () -> {
          if (n.up && n.incarnation == incarnation) {
            log.say("--- " + n.host() + " has stopped");
            n.kill(false);
            startLater(n);
          }
        });
  }

  boolean isHealed() {
    return !faults;
  }

  private void heal() {
    log.say("--- no more faults");
    faults = false;
    lastFaultMs = world.elapsedMs();
    network.mendAll();
    network.slow(0, 1);
    for (SimNode n : nodes) {
      if (n.up && n.stopping) {
        n.kill(false);
      }
      if (!n.up) {
        n.start();
      }
      n.resume();
    }
  }

  // --- the end

  private void finish() {
    await("every replica is in sync", this::isWhole);
    producers.forEach(p -> p.stopping = true);
    await("the producers have written all", () -> producers.stream().allMatch(SimProducer::isDone));
    members.forEach(m -> m.commits = 0);
    await(
        "the groups commit",
        () -> members.stream().mapToInt(m -> m.commits).sum() >= 5 * members.size());
    members.forEach(m -> m.stopping = true);
    await("the readers have read all", () -> readers.stream().allMatch(SimReader::isAtEnd));
    await("the replicas are level", this::isLevel);
    checkBytes();
    check(history.records() > 0, null, "nothing was written");
  }

  private MetadataImage newest() {
    MetadataImage newest = MetadataImage.EMPTY;
    for (SimNode n : nodes) {
      if (n.up && n.metadata().offset() > newest.offset()) {
        newest = n.metadata();
      }
    }
    return newest;
  }

  /** All nodes are up, and every partition has a leader and all its replicas in sync. */
  private boolean isWhole() {
    MetadataImage image = newest();
    // What the nodes know may be old for as long as the controller needs to notice a fault.
    boolean known = world.elapsedMs() - lastFaultMs > KNOWN_AFTER_MS;
    if (!known || image.topic(TOPIC) == null || !nodes.stream().allMatch(n -> n.isActive(image))) {
      return false;
    }
    for (TopicImage t : image.topics().all()) {
      for (PartitionImage p : t.partitions().values()) {
        if (!p.hasLeader() || p.isr().size() < NODES) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean isLevel() {
    Map<TopicPartition, Long> ends = new TreeMap<>();
    for (SimNode n : nodes) {
      for (Partition p : n.partitions()) {
        Long end = ends.putIfAbsent(p.name(), p.logEndOffset());
        if (p.highWatermark() != p.logEndOffset() || end != null && end != p.logEndOffset()) {
          return false;
        }
      }
    }
    return true;
  }

  private void checkBytes() {
    for (Partition first : nodes.get(0).partitions()) {
      check(
          first.logEndOffset() == history.size(first.name()),
          nodes.get(0),
          first.name() + " is not what was committed");
      long start = first.logStartOffset();
      for (SimNode n : nodes) {
        start = Math.max(start, n.partition(first.name()).logStartOffset());
      }
      for (SimNode n : nodes) {
        check(
            History.bytes(n.partition(first.name()), start).equals(History.bytes(first, start)),
            n,
            first.name() + " has other bytes than on node 1");
      }
    }
  }

  private String states() {
    StringBuilder s = new StringBuilder();
    MetadataImage image = newest();
    for (TopicImage t : image.topics().all()) {
      t.partitions()
          .forEach((i, p) -> s.append("\n").append(t.name()).append(i).append(" ").append(p));
    }
    for (SimNode n : nodes) {
      s.append("\n").append(n.host()).append(n.up ? " up" : " down");
      for (Partition p : n.partitions()) {
        s.append("\n  ")
            .append(p.name())
            .append(p.isLeader() ? " leads " : " follows " + p.leaderId() + " in ")
            .append(p.leaderEpoch())
            .append(" end ")
            .append(p.logEndOffset())
            .append(" high watermark ")
            .append(p.highWatermark());
      }
    }
    return s.toString();
  }

  // --- what clients tell

  /** Whether somebody who may lead has them all; its leader may be down by now. */
  boolean isInLog(TopicPartition name, List<String> values) {
    if (history.isCommitted(name, values)) {
      return true;
    }
    for (SimNode n : nodes) {
      for (Partition p : n.partitions()) {
        if (p.name().equals(name)
            && History.read(p, p.logStartOffset(), p.logEndOffset()).containsAll(values)) {
          return true;
        }
      }
    }
    return false;
  }

  void producerId(long id, String who) {
    String other = producerIds.putIfAbsent(id, who);
    check(other == null, null, who + " gets the producer id of " + other);
  }

  void committed(String group, int partition, long offset) {
    commits.computeIfAbsent(group, g -> new TreeMap<>()).merge(partition, offset, Math::max);
    trace(group.hashCode() * 31 + partition * 7 + offset);
  }

  Map<Integer, Long> acknowledgedCommits(String group) {
    return new TreeMap<>(commits.getOrDefault(group, Map.of()));
  }

  void check(boolean condition, SimNode n, String what) {
    if (!condition) {
      throw new AssertionError((n == null ? "" : "node " + n.id + ": ") + what);
    }
  }

  /** Where the world is now: a loop of a node, or nowhere. */
  String place() {
    for (SimNode n : nodes) {
      String running = n.running();
      if (running != null) {
        return running;
      }
    }
    return "";
  }

  void trace(String what) {
    trace(what.hashCode());
    log.say("  * " + what);
  }

  private void trace(long what) {
    trace = trace * 31 + world.elapsedMicros() * 131 + what;
  }

  String summary() {
    return history.records()
        + " records, "
        + history.leaderships()
        + " leaderships, "
        + fallen
        + " falls, "
        + powerless
        + " of power, "
        + producers.stream().mapToLong(p -> p.acknowledged).sum()
        + " acknowledged, "
        + forgotten
        + " forgotten, "
        + steps
        + " steps";
  }

  long records() {
    return history.records();
  }

  int leaderships() {
    return history.leaderships();
  }
}
