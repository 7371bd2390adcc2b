package dev.vitrine.compat.sim;

import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.sim.SimNetwork;
import dev.vitrine.sim.SimWorld;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Lets happen to a cluster what its {@link Plan} says, until it is told to end. Whoever fell starts
 * again later. Judges nothing.
 */
final class Faults {
  /** How long the controller may need to notice, and the rest to hear of it. */
  private static final int KNOWN_AFTER_MS = 5_000;

  /** So long after its links are mended a broker may be fenced for its silence before. */
  private static final int FENCED_AFTER_MS = 2_000;

  private static final int MAX_CLOG_MS = 3_000;
  private static final int MAX_SLOW_DISK_MICROS = 200_000;
  private static final int MAX_JUMP_MS = 100_000;

  private final ClusterSim sim;
  private final SimWorld world;
  private final SimNetwork network;
  private final RandomGenerator random;
  private final List<String> hosts = new ArrayList<>();
  private final Map<Fault, Integer> counts = new EnumMap<>(Fault.class);

  /** Those that have fallen, with what they had (false) or without (true), and are not back yet. */
  private final Map<SimNode, Boolean> fallen = new LinkedHashMap<>();

  /** Until when a host may be fenced, or be on its way to it, in milliseconds since the start. */
  private final Map<String, Long> fencedUntil = new TreeMap<>();

  /** Those whose syncs fail. */
  private final Set<SimNode> losing = new HashSet<>();

  private boolean ended;
  private long lastMs;

  Faults(ClusterSim sim) {
    this.sim = sim;
    this.world = sim.world;
    this.network = sim.network;
    this.random = world.random();
  }

  void host(String name) {
    hosts.add(name);
  }

  void begin() {
    world.at(2_000_000, this::act);
  }

  Map<Fault, Integer> counts() {
    return counts;
  }

  /** No more; whoever is down starts, who is about to stop starts then, all links are mended. */
  void end() {
    ended = true;
    lastMs = world.elapsedMs();
    network.mendAll();
    network.slow(0, 1);
    for (SimNode n : sim.nodes) {
      if (n.up && losing.contains(n)) {
        n.kill(true);
      }
      n.repairDisk();
      if (!n.up) {
        n.start();
      }
      n.slowDisk(0);
      n.resume();
    }
  }

  boolean haveEnded() {
    return ended;
  }

  /** What nodes know may be old for as long as the controller needs to notice a fault. */
  private boolean allIsWell() {
    return losing.isEmpty() && world.elapsedMs() - lastMs > KNOWN_AFTER_MS && sim.isWhole();
  }

  private void act() {
    if (ended) {
      return;
    }
    List<Fault> mix = sim.plan.faults;
    Fault f = mix.get(random.nextInt(mix.size()));
    SimNode n = any();
    lastMs = world.elapsedMs();
    if (random.nextInt(4) == 0) {
      sim.say("links mended");
      network.mendAll();
      fencedUntil.replaceAll((host, ms) -> Math.min(ms, lastMs + FENCED_AFTER_MS));
    }
    if (f == Fault.POWER && !sim.plan.elr) {
      // The promise holds where all are in sync and the controller is told before the next fault:
      // Kafka has none when the only one that has a record loses it.
      world.at(50_000, () -> actWhenWhole(() -> cutPower(n), world.elapsedMs() + 10_000));
      return;
    }
    if (perform(f, n)) {
      counts.merge(f, 1, Integer::sum);
    }
    sim.trace(n.id);
    world.at(1000L * random.nextInt(2 * sim.plan.paceMs), this::act);
  }

  private SimNode any() {
    return sim.nodes.get(random.nextInt(sim.nodes.size()));
  }

