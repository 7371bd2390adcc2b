package dev.vitrine.quorum;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.FeatureLevelRecord;
import dev.vitrine.protocol.message.TopicRecord;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.sim.SimDisk;
import dev.vitrine.sim.SimNetwork;
import dev.vitrine.sim.SimShard;
import dev.vitrine.sim.SimWorld;
import dev.vitrine.storage.LogConfig;
import dev.vitrine.storage.LogDirectory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The driver as its users see it, in quiet simulated worlds. */
class QuorumDriverTest {
  private static final Path ROOT = Path.of("/data");

  private final SimWorld world = new SimWorld(1);
  private final SimDisk disk = world.newDisk();
  private SimShard shard;
  private QuorumDriver driver;
  private Consumer<Throwable> onFatal =
      e -> {
        throw new AssertionError(e);
      };

  /** Writes down what it hears. */
  private static class Heard implements RaftListener {
    final List<String> calls = new ArrayList<>();
    LeaderAndEpoch leader = LeaderAndEpoch.UNKNOWN;

    @Override
    public void handleCommit(List<CommittedBatch> batches) {
      for (CommittedBatch b : batches) {
        calls.add(b.baseOffset() + "-" + b.lastOffset() + ":" + b.records().size());
      }
    }

    @Override
    public void handleLoadSnapshot(Snapshot s) {
      calls.add("snapshot " + s.id().offset() + ":" + s.records().size());
    }

    @Override
    public void handleLeaderChange(LeaderAndEpoch l) {
      leader = l;
      calls.add("leader " + l.leaderId() + " epoch " + l.epoch());
    }

    @Override
    public void beginShutdown() {
      calls.add("shutdown");
    }
  }

  private void openSingle() {
    shard = world.newShard("n1");
    VoterSet voters =
        new VoterSet(List.of(VoterSet.Voter.fixed(1, "CONTROLLER", new Endpoint("n1", 9093))));
    QuorumConfig config =
        new QuorumConfig(
            1, new Uuid(1, 1), "c", voters, "CONTROLLER", QuorumConfig.Timeouts.DEFAULT);
    RpcQuorumTransport transport =
        new RpcQuorumTransport(shard, new SimNetwork(world).host("n1"), config);
    shard.run(
        () ->
            driver =
                QuorumDriver.open(
                    config,
                    new QuorumDriver.Setup(
                        shard,
                        disk,
                        LogDirectory.open(disk, ROOT),
                        LogConfig.DEFAULT,
                        transport,
                        onFatal)));
  }

  private Heard register() {
    Heard h = new Heard();
    shard.run(() -> driver.register(h));
    return h;
  }

