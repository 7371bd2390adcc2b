package dev.vitrine.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.sim.SimDisk;
import dev.vitrine.sim.SimShard;
import dev.vitrine.sim.SimWorld;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a directory says of a log after a crash is never more than was committed of it. */
class HighWatermarkFileTest {
  private static final Path ROOT = Path.of("/data");
  private static final TopicPartition TP = new TopicPartition("t", 0);

  private final SimWorld world = new SimWorld(1);
  private final SimDisk disk = world.newDisk();
  private SimShard shard = world.newShard("s");
  private final LogConfig config = LogConfig.builder().build();
  private LogDirectory directory = LogDirectory.open(disk, ROOT);
  private Log log = open(1);

  private Log open(int topic) {
    return directory.openOrCreate(TP, new Uuid(7, topic), config, shard);
  }

  private void append(int n) {
    for (int i = 0; i < n; i++) {
      log.appendAsLeader(TestBatches.batch(0, "v"), 1, AppendOrigin.CLIENT);
    }
  }

  private boolean checkpoint(long offset) {
    return directory.checkpointHighWatermarks(List.of(HighWatermark.of(log, offset)));
  }

  /** What the next process would believe, at most as far as its log reaches. */
  private long afterACrash() {
    directory.abandon();
    disk.killProcess();
    shard.kill();
    shard = world.newShard("again");
    directory = LogDirectory.open(disk, ROOT);
    return directory.highWatermarkBefore(TP);
  }

  @Test
  void isWhatWasWritten() {
    append(10);
    assertTrue(checkpoint(7));
    assertEquals(7, afterACrash());
    assertEquals(0, directory.highWatermarkBefore(new TopicPartition("t", 1)));
  }

  @Test
  void aNewLogDoesNotInheritThatOfADeletedOne() {
    append(10);
    checkpoint(7);
    directory.delete(log, shard);
    log = open(2);
    append(5);
    assertEquals(0, afterACrash());
  }

  @Test
  void norDoesItAfterACrashInBetween() {
    append(10);
    checkpoint(7);
    directory.delete(log, shard);
    assertEquals(7, afterACrash());
    log = open(2);
    append(5);
    assertEquals(0, afterACrash());
  }

  @Test
  void whatIsCutOffIsNotCommittedAnyMore() {
    append(10);
    checkpoint(7);
    log.truncateTo(4);
    append(6);
    assertEquals(4, afterACrash());
  }

  @Test
  void soItIsWhereALogBeginsAnew() {
    append(10);
    checkpoint(7);
    log.truncateFullyAndStartAt(3);
    append(6);
    assertEquals(3, afterACrash());
  }

  @Test
  void aCutAboveItChangesNothing() {
    append(10);
    checkpoint(7);
    log.truncateTo(8);
    assertEquals(7, afterACrash());
  }

  @Test
  void whatWasGatheredBeforeACutIsLeftOut() {
    append(10);
    HighWatermark before = HighWatermark.of(log, 7);
    log.truncateTo(4);
    append(6);
    assertFalse(directory.checkpointHighWatermarks(List.of(before)));
    assertEquals(0, afterACrash());
  }

  @Test
  void whatWasGatheredOfADeletedLogIsLeftOut() {
    append(10);
    HighWatermark before = HighWatermark.of(log, 7);
    directory.delete(log, shard);
    log = open(2);
    append(6);
    assertFalse(directory.checkpointHighWatermarks(List.of(before)));
    assertEquals(0, afterACrash());
  }

  @Test
  void aLogThatHasLostItsEndHasNotCommittedWhatComesNext() {
    append(10);
    checkpoint(7);
    afterACrash();
    directory.abandon();
    Path file = ROOT.resolve("t-0").resolve(LogFiles.name(0) + ".log");
    long each = disk.size(file) / 10;
    disk.open(file).truncate(3 * each);
    disk.killProcess();
    directory = LogDirectory.open(disk, ROOT);
    List<LogDirectory.Loaded> done = new ArrayList<>();
    directory.load(shard, placement(), done::add);
    assertTrue(world.runUntil(() -> !done.isEmpty(), 1000));
    log = directory.log(TP);
    assertEquals(3, log.logEndOffset());
    append(6);
    assertEquals(3, afterACrash());
  }

  /** What was cut off comes back with the power, unless the cut itself was synced. */
  @Test
  void whatReplacesWhatWasCutOffIsNotCommittedBeforeItIsSynced() {
    append(10);
    log.truncateTo(4);
    append(6);
    checkpoint(9);
    assertEquals(4, afterACrash());
  }

  @Test
  void onceItIsSyncedItIs() {
    append(10);
    log.truncateTo(4);
    append(6);
    log.flushNow();
    checkpoint(9);
    assertEquals(9, afterACrash());
  }

  @Test
  void aSyncThatBeganBeforeTheCutDoesNotCount() {
    append(10);
    log.flush(e -> {});
    log.truncateTo(4);
    append(6);
    HighWatermark[] later = new HighWatermark[1];
    log.flush(e -> later[0] = HighWatermark.of(log, 9));
    assertEquals(4, HighWatermark.of(log, 9).offset());
    assertTrue(world.runUntil(() -> later[0] != null, 1000));
    assertEquals(9, later[0].offset());
  }

  @Test
  void aProcessDoesNotKnowWhatTheOneBeforeHadCut() {
    append(10);
    log.flushNow();
    directory.checkpointRecoveryPoints();
    log.truncateTo(4);
    append(6);
    afterACrash();
    log = open(1);
    assertEquals(10, log.logEndOffset());
    checkpoint(10);
    assertEquals(4, afterACrash());
  }

  private LogDirectory.Placement placement() {
    return new LogDirectory.Placement() {
      @Override
      public SimShard shard(TopicPartition tp) {
        return shard;
      }

      @Override
      public LogConfig config(TopicPartition tp) {
        return config;
      }
    };
  }
}
