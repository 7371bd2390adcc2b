package dev.vitrine.quorum;

import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.sim.SimNetwork;
import dev.vitrine.sim.SimWorld;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/**
 * A quorum in one simulated world, from one seed: faults and appends for a while, invariants after
 * every step, then no more faults, and it must get on.
 */
final class QuorumSim {
  private static final int SAFETY_MS = Integer.getInteger("simMs", 6_000);
  private static final int LIVENESS_MS = 60_000;

  final SimWorld world;
  final SimNetwork network;
  private final long seed;
  private final List<SimReplica> replicas = new ArrayList<>();
  final SimVoters voters;
  private final int segmentBytes;

  /** Every batch that was ever committed, in order. */
  private final List<CheckedLog.Batch> committed = new ArrayList<>();

  private final List<CommittedBatch> heard = new ArrayList<>();

  /** After each of these batches, by replay. */
  private final List<MetadataImage> images = new ArrayList<>();

  private final long snapshotBytes;
  private final long retentionBytes;
  private final Map<Integer, Integer> leaderOfEpoch = new HashMap<>();
  private final Map<String, Integer> votes = new HashMap<>();
  private long unique;
  private long trace = 17;
  private int elections;
  private int messages;

  /** Requests for a part of a snapshot. */
  int downloads;

  /** Snapshots that took the place of what a listener had heard. */
  int loads;

  /** Of a size, with time-outs and disks as the seed has it. */
  QuorumSim(long seed) {
    this(seed, new SimWorld(seed), seed % 10 == 0 ? 1 : seed % 10 == 5 ? 5 : 3);
  }

  private QuorumSim(long seed, SimWorld world, int voters) {
    this(
        seed,
        world,
        voters,
        world.random().nextInt(3),
        timeouts(world.random()),
        1 << world.random().nextInt(10, 20),
        true);
  }

  /** Quiet, with Kafka's time-outs. */
  QuorumSim(int voters, int observers) {
    this(1, new SimWorld(1), voters, observers, QuorumConfig.Timeouts.DEFAULT, 1 << 20, false);
    faults = false;
  }

  private QuorumSim(
      long seed,
      SimWorld world,
      int voters,
      int observers,
      QuorumConfig.Timeouts timeouts,
      int segmentBytes,
      boolean mayChangeVoters) {
    this.seed = seed;
    this.world = world;
    this.network = new SimNetwork(world);
    boolean snapshots = world.random().nextInt(3) > 0;
    this.snapshotBytes = snapshots ? 1L << world.random().nextInt(7, 12) : Long.MAX_VALUE;
    this.retentionBytes = 1L << world.random().nextInt(7, 13);
    this.segmentBytes = segmentBytes;
    this.voters = new SimVoters(this, world.random(), voters, voters + observers, mayChangeVoters);
    for (int id = 1; id <= voters + observers; id++) {
      replicas.add(new SimReplica(this, id, timeouts));
    }
  }

  /** Short ones for some: more elections, and disks that are slow beside them. */
  private static QuorumConfig.Timeouts timeouts(RandomGenerator random) {
    int t = random.nextBoolean() ? 1000 : 150;
    int bytes = 1 << random.nextInt(7, 20);
    return new QuorumConfig.Timeouts(t, 2 * t, t, 2 * t, 20, t / 2, bytes, bytes);
  }

  SimReplica replica(int id) {
    return replicas.get(id - 1);
  }

  /** Whoever says that it leads and is up, or null. */
  SimReplica leader() {
    for (SimReplica r : replicas) {
      if (r.up && r.driver.leaderAndEpoch().isLeader(r.id)) {
        return r;
      }
    }
    return null;
  }

  /** Runs, checked, for so long. */
  void runFor(long ms) {
    long until = world.elapsedMs() + ms;
    while (world.elapsedMs() < until) {
      world.step();
      checkAll();
    }
  }

