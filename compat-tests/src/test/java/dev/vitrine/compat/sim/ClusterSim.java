package dev.vitrine.compat.sim;

import dev.vitrine.broker.partition.Partition;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.sim.SimNetwork;
import dev.vitrine.sim.SimShard;
import dev.vitrine.sim.SimWorld;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/**
 * Whole nodes and their clients in one simulated world, from one seed, as its {@link Plan} has it:
 * {@link Faults} for a while, held against {@link History} after every step; then no more faults,
 * and all must come to the {@link Ending}.
 */
final class ClusterSim {
  static final String CLUSTER_ID = "SimulatedClusterXXXXXX";

  /** There from the start, and never deleted. */
  static final String TOPIC = "t";

  /** With those that come and go. */
  static final List<String> TOPICS = List.of(TOPIC, "u", "v");

  static final String OFFSETS = "__consumer_offsets";
  static final int OFFSETS_PARTITIONS = 2;
  private static final int LIVENESS_MS = 120_000;

  final Plan plan;
  final SimWorld world;
  final SimNetwork network;
  final History history;
  final Faults faults;
  final List<SimNode> nodes = new ArrayList<>();
  final List<SimNode> brokers = new ArrayList<>();
  final SimAdmin admin;
  final List<SimProducer> producers = new ArrayList<>();
  final List<SimPlainProducer> plainProducers = new ArrayList<>();
  final List<SimReader> readers = new ArrayList<>();
  final List<SimMember> members = new ArrayList<>();
  private final long seed;
  private final LogLines log;
  private final Map<SimShard, SimNode> owners = new HashMap<>();
  private final Map<Long, String> producerIds = new HashMap<>();
  private final Map<String, Map<Integer, Long>> commits = new TreeMap<>();
  private final Map<Uuid, Integer> births = new HashMap<>();
  private final Map<String, Integer> lives = new HashMap<>();

  private long steps;
  private long trace = 17;

  ClusterSim(long seed, boolean print) {
    this.seed = seed;
    this.world = new SimWorld(seed);
    this.network = new SimNetwork(world);
    this.plan = new Plan(world.random());
    this.history = new History(this);
    this.faults = new Faults(this);
    this.log = LogLines.of(this, print);
    say(plan.toString());
    for (Plan.Machine m : plan.machines) {
      SimNode n = new SimNode(this, m, plan.propertiesOf(m));
      nodes.add(n);
      if (m.broker()) {
        brokers.add(n);
      }
      faults.host(n.host());
    }
    this.admin = add(new SimAdmin(this, "admin"));
    for (int i = 0; i < plan.producers; i++) {
      producers.add(add(new SimProducer(this, "prod" + i)));
    }
    for (int i = 0; i < plan.plainProducers; i++) {
      plainProducers.add(add(new SimPlainProducer(this, "plain" + i)));
    }
    for (int i = 0; i < plan.readers; i++) {
      readers.add(add(new SimReader(this, "cons" + i)));
    }
    for (int i = 0; i < plan.members; i++) {
      members.add(add(new SimMember(this, "memb" + i, "group" + i % 2)));
    }
  }

  private <T extends SimClient> T add(T client) {
    faults.host(client.name);
    client.start();
    return client;
  }

  void loopsOf(SimNode n, List<SimShard> shards, SimShard quorumLoop) {
    owners.values().removeIf(owner -> owner == n);
    shards.forEach(s -> owners.put(s, n));
    owners.put(quorumLoop, n);
  }

  SimNode node(int id) {
    for (SimNode n : nodes) {
      if (n.id == id) {
        return n;
      }
    }
    throw new IllegalArgumentException("no node " + id);
  }

