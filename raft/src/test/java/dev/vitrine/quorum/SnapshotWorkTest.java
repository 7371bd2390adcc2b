package dev.vitrine.quorum;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.TopicRecord;
import dev.vitrine.seam.DiskFile;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.sim.SimDisk;
import dev.vitrine.sim.SimNetwork;
import dev.vitrine.sim.SimShard;
import dev.vitrine.sim.SimWorld;
import dev.vitrine.storage.LogConfig;
import dev.vitrine.storage.LogDirectory;
import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Snapshots of a single voter: the files, what is trimmed, what a start makes of them. */
class SnapshotWorkTest {
  private static final Path ROOT = Path.of("/data");
  private static final Path DIR = ROOT.resolve("__cluster_metadata-0");

  private final SimWorld world = new SimWorld(1);
  private final SimDisk disk = world.newDisk();
  private SimShard shard;
  private QuorumDriver driver;

  private static final class Heard implements RaftListener {
    final List<String> calls = new ArrayList<>();

    @Override
    public void handleCommit(List<CommittedBatch> batches) {
      batches.forEach(b -> calls.add(b.baseOffset() + "-" + b.lastOffset()));
    }

    @Override
    public void handleLoadSnapshot(Snapshot s) {
      calls.add("snapshot " + s.id().offset() + ":" + s.records().size());
    }

    @Override
    public void handleLeaderChange(LeaderAndEpoch l) {}
  }

  /** Opens and waits for leadership; keeps so many bytes of log and snapshots. */
  private void open(long retentionBytes) {
    open(retentionBytes, -1);
  }

  private void open(long retentionBytes, long retentionMs) {
    shard = world.newShard("n1");
    VoterSet voters =
        new VoterSet(List.of(VoterSet.Voter.fixed(1, "CONTROLLER", new Endpoint("n1", 9093))));
    QuorumConfig config =
        new QuorumConfig(
            1, new Uuid(1, 1), "c", voters, "CONTROLLER", QuorumConfig.Timeouts.DEFAULT);
    LogConfig log =
        LogConfig.builder()
            .segmentBytes(300)
            .cleanupPolicy(false, false)
            .retentionBytes(retentionBytes)
            .retentionMs(retentionMs)
            .build();
    shard.run(
        () ->
            driver =
                QuorumDriver.open(
                    config,
                    new QuorumDriver.Setup(
                        shard,
                        disk,
                        LogDirectory.open(disk, ROOT),
                        log,
                        new RpcQuorumTransport(shard, new SimNetwork(world).host("n1"), config),
                        e -> {
                          throw new AssertionError(e);
                        })));
    assertTrue(
        world.runUntil(() -> driver.leaderAndEpoch().isLeader(1) && highWatermarkIsEnd(), 10_000));
  }

  private boolean highWatermarkIsEnd() {
    return driver.highWatermark() == driver.logEndOffset();
  }

  private void kill() {
    shard.kill();
    disk.killProcess();
  }

