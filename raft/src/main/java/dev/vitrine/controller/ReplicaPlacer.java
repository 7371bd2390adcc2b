package dev.vitrine.controller;

import dev.vitrine.metadata.BrokerRegistration;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.Errors;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * Spreads the replicas of new partitions: leaders go round all brokers, the replicas of a partition
 * sit in different racks as far as there are racks, and the start is left to chance so that topics
 * of one partition do not pile up. A fenced broker gets a replica only when there are too few
 * others, and never leads. Made for one topic, used once, on the quorum loop.
 */
final class ReplicaPlacer {
  private final List<Rack> racks = new ArrayList<>();
  private final RandomGenerator random;
  private final int all;
  private final int unfenced;
  private int round;
  private int start;

  ReplicaPlacer(MetadataImage image, RandomGenerator random) {
    this.random = random;
    TreeMap<String, Rack> byName = new TreeMap<>();
    int brokers = 0;
    int live = 0;
    for (BrokerRegistration b : image.cluster().brokers().values()) {
      if (isLeaving(b) || isCordoned(b)) {
        continue;
      }
      Rack rack = byName.computeIfAbsent(b.rack() == null ? "" : b.rack(), k -> new Rack());
      (b.fenced() ? rack.fenced : rack.live).members.add(b.id());
      brokers++;
      live += b.fenced() ? 0 : 1;
    }
    racks.addAll(byName.values());
    all = brokers;
    unfenced = live;
    startAnywhere();
  }

  /** Once it has left it is as any other that is fenced. */
  private static boolean isLeaving(BrokerRegistration b) {
    return b.inControlledShutdown() && !b.fenced();
  }

  private static boolean isCordoned(BrokerRegistration b) {
    return b.cordonedLogDirs() != null
        && !b.logDirs().isEmpty()
        && b.cordonedLogDirs().containsAll(b.logDirs());
  }

  /**
   * The replicas of as many partitions, each list with its leader-to-be in front.
   *
   * @throws ControllerException INVALID_REPLICATION_FACTOR if there are too few brokers
   */
  List<List<Integer>> place(int partitions, int replicationFactor) {
    if (replicationFactor > all) {
      throw refused(
          replicationFactor,
          "The target replication factor of "
              + replicationFactor
              + " cannot be reached because only "
              + all
              + " broker(s) are registered or some brokers have all their log directories"
              + " cordoned.");
    }
    if (unfenced == 0) {
      throw refused(replicationFactor, "All brokers are currently fenced.");
    }
    List<List<Integer>> placements = new ArrayList<>();
    for (int i = 0; i < partitions; i++) {
      placements.add(placeOne(replicationFactor));
    }
    return placements;
  }

  static ControllerException refused(int replicationFactor, String why) {
    return new ControllerException(
        Errors.INVALID_REPLICATION_FACTOR,
        "Unable to replicate the partition " + replicationFactor + " time(s): " + why);
  }

  private List<Integer> placeOne(int replicationFactor) {
    // After a full circle every live broker has led once: go on from elsewhere, or the same sets
    // of replicas would come again and again.
    if (round == unfenced) {
      round = 0;
      startAnywhere();
    }
    racks.forEach(Rack::nextPartition);
    List<Integer> replicas = new ArrayList<>();
    int at = start;
    while (replicas.isEmpty()) {
      add(replicas, racks.get(at++ % racks.size()).live.next());
    }
    while (replicas.size() < replicationFactor) {
      Rack rack = racks.get(at++ % racks.size());
      int live = rack.live.next();
      add(replicas, live >= 0 ? live : rack.fenced.next());
    }
    round++;
    start = (start + 1) % racks.size();
    return replicas;
  }

  private static void add(List<Integer> replicas, int broker) {
    if (broker >= 0) {
      replicas.add(broker);
    }
  }

  private void startAnywhere() {
    if (racks.isEmpty()) {
      return;
    }
    start = random.nextInt(racks.size());
    for (Rack rack : racks) {
      rack.live.shuffle(random);
      rack.fenced.shuffle(random);
    }
  }

  private static final class Rack {
    final Ring live = new Ring();
    final Ring fenced = new Ring();

    void nextPartition() {
      live.taken = 0;
      fenced.taken = 0;
      live.offset++;
      fenced.offset++;
    }
  }

  /** Brokers in a circle; each partition begins one further. */
  private static final class Ring {
    final List<Integer> members = new ArrayList<>();
    int offset;
    int taken;

    /** A broker that this partition does not have yet, or -1. */
    int next() {
      return taken == members.size() ? -1 : members.get((offset + taken++) % members.size());
    }

    void shuffle(RandomGenerator random) {
      for (int i = members.size() - 1; i > 0; i--) {
        Collections.swap(members, i, random.nextInt(i + 1));
      }
      offset = 0;
    }
  }
}