  /** Runs, checked, until the condition holds; fails if that takes longer. */
  long await(String what, BooleanSupplier condition, long limitMs) {
    long before = world.elapsedMs();
    boolean done =
        world.runUntil(
            () -> {
              checkAll();
              return condition.getAsBoolean();
            },
            limitMs);
    check(done, null, "never: " + what + states());
    return world.elapsedMs() - before;
  }

  /** Runs it; what fails says with which seed. */
  long run() {
    try {
      network.latency(50, world.random().nextInt(500, 5_000));
      network.slow(world.random().nextInt(30), 200_000);
      replicas.forEach(SimReplica::start);
      world.at(0, this::act);
      runFor(SAFETY_MS);
      live();
      return trace;
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(
          "seed "
              + seed
              + " at "
              + world.elapsedMs()
              + " ms: "
              + e.getMessage()
              + "; again with -Dtest=QuorumSimulationTest -Dseed="
              + seed
              + ", which logs what it does",
          e);
    }
  }

  // --- what happens ---

  private boolean faults = true;

  private void act() {
    RandomGenerator random = world.random();
    if (!faults) {
      return;
    }
    SimReplica r = replicas.get(random.nextInt(replicas.size()));
    SimReplica other = replicas.get(random.nextInt(replicas.size()));
    switch (random.nextInt(31)) {
      case 0, 1 -> crash(r, true);
      case 2 -> crash(r, false);
      case 3 -> {
        if (r.up) {
          r.shard.pause(random.nextInt(4_000));
        }
      }
      case 4, 5 -> network.cut(r.host(), other.host());
      case 6 -> replicas.forEach(o -> cutBoth(r, o));
      case 7, 8 -> network.mendAll();
      case 9 -> network.breakOne();
      case 10 -> {
        if (r.up) {
          r.shard.run(() -> r.driver.resign(r.driver.leaderAndEpoch().epoch()));
        }
      }
      case 11 -> stopCleanly(r);
      case 12 -> {
        for (SimReplica each : replicas) {
          if (random.nextBoolean()) {
            crash(each, random.nextBoolean());
          }
        }
      }
      case 13, 14, 15, 16, 20, 21 -> voters.act();
      case 17 -> wipe(r);
      case 18 -> r.shard.skewClock(random.nextInt(-5_000, 5_000));
      case 19 -> r.failSyncs();
      default -> {
        for (SimReplica each : replicas) {
          if (each.up) {
            each.append();
          }
        }
      }
    }
    world.at(random.nextInt(120_000), this::act);
  }

  private void cutBoth(SimReplica a, SimReplica b) {
    if (a != b) {
      network.cut(a.host(), b.host());
      network.cut(b.host(), a.host());
    }
  }

  private void crash(SimReplica r, boolean powerCut) {
    if (r.up) {
      r.crash(powerCut);
      startLater(r);
    }
  }

  private void wipe(SimReplica r) {
    if (!r.up && voters.mayBeWiped(r, replicas)) {
      r.wipe();
    }
  }

  /** Where it hurts: just after something has left the node, and perhaps back at once. */
  void maybeCrashSoon(SimReplica r) {
    if (faults && world.random().nextInt(400) == 0) {
      world.at(world.random().nextInt(3_000), () -> crash(r, true));
    }
  }

  /** After a failed sync nobody knows what is on the disk. */
  void crashNow(SimReplica r) {
    world.at(0, () -> crash(r, true));
  }

  private void startLater(SimReplica r) {
    int limit = world.random().nextBoolean() ? 2_000 : 20;
    world.at(
        1000L * world.random().nextInt(limit),
        () -> {
          if (!r.up) {
            r.start();
          }
        });
  }

  private void stopCleanly(SimReplica r) {
    if (r.up && !r.stopping) {
      r.stopping = true;
      QuorumDriver d = r.driver;
      r.shard.run(
          () ->
              d.shutdown(
                  3_000,
                  () -> {
                    if (r.up && r.driver == d) {
                      r.crash(false);
                      startLater(r);
                    }
                  }));
    }
  }

