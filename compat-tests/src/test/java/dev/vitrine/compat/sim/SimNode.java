package dev.vitrine.compat.sim;

import dev.vitrine.broker.Inside;
import dev.vitrine.broker.Node;
import dev.vitrine.broker.NodeServices;
import dev.vitrine.broker.partition.Partition;
import dev.vitrine.config.KafkaConfig;
import dev.vitrine.metadata.BrokerRegistration;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.sim.SimDisk;
import dev.vitrine.sim.SimShard;
import dev.vitrine.storage.LogDirectory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A simulated machine with the shipped {@link Node} on it, through its incarnations. Knows how to
 * start and to die; judges nothing.
 */
final class SimNode {
  static final Path DATA = Path.of("/data");
  private static final int PORT = 9092;

  /** How far a replica of this incarnation was when it was last looked at. */
  static final class Seen {
    final Partition partition;
    long highWatermark;
    long logEnd;
    int leaderEpoch = -1;
    int inSync = -1;
    int minInSync;
    List<Integer> proposed;

    Seen(Partition partition) {
      this.partition = partition;
    }
  }

  final int id;
  final SimDisk disk;
  private final ClusterSim sim;
  private final KafkaConfig config;
  final boolean isBroker;
  private final int shardCount;
  private long clockSkewMs;
  private int slowDiskMicros;
  private boolean hasBadDisk;
  private final List<SimShard> shards = new ArrayList<>();
  private SimShard quorumLoop;
  private Node node;
  boolean up;
  boolean stopping;
  int incarnation;
  final Map<PartitionId, Seen> seen = new LinkedHashMap<>();

  SimNode(ClusterSim sim, Plan.Machine machine, Map<String, String> properties) {
    this.sim = sim;
    this.id = machine.id();
    this.isBroker = machine.broker();
    this.shardCount = machine.shards();
    this.config = KafkaConfig.parse(properties);
    this.disk = sim.world.newDisk();
    Inside.format(disk, sim.world.random(), sim.world.now(), config, ClusterSim.CLUSTER_ID);
    disk.syncDirectory(Path.of("/"));
  }

  String host() {
    return "n" + id;
  }

  Endpoint endpoint() {
    return new Endpoint(host(), PORT);
  }

  void start() {
    incarnation++;
    up = true;
    stopping = false;
    seen.clear();
    shards.clear();
    for (int i = 0; i < shardCount; i++) {
      shards.add(sim.world.newShard(host() + "-" + i));
    }
    quorumLoop = sim.world.newShard(host() + "-q");
    sim.loopsOf(this, shards, quorumLoop);
    skewClock(clockSkewMs);
    slowDisk(slowDiskMicros);
    quorumLoop.run(
        () -> {
          List<LogDirectory> directories = Inside.open(disk, config);
          node =
              new Node(
                  new NodeServices(
                      config,
                      ClusterSim.CLUSTER_ID,
                      disk,
                      sim.network.host(host()),
                      List.copyOf(shards),
                      quorumLoop,
                      directories,
                      host()),
                  why -> {
                    if (!mayDieOfItsDisk()) {
                      throw new AssertionError("node " + id + " died", why);
                    }
                    sim.world.at(0, () -> sim.faults.died(this));
                  });
          node.start();
        });
  }

  /** The process dies; with the power, what was not synced goes too. */
  void kill(boolean powerCut) {
    repairDisk();
    up = false;
    node = null;
    shards.forEach(SimShard::kill);
    quorumLoop.kill();
    sim.network.kill(host());
    if (powerCut) {
      disk.crash(sim.world.random());
    } else {
      disk.killProcess();
    }
  }

  void pause(long ms) {
    shards.forEach(s -> s.pause(ms));
    quorumLoop.pause(ms);
  }

  void skewClock(long ms) {
    clockSkewMs = ms;
    shards.forEach(s -> s.skewClock(ms));
    quorumLoop.skewClock(ms);
  }

  /** Writes beyond so many more bytes fail, until it is repaired or started anew. */
  void fillDisk(long room) {
    hasBadDisk = true;
    disk.capacity(disk.used() + room);
  }

  /** Nothing more becomes durable: it must lose its power before it is used again. */
  void failSyncs() {
    hasBadDisk = true;
    disk.failSyncs(path -> true);
  }

  void repairDisk() {
    hasBadDisk = false;
    disk.capacity(Long.MAX_VALUE);
    disk.failSyncs(path -> false);
  }

  boolean hasBadDisk() {
    return hasBadDisk;
  }

  /** A process whose write has failed may hear of it only when the disk is whole again. */
  boolean mayDieOfItsDisk() {
    return hasBadDisk || disk.hasRefused();
  }

  void slowDisk(int maxMicros) {
    slowDiskMicros = maxMicros;
    shards.forEach(s -> s.slowWork(maxMicros));
    quorumLoop.slowWork(maxMicros);
  }

  void resume() {
    shards.forEach(SimShard::resume);
    quorumLoop.resume();
  }

  void stop(Runnable done) {
    stopping = true;
    Node n = node;
    quorumLoop.run(() -> n.stop(done));
  }

  List<Partition> partitions() {
    return up ? Inside.partitions(node) : List.of();
  }

  /** The replica here, as of the last look at it; null if there is none. */
  Partition partition(PartitionId id) {
    Seen s = up ? seen.get(id) : null;
    return s == null ? null : s.partition;
  }

  MetadataImage metadata() {
    return Inside.metadata(node);
  }

  /** Whether the cluster, as this metadata has it, counts on this very incarnation. */
  boolean isActive(MetadataImage image) {
    if (!isBroker) {
      return up && !stopping;
    }
    BrokerRegistration b = image.broker(id);
    return up && !stopping && b != null && b.isActive() && b.epoch() == Inside.brokerEpoch(node);
  }

  /** A broker's process that has never heard that it is registered. */
  boolean stopsWithoutAnEpoch() {
    return isBroker && Inside.brokerEpoch(node) < 0;
  }

  /** Which of this node's loops runs now, or null. */
  String running() {
    for (SimShard s : shards) {
      if (s.isCurrent()) {
        return s.toString();
      }
    }
    return quorumLoop != null && quorumLoop.isCurrent() ? quorumLoop.toString() : null;
  }
}