  private static List<ApiMessageAndVersion> topics(int n) {
    List<ApiMessageAndVersion> out = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      out.add(new ApiMessageAndVersion(new TopicRecord().name("t" + i), (short) 0));
    }
    return out;
  }

  private void append(int batches) {
    for (int i = 0; i < batches; i++) {
      shard.run(() -> driver.append(driver.leaderAndEpoch().epoch(), topics(1)));
    }
    assertTrue(world.runUntil(this::highWatermarkIsEnd, 1_000));
  }

  /** Of all that there is; false if it was refused. */
  private boolean snapshot(int records) {
    boolean[] taken = new boolean[1];
    OffsetAndEpoch id = new OffsetAndEpoch(driver.logEndOffset(), driver.leaderAndEpoch().epoch());
    shard.run(() -> taken[0] = driver.createSnapshot(id, 7, () -> topics(records)));
    world.runFor(100);
    return taken[0];
  }

  private Heard register() {
    Heard h = new Heard();
    shard.run(() -> driver.register(h));
    world.runFor(100);
    return h;
  }

  private List<String> files(String suffix) {
    return disk.list(DIR).stream()
        .map(p -> p.getFileName().toString())
        .filter(n -> n.endsWith(suffix))
        .map(n -> n.replaceFirst("^0*(\\d)", "$1"))
        .toList();
  }

  @Test
  void trimsByTimeWithoutAnotherSnapshot() {
    open(-1, 600_000);
    append(5);
    assertTrue(snapshot(5));
    append(5);
    assertTrue(snapshot(10));
    world.runFor(500_000);
    assertEquals(2, files(".checkpoint").size());
    world.runFor(200_000);
    assertEquals(
        1, files(".checkpoint").size(), "the log before one ten minutes old need not be kept");
  }

  @Test
  void trimsBehindASnapshotWhatRetentionDoesNotKeep() {
    open(1);
    append(9);
    assertTrue(snapshot(3));
    assertEquals(List.of("10-0000000001.checkpoint"), files(".checkpoint"));
    assertEquals("0.log", files(".log").get(0), "one snapshot alone lets go of nothing");
    append(10);
    assertTrue(snapshot(4));
    assertEquals(List.of("20-0000000001.checkpoint"), files(".checkpoint"));
    assertEquals(List.of("10-0000000001.checkpoint.deleted"), files(".checkpoint.deleted"));
    assertFalse(files(".log").contains("0.log"));
    world.runFor(61_000);
    assertEquals(List.of(), files(".deleted"));

    append(2);
    assertEquals(List.of("snapshot 20:4", "20-20", "21-21"), register().calls);
    kill();
    open(1);
    assertEquals(List.of("snapshot 20:4", "20-20", "21-21", "22-22"), register().calls);
  }

  @Test
  void keepsAllAsLongAsRetentionAllows() {
    open(-1);
    append(9);
    assertTrue(snapshot(3));
    append(10);
    assertTrue(snapshot(4));
    assertEquals(2, files(".checkpoint").size());
    assertEquals("0.log", files(".log").get(0));
    assertEquals("snapshot 20:4", register().calls.get(0));
  }

  @Test
  void refusesWhatIsNotNewOrNotCommitted() {
    open(-1);
    append(3);
    assertTrue(snapshot(1));
    assertFalse(snapshot(1));
    shard.run(
        () ->
            assertThrows(
                IllegalArgumentException.class,
                () -> driver.createSnapshot(new OffsetAndEpoch(99, 1), 0, List::of)));
  }

  @Test
  void aStartDropsWhatIsHalfDoneAndDoesWithoutADamagedOne() {
    open(-1);
    append(3);
    assertTrue(snapshot(2));
    append(3);
    assertTrue(snapshot(5));
    kill();
    write("00000000000000000050-0000000001.checkpoint.part");
    write("00000000000000000001-0000000001.checkpoint.deleted");
    write("00000000000000000007-0000000001.checkpoint");
    open(-1);
    assertEquals(List.of(), files(".part"));
    assertEquals(List.of(), files(".deleted"));
    assertEquals(List.of("snapshot 4:2", "4-4", "5-5", "6-6", "7-7"), register().calls);
  }

  private void write(String name) {
    DiskFile f = disk.open(DIR.resolve(name));
    f.truncate(0);
    f.append(Unpooled.wrappedBuffer(new byte[] {1, 2, 3}));
    f.release();
  }

  @Test
  void aLogThatLacksItsBeginningDoesNotStartWithoutASnapshot() {
    open(1);
    append(9);
    assertTrue(snapshot(3));
    append(10);
    assertTrue(snapshot(4));
    kill();
    disk.delete(DIR.resolve("00000000000000000020-0000000001.checkpoint"));
    assertThrows(IllegalStateException.class, () -> open(1));
  }
}