  /** Runs it; what fails says with which seed. Returns a hash of all that happened. */
  long run() {
    try {
      network.latency(50, world.random().nextInt(500, 5_000));
      network.slow(world.random().nextInt(30), 200_000);
      nodes.forEach(SimNode::start);
      faults.begin();
      long until = world.elapsedMs() + plan.safetyMs;
      while (world.elapsedMs() < until) {
        step();
      }
      say("no more faults");
      faults.end();
      new Ending(this).reach();
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
              + ", which logs what it does",
          e);
    } finally {
      log.end();
    }
  }

  private void step() {
    try {
      world.step();
    } catch (UncheckedIOException e) {
      // As with a loop's other tasks that fail: said, and that is all.
      if (!isOnBadDisk()) {
        throw e;
      }
    }
    steps++;
    SimNode n = lastRun();
    if (n != null && n.up) {
      history.look(n);
      MetadataImage image = n.metadata();
      if (image.offset() > history.image().offset()) {
        for (TopicImage t : image.topics().all()) {
          if (!births.containsKey(t.id())) {
            births.put(t.id(), births.size());
            lives.merge(t.name(), 1, Integer::sum);
          }
        }
        history.published(image);
      }
    }
    if (log.error() != null) {
      throw new AssertionError(log.error());
    }
  }

  private SimNode lastRun() {
    return world.last() == null ? null : owners.get(world.last());
  }

  /** Whether what runs now, or ran last, may complain about its disk. */
  boolean isOnBadDisk() {
    SimNode n = lastRun();
    return n != null && n.mayDieOfItsDisk();
  }

  void await(String what, BooleanSupplier condition) {
    long until = world.elapsedMs() + LIVENESS_MS;
    while (!condition.getAsBoolean()) {
      if (world.elapsedMs() >= until) {
        throw new AssertionError("never: " + what + states());
      }
      for (int i = 0; i < 16; i++) {
        step();
      }
    }
    say(what);
  }

  boolean isHealed() {
    return faults.haveEnded();
  }

  /** All nodes are up, and every partition has a leader and all its replicas in sync. */
  boolean isWhole() {
    MetadataImage image = history.image();
    if (image.topic(TOPIC) == null || !nodes.stream().allMatch(n -> n.isActive(image))) {
      return false;
    }
    for (TopicImage t : image.topics().all()) {
      for (PartitionImage p : t.partitions().values()) {
        if (!p.hasLeader()
            || p.isr().size() < p.replicas().size()
            || !p.addingReplicas().isEmpty()
            || !p.removingReplicas().isEmpty()) {
          return false;
        }
      }
    }
    return true;
  }

  // --- what clients ask and tell

  /** Whether records go, because they are old or because somebody deletes them. */
  boolean recordsMayGo() {
    return plan.retention || plan.chores.contains(Plan.Chore.DELETE_RECORDS);
  }

  /** Of two topics of one name: which came later. */
  boolean bornLater(Uuid id, Uuid than) {
    return births.getOrDefault(id, -1) > births.getOrDefault(than, -1);
  }

  /** No other topic has ever had this one's name. */
  boolean isTheOnlyOne(PartitionId id) {
    TopicImage t = history.image().topic(id.topic());
    return t != null && lives.get(t.name()) == 1;
  }

  /** Those that clients write to. */
  List<PartitionId> partitionsThatExist() {
    List<PartitionId> all = new ArrayList<>();
    for (String name : TOPICS) {
      TopicImage t = history.image().topic(name);
      if (t != null) {
        t.partitions().keySet().forEach(i -> all.add(new PartitionId(t.id(), i)));
      }
    }
    return all;
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

  /** The node of the latest leader of this group's partition, or -1. */
  int coordinator(String group) {
    TopicImage t = history.image().topic(OFFSETS);
    int index = (group.hashCode() & 0x7fffffff) % OFFSETS_PARTITIONS;
    return t == null ? -1 : history.leader(new PartitionId(t.id(), index));
  }

  // --- what is said

  void check(boolean condition, SimNode n, String what) {
    if (!condition) {
      throw new AssertionError((n == null ? "" : "node " + n.id + ": ") + what);
    }
  }

  private String states() {
    StringBuilder s = new StringBuilder();
    for (TopicImage t : history.image().topics().all()) {
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

  void say(String what) {
    if (log.prints()) {
      log.say("--- " + what);
    }
  }

  void trace(String what) {
    trace(what.hashCode());
    if (log.prints()) {
      log.say("  * " + what);
    }
  }

  void trace(long what) {
    trace = trace * 31 + world.elapsedMicros() * 131 + what;
  }

  long acknowledged() {
    return producers.stream().mapToLong(p -> p.acknowledged).sum();
  }

  long steps() {
    return steps;
  }
}