  /** No more faults: a leader comes, and what it appends is committed everywhere. */
  private void live() {
    faults = false;
    network.mendAll();
    network.slow(0, 1);
    for (SimReplica r : replicas) {
      if (r.up && (r.stopping || r.syncsFail())) {
        r.crash(false);
      }
      if (!r.up) {
        r.start();
      }
      r.shard.resume();
    }
    long before = unique;
    long[] target = {Long.MAX_VALUE, -1};
    boolean done =
        world.runUntil(
            () -> {
              checkAll();
              for (SimReplica r : replicas) {
                // Again for each new leader: what the one before appended may be lost.
                int epoch = r.driver.leaderAndEpoch().epoch();
                if (epoch > target[1] && r.append()) {
                  target[0] = r.log.endOffset();
                  target[1] = epoch;
                }
              }
              return replicas.stream().allMatch(r -> r.heard >= target[0]);
            },
            LIVENESS_MS);
    check(done && unique > before, null, "does not get on without faults: " + states());
    for (SimReplica r : replicas) {
      check(r.image().equals(imageAt(r.heard)), r, "has another image than by replay");
    }
  }

  private String states() {
    StringBuilder s = new StringBuilder();
    for (SimReplica r : replicas) {
      s.append('\n')
          .append(r.id)
          .append(r.up ? " up " : " down ")
          .append(r.driver.leaderAndEpoch())
          .append(" end ")
          .append(r.log.endOffset())
          .append(" durable ")
          .append(r.log.durable)
          .append(" high watermark ")
          .append(r.driver.highWatermark());
    }
    return s.toString();
  }

  // --- invariants ---

  private void checkAll() {
    for (SimReplica r : replicas) {
      if (r.up) {
        checkOne(r);
      }
    }
  }

  private void checkOne(SimReplica r) {
    LeaderAndEpoch l = r.driver.leaderAndEpoch();
    if (l.isLeader(r.id)) {
      Integer known = leaderOfEpoch.putIfAbsent(l.epoch(), r.id);
      if (known == null) {
        elections++;
        checkCompleteness(r, l.epoch());
      }
      check(
          known == null || known == r.id, r, "leads epoch " + l.epoch() + " as " + known + " did");
    }
    voters.check(r, committedEnd());
    check(l.epoch() >= r.seenEpoch, r, "went back from epoch " + r.seenEpoch);
    r.seenEpoch = l.epoch();
    long hw = r.driver.highWatermark();
    if (hw != r.lastHighWatermark) {
      check(hw > r.lastHighWatermark, r, "high watermark back from " + r.lastHighWatermark);
      checkCommitted(r, r.lastHighWatermark, hw);
      r.lastHighWatermark = hw;
    }
  }

  /** A new leader has everything that was ever committed in the epochs before. */
  private void checkCompleteness(SimReplica r, int epoch) {
    int n = committed.size();
    while (n > 0 && committed.get(n - 1).epoch() >= epoch) {
      n--; // it was elected long ago, and only the last vote came late
    }
    check(
        r.log.batches.size() >= n && r.log.batches.subList(0, n).equals(committed.subList(0, n)),
        r,
        "leads epoch " + epoch + " without all that is committed");
  }