  private static List<ApiMessageAndVersion> topics(int n) {
    List<ApiMessageAndVersion> out = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      out.add(new ApiMessageAndVersion(new TopicRecord().name("t" + i), (short) 0));
    }
    return out;
  }

  @Test
  void aListenerHearsSnapshotLogAndLeadership() {
    Path dir = ROOT.resolve("__cluster_metadata-0");
    disk.createDirectories(dir);
    List<ApiMessageAndVersion> features =
        List.of(
            new ApiMessageAndVersion(
                new FeatureLevelRecord().name("metadata.version").featureLevel((short) 33),
                (short) 0));
    SnapshotWriter.write(disk, dir, new Snapshot(OffsetAndEpoch.BOOTSTRAP, 0, features), 1);
    openSingle();
    Heard h = register();
    assertTrue(world.runUntil(() -> h.leader.isLeader(1), 1_000));
    assertEquals(
        List.of("snapshot 0:1", "leader -1 epoch 1", "0-0:0", "leader 1 epoch 1"), h.calls);
    h.calls.clear();
    shard.run(
        () -> {
          assertEquals(3, driver.append(1, topics(3)));
          assertEquals(4, driver.append(1, topics(1)));
        });
    assertTrue(world.runUntil(() -> driver.highWatermark() == 5, 1_000));
    world.runFor(10);
    assertEquals(List.of("1-3:3", "4-4:1"), h.calls);

    Heard late = register();
    world.runFor(10);
    assertEquals(
        List.of("snapshot 0:1", "0-0:0", "1-3:3", "4-4:1", "leader 1 epoch 1"), late.calls);

    boolean[] closed = {false};
    shard.run(() -> driver.shutdown(1_000, () -> closed[0] = true));
    assertTrue(world.runUntil(() -> closed[0], 100));
    assertEquals("shutdown", h.calls.get(h.calls.size() - 1));
    shard.kill();
    disk.killProcess();

    openSingle();
    Heard again = register();
    assertTrue(world.runUntil(() -> again.leader.isLeader(1), 1_000));
    assertEquals(new LeaderAndEpoch(1, 2), again.leader);
    again.calls.removeIf(c -> c.startsWith("leader"));
    assertEquals(List.of("snapshot 0:1", "0-0:0", "1-3:3", "4-4:1", "5-5:0"), again.calls);
  }

  @Test
  void aStopEndsOnAFullDiskToo() {
    openSingle();
    Heard h = register();
    assertTrue(world.runUntil(() -> h.leader.isLeader(1), 1_000));
    shard.run(() -> driver.append(1, topics(1)));
    assertTrue(world.runUntil(() -> driver.highWatermark() == 2, 1_000));
    disk.capacity(disk.used());
    boolean[] closed = {false};
    shard.run(() -> driver.shutdown(1_000, () -> closed[0] = true));
    assertTrue(world.runUntil(() -> closed[0], 5_000));
  }

  @Test
  void whatIsFatalDuringAStopIsSaid() {
    openSingle();
    Heard h = register();
    assertTrue(world.runUntil(() -> h.leader.isLeader(1), 1_000));
    shard.run(() -> driver.append(1, topics(1)));
    assertTrue(world.runUntil(() -> driver.highWatermark() == 2, 1_000));
    shard.kill();
    disk.killProcess();

    List<Throwable> fatal = new ArrayList<>();
    onFatal = fatal::add;
    openSingle();
    assertTrue(world.runUntil(() -> driver.leaderAndEpoch().epoch() == 2, 1_000));
    disk.capacity(disk.used());
    boolean[] closed = {false};
    shard.run(() -> driver.shutdown(1_000, () -> closed[0] = true));
    assertTrue(world.runUntil(() -> !fatal.isEmpty(), 5_000), "its vote cannot be persisted");
    assertTrue(world.runUntil(() -> closed[0], 5_000));
    assertEquals(1, fatal.size());
  }

  @Test
  void whatIsFatalIsSaidWhateverFailsNext() {
    List<Throwable> fatal = new ArrayList<>();
    onFatal = fatal::add;
    openSingle();
    shard.run(
        () ->
            driver.register(
                new Heard() {
                  @Override
                  public void beginShutdown() {
                    throw new IllegalStateException("cannot end");
                  }
                }));
    disk.failSyncs(path -> true);
    assertThrows(IllegalStateException.class, () -> world.runUntil(() -> !fatal.isEmpty(), 5_000));
    assertEquals(1, fatal.size());
  }

  @Test
  void onlyTheLeaderOfTheEpochAppends() {
    openSingle();
    Heard h = register();
    assertTrue(world.runUntil(() -> h.leader.isLeader(1), 1_000));
    shard.run(
        () -> {
          assertThrows(NotLeaderException.class, () -> driver.append(0, topics(1)));
          assertThrows(NotLeaderException.class, () -> driver.append(2, topics(1)));
          assertThrows(IllegalArgumentException.class, () -> driver.append(1, List.of()));
          driver.resign(1);
          assertThrows(NotLeaderException.class, () -> driver.append(1, topics(1)));
        });
    assertTrue(world.runUntil(() -> h.leader.equals(new LeaderAndEpoch(-1, 1)), 1_000));
    assertTrue(world.runUntil(() -> h.leader.isLeader(1), 10_000));
  }

  @Test
  void appendsDuringAFlushShareTheNextOne() {
    openSingle();
    Heard h = register();
    assertTrue(world.runUntil(() -> h.leader.isLeader(1), 1_000));
    long before = world.elapsedMs();
    shard.run(
        () -> {
          for (int i = 0; i < 1_000; i++) {
            driver.append(1, topics(1));
          }
        });
    assertTrue(world.runUntil(() -> driver.highWatermark() == 1_001, 10_000));
    assertTrue(world.elapsedMs() - before < 50, "a flush takes at least a millisecond here");
  }

  @Test
  void threeNodesElectAndAllHearWhatIsCommitted() {
    QuorumSim sim = new QuorumSim(3, 1);
    for (int id = 1; id <= 4; id++) {
      sim.replica(id).start();
    }
    long took = sim.await("a leader", () -> sim.leader() != null, 1_000);
    assertTrue(took < 400, took + " ms to the first leader");
    sim.await("an append", () -> sim.leader().append(), 1_000);
    sim.await(
        "all know",
        () -> {
          boolean all = true;
          for (int id = 1; id <= 4; id++) {
            all &= sim.replica(id).heard >= 2;
          }
          return all;
        },
        100);
  }

  @Test
  void aCleanStopHandsOverAtOnce() {
    QuorumSim sim = new QuorumSim(3, 0);
    for (int id = 1; id <= 3; id++) {
      sim.replica(id).start();
    }
    sim.await("a leader", () -> sim.leader() != null && sim.leader().append(), 2_000);
    sim.runFor(1_000);
    SimReplica old = sim.leader();
    boolean[] stopped = {false};
    old.shard.run(() -> old.driver.shutdown(5_000, () -> stopped[0] = true));
    long took = sim.await("stopped", () -> stopped[0], 5_000);
    assertTrue(took < 200, took + " ms to stop");
    old.crash(false);
    took = sim.await("a successor", () -> sim.leader() != null && sim.leader().append(), 5_000);
    assertTrue(took < 200, took + " ms until the successor appends");
    assertNotEquals(old, sim.leader());
  }

  @Test
  void aKilledLeaderIsReplacedLongBeforeTheTimeouts() {
    QuorumSim sim = new QuorumSim(3, 0);
    for (int id = 1; id <= 3; id++) {
      sim.replica(id).start();
    }
    sim.await("a leader", () -> sim.leader() != null && sim.leader().append(), 2_000);
    sim.runFor(1_000);
    sim.leader().crash(false);
    long took =
        sim.await("a successor", () -> sim.leader() != null && sim.leader().append(), 5_000);
    assertTrue(took < 800, took + " ms until a successor appends");
  }

  @Test
  void anIdleQuorumIsQuiet() {
    QuorumSim sim = new QuorumSim(3, 0);
    for (int id = 1; id <= 3; id++) {
      sim.replica(id).start();
    }
    sim.await("a leader", () -> sim.leader() != null, 2_000);
    sim.runFor(2_000);
    int before = sim.messages();
    sim.runFor(10_000);
    int each = (sim.messages() - before) / 10;
    assertTrue(each <= 10, each + " messages a second");
  }
}