  /** Returns whether anything was done. */
  private boolean perform(Fault f, SimNode n) {
    switch (f) {
      case KILL -> {
        return kill(n, false);
      }
      case POWER -> {
        return kill(n, true);
      }
      case KILL_ALL -> sim.nodes.forEach(each -> kill(each, false));
      case PAUSE -> {
        int ms = random.nextInt(random.nextBoolean() ? 500 : 6_000);
        sim.say(n.host() + " pauses for " + ms);
        n.pause(ms);
      }
      case STOP -> {
        return stop(n);
      }
      case CUT -> cut(n.host(), other(), true);
      case ONE_WAY_CUT -> {
        String other = other();
        if (random.nextBoolean()) {
          cut(n.host(), other, false);
        } else {
          cut(other, n.host(), false);
        }
      }
      case ISOLATE -> isolate(n);
      case CLOG -> clog(n.host(), other());
      case LOSE -> lose(n.host(), other());
      case BREAK -> network.breakOne();
      case CLOCK -> {
        long ms = random.nextInt(-MAX_JUMP_MS, MAX_JUMP_MS);
        sim.say(n.host() + " has its clock wrong by " + ms);
        n.skewClock(ms);
      }
      case FULL_DISK -> {
        if (!n.up || n.hasBadDisk() || sim.plan.elr && !mayFall(n, false)) {
          return false;
        }
        sim.say(n.host() + " has a full disk");
        n.fillDisk(random.nextInt(5_000));
        int incarnation = n.incarnation;
        world.at(
            1000L * random.nextInt(MAX_CLOG_MS),
            () -> {
              if (n.up && n.incarnation == incarnation && !losing.contains(n)) {
                n.repairDisk();
              }
            });
      }
      case SLOW_DISK -> {
        int micros = random.nextInt(3) == 0 ? 0 : random.nextInt(MAX_SLOW_DISK_MICROS);
        sim.say(n.host() + " needs up to " + micros + " us for its disk");
        n.slowDisk(micros);
      }
      default -> throw new IllegalStateException("" + f);
    }
    return true;
  }

  // --- links

  private String other() {
    return hosts.get(random.nextInt(hosts.size()));
  }

  private void cut(String from, String to, boolean both) {
    if (!from.equals(to)) {
      sim.say("cut " + from + (both ? " <> " : " > ") + to);
      network.cut(from, to);
      fencedUntil.put(from, Long.MAX_VALUE);
      fencedUntil.put(to, Long.MAX_VALUE);
      if (both) {
        network.cut(to, from);
      }
    }
  }

  private void isolate(SimNode n) {
    if (random.nextBoolean()) {
      hosts.forEach(h -> cut(n.host(), h, true));
    } else {
      sim.nodes.forEach(other -> cut(n.host(), other.host(), true));
    }
  }

  private void clog(String from, String to) {
    cut(from, to, random.nextBoolean());
    mendLater(from, to);
  }

  private void lose(String from, String to) {
    if (!from.equals(to)) {
      sim.say(from + " > " + to + " loses bytes");
      network.lose(from, to);
      mendLater(from, to);
    }
  }

  private void mendLater(String from, String to) {
    world.at(
        1000L * random.nextInt(MAX_CLOG_MS),
        () -> {
          network.mend(from, to);
          network.mend(to, from);
        });
  }

  // --- falls

  private boolean kill(SimNode n, boolean power) {
    if (!n.up || losing.contains(n) || sim.plan.elr && !mayFall(n, power)) {
      return false;
    }
    if (power && random.nextInt(3) == 0) {
      failSyncsBefore(n);
      return true;
    }
    fall(n, power);
    return true;
  }

  private void fall(SimNode n, boolean power) {
    sim.say(n.host() + (power ? " loses its power" : " is killed"));
    lastMs = world.elapsedMs();
    losing.remove(n);
    n.kill(power);
    startLater(n);
  }

  /** Its syncs fail; at the latest somewhat later it loses what it could not sync. */
  private void failSyncsBefore(SimNode n) {
    sim.say(n.host() + " cannot sync");
    n.failSyncs();
    losing.add(n);
    int incarnation = n.incarnation;
    world.at(
        1000L * random.nextInt(MAX_CLOG_MS),
        () -> {
          if (n.up && n.incarnation == incarnation) {
            fall(n, true);
          }
        });
  }

  /** By its own decision, because of its disk. */
  void died(SimNode n) {
    if (n.up && n.mayDieOfItsDisk()) {
      sim.say(n.host() + " has ended");
      fall(n, losing.contains(n));
    }
  }