  /** What became known to be committed is the same everywhere and durable at a majority. */
  private void checkCommitted(SimReplica r, long from, long to) {
    check(to <= r.log.endOffset(), r, "high watermark " + to + " above its log");
    for (int i = indexOf(r, Math.max(0, from)); i < r.log.batches.size(); i++) {
      CheckedLog.Batch b = r.log.batches.get(i);
      if (b.lastOffset() >= to) {
        break;
      }
      if (i < committed.size()) {
        check(committed.get(i).equals(b), r, "commits " + b + ", not " + committed.get(i));
      } else {
        LeaderAndEpoch l = r.driver.leaderAndEpoch();
        // One that has removed itself resigns in the same step.
        boolean led = Integer.valueOf(r.id).equals(leaderOfEpoch.get(l.epoch()));
        check(led, r, "commits what no leader has: " + b);
        long last = r.log.batches.get(indexOf(r, to) - 1).epoch();
        check(last == l.epoch(), r, "commits up to " + to + " without a record of its own epoch");
        long holders = 0;
        VoterSet set = voters.of(r);
        for (SimReplica v : replicas) {
          if (set.contains(new ReplicaKey(v.id, v.directory))
              && v.log.durable > b.lastOffset()
              && v.log.batches.size() > i
              && v.log.batches.get(i).equals(b)) {
            holders++;
          }
        }
        check(
            holders >= set.majority(),
            r,
            "commits " + b + ", durable at " + holders + " of " + set.keys());
        committed.add(b);
      }
    }
  }

  private static int indexOf(SimReplica r, long offset) {
    List<CheckedLog.Batch> batches = r.log.batches;
    int i = batches.size();
    while (i > 0 && batches.get(i - 1).lastOffset() >= offset) {
      i--;
    }
    return i;
  }

  long committedEnd() {
    return committed.isEmpty() ? 0 : committed.get(committed.size() - 1).lastOffset() + 1;
  }

  /** The end of what was committed in earlier epochs. */
  long committedEndBefore(int epoch) {
    for (int i = committed.size() - 1; i >= 0; i--) {
      if (committed.get(i).epoch() < epoch) {
        return committed.get(i).lastOffset() + 1;
      }
    }
    return 0;
  }

  void voted(ReplicaKey voter, int epoch, int candidate) {
    Integer before = votes.putIfAbsent(epoch + " " + voter, candidate);
    check(
        before == null || before == candidate,
        null,
        voter + " votes for " + candidate + " and " + before + " in epoch " + epoch);
  }

  /** All listeners hear the same batches. */
  void heard(SimReplica r, CommittedBatch b) {
    int i = indexOfHeard(b.baseOffset());
    if (i == heard.size()) {
      heard.add(b);
      images.add(r.image());
    } else {
      check(heard.get(i).equals(b), r, "hears " + b + " instead of " + heard.get(i));
    }
  }

  MetadataImage imageAt(long offset) {
    int i = indexOfHeard(offset) - 1;
    check(i >= 0 && heard.get(i).lastOffset() == offset - 1, null, "nobody heard up to " + offset);
    return images.get(i);
  }

  /** What a snapshot that ends at this offset must stand for. */
  List<CheckedLog.Batch> committedBelow(long offset) {
    int n = 0;
    while (n < committed.size() && committed.get(n).lastOffset() < offset) {
      n++;
    }
    long end = n == 0 ? 0 : committed.get(n - 1).lastOffset() + 1;
    check(end == offset, null, "a snapshot ends at " + offset + ", what is committed at " + end);
    return committed.subList(0, n);
  }

  private int indexOfHeard(long offset) {
    int low = 0;
    int high = heard.size();
    while (low < high) {
      int mid = (low + high) >>> 1;
      if (heard.get(mid).baseOffset() < offset) {
        low = mid + 1;
      } else {
        high = mid;
      }
    }
    return low;
  }

  void check(boolean condition, SimReplica r, String what) {
    if (!condition) {
      throw new AssertionError((r == null ? "" : "node " + r.id + " ") + what);
    }
  }

  void trace(int from, int to, int what) {
    messages++;
    trace = trace * 31 + world.elapsedMicros() * 131 + from * 17L + to * 7L + what;
  }

  long nextUnique() {
    return unique++;
  }

  int elections() {
    return elections;
  }

  int messages() {
    return messages;
  }

  int commits() {
    return committed.size();
  }

  long snapshotBytes() {
    return snapshotBytes;
  }

  long retentionBytes() {
    return retentionBytes;
  }

  int segmentBytes() {
    return segmentBytes;
  }
}