  /**
   * With eligible leader replicas nothing is lost as long as one that has all is left, of each
   * partition: neither without its data, nor taken for it because its process was killed.
   */
  private boolean mayFall(SimNode n, boolean power) {
    boolean powerGone = isPowerGone();
    boolean may = !power && !powerGone || !mayBeReassigning() && isLeftWithout(n);
    if (may) {
      fallen.merge(n, power, Boolean::logicalOr);
    }
    return may;
  }

  /** Whether somebody has lost what was not synced and has not got it back from the others. */
  boolean isPowerGone() {
    fallen.keySet().removeIf(this::isBack);
    return fallen.containsValue(true);
  }

  /**
   * A reassignment, or its end, takes replicas out of the in-sync set: perhaps the very one that
   * was to be left.
   */
  private boolean mayBeReassigning() {
    return world.elapsedMs() - sim.admin.lastReassignedMs() < KNOWN_AFTER_MS + sim.plan.patienceMs
        || partitions().anyMatch(PartitionImage::isReassigning);
  }

  private boolean isBack(SimNode n) {
    MetadataImage image = sim.history.image();
    return !n.hasBadDisk() && n.isActive(image) && partitions().allMatch(p -> isIn(p.isr(), p, n));
  }

  private static boolean isIn(List<Integer> set, PartitionImage p, SimNode n) {
    return set.contains(n.id) || !p.replicas().contains(n.id);
  }

  private boolean isLeftWithout(SimNode n) {
    return partitions()
        .allMatch(
            p ->
                !p.replicas().contains(n.id)
                    || sim.nodes.stream()
                        .filter(other -> other != n && !fallen.containsKey(other))
                        .anyMatch(o -> counts(p, o)));
  }

  /**
   * Who is eligible stays so while it is away. Who is in sync and goes leaves the in-sync set, and
   * is eligible then only if the controller finds too few others in it: those that have fallen are
   * in it until the controller hears of it. Who cannot hear somebody may be fenced already, by a
   * record that is not committed yet.
   */
  private boolean counts(PartitionImage p, SimNode n) {
    boolean mayBeFenced = fencedUntil.getOrDefault(n.host(), 0L) > world.elapsedMs();
    return p.elr().contains(n.id)
        || p.isr().contains(n.id) && n.isActive(sim.history.image()) && !mayBeFenced;
  }

  private Stream<PartitionImage> partitions() {
    List<PartitionImage> all = new ArrayList<>();
    sim.history.image().topics().all().forEach(t -> all.addAll(t.partitions().values()));
    return all.stream();
  }

  private void startLater(SimNode n) {
    int limit = random.nextBoolean() ? 5_000 : 50;
    world.at(
        1000L * random.nextInt(limit),
        () -> {
          if (!n.up) {
            sim.say(n.host() + " starts");
            n.start();
          }
        });
  }

  private boolean stop(SimNode n) {
    if (!n.up || n.stopping || sim.plan.elr && isPowerGone() && !isLeftWithout(n)) {
      return false;
    }
    sim.say(n.host() + " is stopped");
    int incarnation = n.incarnation;
    n.stop(
        () -> {
          if (n.up && n.incarnation == incarnation) {
            sim.say(n.host() + " has stopped");
            if (n.stopsWithoutAnEpoch()) {
              // The controller may have registered it all the same: then this was no clean stop.
              fallen.merge(n, false, Boolean::logicalOr);
            }
            n.kill(losing.remove(n));
            startLater(n);
          }
        });
    return true;
  }

  private void cutPower(SimNode n) {
    if (allIsWell() && kill(n, true)) {
      counts.merge(Fault.POWER, 1, Integer::sum);
      lastMs = world.elapsedMs();
    }
    actWhenWhole(this::act, world.elapsedMs() + 20_000);
  }

  /** Waits for better times: no faults until all is well, or so late. */
  private void actWhenWhole(Runnable next, long untilMs) {
    if (ended) {
      return;
    }
    if (allIsWell() || world.elapsedMs() > untilMs) {
      next.run();
    } else {
      world.at(50_000, () -> actWhenWhole(next, untilMs));
    }
  }
}
