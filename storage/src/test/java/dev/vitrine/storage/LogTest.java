package dev.vitrine.storage;

import static dev.vitrine.storage.TestBatches.all;
import static dev.vitrine.storage.TestBatches.batch;
import static dev.vitrine.storage.TestBatches.batchAt;
import static dev.vitrine.storage.TestBatches.marker;
import static dev.vitrine.storage.TestBatches.produced;
import static dev.vitrine.storage.TestBatches.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.sim.SimDisk;
import dev.vitrine.sim.SimShard;
import dev.vitrine.sim.SimWorld;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LogTest {
  private static final Path ROOT = Path.of("/data");
  private static final TopicPartition TP = new TopicPartition("t", 0);
  private static final Uuid ID = new Uuid(7, 8);

  private final SimWorld world = new SimWorld(1);
  private final SimDisk disk = world.newDisk();
  private SimShard shard = world.newShard("s");
  private LogConfig config =
      LogConfig.builder().segmentBytes(1000).indexIntervalBytes(100).retentionMs(-1).build();
  private LogDirectory directory = LogDirectory.open(disk, ROOT);
  private Log log = directory.openOrCreate(TP, ID, config, shard);

  private AppendResult append(int epoch, String... values) {
    return log.appendAsLeader(batch(world.now(), values), epoch, AppendOrigin.CLIENT);
  }

  private void appendMany(int n) {
    for (int i = 0; i < n; i++) {
      assertTrue(append(1, "value-" + log.logEndOffset()).isOk());
    }
  }

  private void restart(boolean clean) {
    if (clean) {
      List<Throwable> done = new ArrayList<>();
      log.close(done::add);
      assertTrue(world.runUntil(() -> !done.isEmpty(), 1000));
      assertNull(done.get(0));
      directory.close(5);
    } else {
      directory.abandon();
      disk.killProcess();
      shard.kill();
      shard = world.newShard("again");
    }
    reopen();
  }

  private void reopen() {
    directory = LogDirectory.open(disk, ROOT);
    log = directory.openOrCreate(TP, ID, config, shard);
  }

  private void reopenWith(LogConfig config) {
    this.config = config;
    restart(true);
  }

  private void flush() {
    List<Throwable> done = new ArrayList<>();
    log.flush(done::add);
    assertTrue(world.runUntil(() -> !done.isEmpty(), 1000));
    assertNull(done.get(0));
  }

  @Test
  void givesOffsetsAndReadsThemBack() {
    AppendResult r = append(3, "a", "b");
    assertEquals(new AppendResult(0, 1, -1, 0, false, Errors.NONE, null), r);
    assertEquals(2, append(3, "c").firstOffset());
    assertEquals(3, log.logEndOffset());
    assertEquals(3, log.latestEpoch());
    assertEquals(List.of("a", "b", "c"), all(log).stream().map(s -> s.value()).toList());
    assertTrue(all(log).stream().allMatch(s -> s.epoch() == 3));
    LogSlice within = log.read(1, 1, 3, true);
    assertEquals(0, read(within.records()).get(0).offset(), "the whole batch of an offset within");
    assertSame(LogSlice.EMPTY, log.read(3, 1000, 3, true));
    assertSame(LogSlice.OUT_OF_RANGE, log.read(4, 1000, 3, true));
    assertSame(LogSlice.OUT_OF_RANGE, log.read(-1, 1000, 3, true));
  }

  @Test
  void readsWithinItsLimits() {
    append(1, "a", "b");
    append(1, "c");
    append(1, "d");
    int first = log.read(0, 0, 4, true).records().sizeInBytes();
    assertEquals(first, batch(0, "a", "b").readableBytes(), "the first batch, whatever the limit");
    assertEquals(LogSlice.EMPTY, log.read(0, 0, 4, false));
    LogSlice cut = log.read(0, 50, 4, false);
    assertTrue(cut.firstBatchCut());
    assertEquals(50, cut.records().sizeInBytes());
    assertEquals(3, read(log.read(0, 9999, 3, true).records()).size(), "up to the high watermark");
    assertEquals(2, read(log.read(0, 9999, 2, true).records()).size());
    assertEquals(LogSlice.EMPTY, log.read(0, 9999, 1, true), "no batch that the limit is within");
  }

  @Test
  void rollsBySizeAndReadsAcross() {
    appendMany(100);
    assertTrue(log.segmentCount() > 5, "" + log.segmentCount());
    assertEquals(100, all(log).size());
    for (int i = 0; i < 100; i++) {
      assertEquals("value-" + i, read(log.read(i, 1, 100, true).records()).get(0).value());
    }
    assertTrue(disk.size(ROOT.resolve("t-0/00000000000000000000.log")) <= 1000);
    assertTrue(disk.size(ROOT.resolve("t-0/00000000000000000000.index")) > 0);
  }

  @Test
  void rollsByTheTimeOfTheRecords() {
    config = LogConfig.builder().segmentMs(1000).build();
    log.config(config);
    log.appendAsLeader(batch(5000, "a"), 1, AppendOrigin.CLIENT);
    log.appendAsLeader(batch(6000, "b"), 1, AppendOrigin.CLIENT);
    assertEquals(1, log.segmentCount());
    log.appendAsLeader(batch(6001, "c"), 1, AppendOrigin.CLIENT);
    assertEquals(2, log.segmentCount());
  }

  @Test
  void aBatchLargerThanASegmentIsRefused() {
    AppendResult r = append(1, "x".repeat(2000));
    assertEquals(Errors.RECORD_LIST_TOO_LARGE, r.error());
    assertEquals(0, log.logEndOffset());
  }

  @Test
  void aFollowerTakesWhatIsGiven() {
    ByteBuf fetched =
        Unpooled.wrappedBuffer(
            batchAt(0, 1, 10, "a", "b"),
            batchAt(5, 2, 20, "c"),
            batchAt(6, 2, 30, "cut").slice(0, 70));
    assertTrue(log.appendAsFollower(fetched, 2).isOk());
    assertEquals(6, log.logEndOffset());
    assertEquals(new EpochEnd(1, 5), log.endOffsetForEpoch(1));
    assertEquals(new EpochEnd(2, 6), log.endOffsetForEpoch(2));
    assertEquals(EpochEnd.UNKNOWN, log.endOffsetForEpoch(3));
    assertEquals(new EpochEnd(0, 0), log.endOffsetForEpoch(0));
    assertEquals(Errors.CORRUPT_MESSAGE, log.appendAsFollower(batchAt(5, 2, 1, "x"), 2).error());
    ByteBuf bad = batchAt(6, 2, 1, "x");
    bad.setByte(bad.writerIndex() - 1, 1);
    assertEquals(Errors.CORRUPT_MESSAGE, log.appendAsFollower(bad, 2).error());
    assertTrue(log.appendAsFollower(batchAt(6, 3, 1, "x"), 2).isOk());
    assertEquals(6, log.logEndOffset(), "an epoch that the leader cannot have written");
  }

  @Test
  void aFollowerSplitsWhatIsLargerThanASegment() {
    ByteBuf fetched = Unpooled.buffer();
    for (int i = 0; i < 60; i++) {
      fetched.writeBytes(batchAt(i, 1, i, "value-" + i));
    }
    assertTrue(log.appendAsFollower(fetched, 1).isOk());
    assertEquals(60, all(log).size());
    assertTrue(log.segmentCount() > 3);
  }

  @Test
  void anEmptyLogBeginsWithTheBatchThatItsOffsetIsIn() {
    log.truncateFullyAndStartAt(12);
    assertTrue(log.appendAsFollower(batchAt(10, 1, 0, "a", "b", "c", "d"), 1).isOk());
    assertEquals(14, log.logEndOffset());
    assertEquals(10, log.logStartOffset());
  }

  @Test
  void truncatesAndGoesOn() {
    appendMany(50);
    assertTrue(log.truncateTo(17));
    assertEquals(17, log.logEndOffset());
    assertEquals(17, all(log).size());
    append(2, "new");
    assertEquals("new", read(log.read(17, 1, 18, true).records()).get(0).value());
    assertEquals(new EpochEnd(1, 17), log.endOffsetForEpoch(1));
    assertFalse(log.truncateTo(18));
    assertTrue(disk.list(log.dir()).stream().anyMatch(p -> p.toString().endsWith(".deleted")));
    world.runFor(61_000);
    assertFalse(disk.list(log.dir()).stream().anyMatch(p -> p.toString().endsWith(".deleted")));
    restart(false);
    assertEquals(18, log.logEndOffset());
  }

  @Test
  void truncatingWithinABatchDropsTheBatch() {
    append(1, "a");
    append(1, "b", "c", "d");
    log.truncateTo(2);
    assertEquals(1, log.logEndOffset());
    append(1, "x");
    assertEquals(2, all(log).size());
  }

  @Test
  void startsAnew() {
    appendMany(20);
    log.truncateFullyAndStartAt(1000);
    assertEquals(1000, log.logStartOffset());
    assertEquals(LogSlice.OUT_OF_RANGE, log.read(3, 1, 1000, true));
    append(4, "z");
    assertEquals(1001, log.logEndOffset());
    assertEquals(new EpochEnd(4, 1001), log.endOffsetForEpoch(4));
    restart(true);
    assertEquals(1000, log.logStartOffset());
    assertEquals(1001, log.logEndOffset());
  }

  @Test
  void looksUpTimes() {
    log.appendAsLeader(batch(1000, "a", "b", "c"), 1, AppendOrigin.CLIENT);
    log.appendAsLeader(batch(5000, "d"), 1, AppendOrigin.CLIENT);
    log.appendAsLeader(batch(2000, "e", "f"), 2, AppendOrigin.CLIENT);
    assertEquals(new OffsetAndTimestamp(0, 1000, 1), log.offsetForTimestamp(0));
    assertEquals(new OffsetAndTimestamp(2, 1002, 1), log.offsetForTimestamp(1002));
    assertEquals(new OffsetAndTimestamp(3, 5000, 1), log.offsetForTimestamp(1003));
    assertEquals(OffsetAndTimestamp.NONE, log.offsetForTimestamp(5001));
    assertEquals(new OffsetAndTimestamp(3, 5000, 1), log.maxTimestamp());
    assertEquals(new OffsetAndTimestamp(0, -1, 1), log.earliest());
    assertEquals(new OffsetAndTimestamp(6, -1, 2), log.latest());
  }

  @Test
  void looksUpTimesInManySegments() {
    for (int i = 0; i < 200; i++) {
      log.appendAsLeader(batch(1000 + 10 * i, "v" + i), 1, AppendOrigin.CLIENT);
    }
    restart(true);
    for (int i = 0; i < 200; i++) {
      assertEquals(i, log.offsetForTimestamp(1000 + 10 * i - 9).offset());
    }
    assertEquals(199, log.maxTimestamp().offset());
  }

  @Test
  void deletesBySize() {
    appendMany(100);
    log.config(LogConfig.builder().segmentBytes(1000).retentionBytes(2000).build());
    assertTrue(log.deleteOldSegments(100) > 0);
    assertTrue(log.size() >= 2000 && log.size() < 3000, "" + log.size());
    assertTrue(log.logStartOffset() > 0);
    assertEquals(LogSlice.OUT_OF_RANGE, log.read(0, 1, 100, true));
    long start = log.logStartOffset();
    restart(false);
    assertEquals(start, log.logStartOffset());
    assertEquals(100 - start, all(log).size());
  }

  @Test
  void deletesByTimeUpToTheHighWatermark() {
    appendMany(40);
    log.config(LogConfig.builder().segmentBytes(1000).retentionMs(1000).build());
    assertEquals(0, log.deleteOldSegments(40));
    world.runFor(2000);
    assertEquals(0, log.deleteOldSegments(3), "not above the high watermark");
    int segments = log.segmentCount();
    assertEquals(segments, log.deleteOldSegments(40), "the active one too");
    assertEquals(40, log.logStartOffset());
    assertEquals(40, log.logEndOffset());
    append(1, "next");
    assertEquals(1, all(log).size());
  }

  @Test
  void deletesBeforeTheStartOffset() {
    appendMany(40);
    assertTrue(log.advanceLogStartOffset(25));
    assertFalse(log.advanceLogStartOffset(25));
    assertTrue(log.deleteOldSegments(40) > 0);
    assertTrue(log.firstSegmentOffset() <= 25);
    assertEquals(15, all(log).size());
    directory.checkpointLogStartOffsets();
    restart(false);
    assertEquals(25, log.logStartOffset());
  }

  @Test
  void findsDuplicatesAndGaps() {
    assertEquals(
        0, log.appendAsLeader(produced(9, 0, 0, false, 3), 1, AppendOrigin.CLIENT).firstOffset());
    AppendResult again = log.appendAsLeader(produced(9, 0, 0, false, 3), 1, AppendOrigin.CLIENT);
    assertTrue(again.duplicate() && again.isOk());
    assertEquals(0, again.firstOffset());
    assertEquals(2, again.lastOffset());
    assertEquals(3, log.logEndOffset());
    AppendResult gap = log.appendAsLeader(produced(9, 0, 4, false, 1), 1, AppendOrigin.CLIENT);
    assertEquals(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, gap.error());
    assertEquals(
        Errors.OUT_OF_ORDER_SEQUENCE_NUMBER,
        log.appendAsLeader(produced(9, 1, 3, false, 1), 1, AppendOrigin.CLIENT).error());
    assertTrue(log.appendAsLeader(produced(9, 1, 0, false, 1), 1, AppendOrigin.CLIENT).isOk());
    assertEquals(
        Errors.INVALID_PRODUCER_EPOCH,
        log.appendAsLeader(produced(9, 0, 3, false, 1), 1, AppendOrigin.CLIENT).error());
    assertTrue(log.appendAsLeader(produced(8, 3, 77, false, 1), 1, AppendOrigin.CLIENT).isOk());
  }

  @Test
  void remembersProducersOverARestart() {
    config = LogConfig.builder().segmentBytes(1000).producerIdExpirationMs(1L << 60).build();
    reopenWith(config);
    for (boolean clean : new boolean[] {true, false}) {
      int seq = clean ? 0 : 60;
      for (int i = 0; i < 60; i++) {
        log.appendAsLeader(produced(9, 0, seq + i, false, 1), 1, AppendOrigin.CLIENT);
      }
      restart(clean);
      assertTrue(
          log.appendAsLeader(produced(9, 0, seq + 59, false, 1), 1, AppendOrigin.CLIENT)
              .duplicate());
    }
    assertEquals(120, log.logEndOffset());
    log.truncateTo(30);
    assertEquals(29, log.producers().iterator().next().lastSequence());
  }

  private AppendResult produce(long producer, int sequence) {
    return log.appendAsLeader(produced(producer, 0, sequence, false, 1), 1, AppendOrigin.CLIENT);
  }

  @Test
  void knowsTheLastFiveBatchesOfEachProducerAfterARestart() {
    config = LogConfig.builder().segmentBytes(1000).producerIdExpirationMs(1L << 60).build();
    reopenWith(config);
    for (int i = 0; i < 3; i++) {
      produce(7, i);
    }
    for (int i = 0; i < 40; i++) {
      produce(8, i);
      produce(9, i);
    }
    long end = log.logEndOffset();
    for (boolean clean : new boolean[] {true, false, true}) {
      restart(clean);
      for (int back = 0; back < 5; back++) {
        assertTrue(produce(8, 39 - back).duplicate(), "the " + back + "th from the end");
        assertTrue(produce(9, 39 - back).duplicate(), "the " + back + "th from the end");
      }
      assertEquals(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, produce(8, 34).error());
      for (int i = 0; i < 3; i++) {
        assertTrue(produce(7, i).duplicate());
      }
    }
    log.truncateTo(end - 10);
    assertTrue(produce(9, 30).duplicate());
    assertTrue(produce(9, 34).duplicate());
    assertEquals(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, produce(9, 29).error());
    assertTrue(produce(9, 35).isOk());
    assertEquals(end - 9, log.logEndOffset());
  }

  @Test
  void ofAnEarlierEpochNoBatchIsARepetitionAfterARestart() {
    config = LogConfig.builder().producerIdExpirationMs(1L << 60).build();
    reopenWith(config);
    produce(9, 0);
    produce(9, 1);
    assertTrue(log.appendAsLeader(produced(9, 1, 0, false, 1), 1, AppendOrigin.CLIENT).isOk());
    restart(true);
    assertEquals(Errors.INVALID_PRODUCER_EPOCH, produce(9, 1).error());
    assertEquals(
        Errors.OUT_OF_ORDER_SEQUENCE_NUMBER,
        log.appendAsLeader(produced(9, 1, 7, false, 1), 1, AppendOrigin.CLIENT).error());
    assertTrue(log.appendAsLeader(produced(9, 1, 1, false, 1), 1, AppendOrigin.CLIENT).isOk());
  }

  @Test
  void forgetsSilentProducers() {
    log.appendAsLeader(produced(9, 0, 0, false, 1), 1, AppendOrigin.CLIENT);
    log.removeExpiredProducers();
    assertEquals(0, log.producers().size(), "its record is of 1970");
  }

  @Test
  void whenProducersAreForgottenMayChange() {
    log.config(LogConfig.builder().producerIdExpirationMs(Long.MAX_VALUE).build());
    log.appendAsLeader(produced(9, 0, 0, false, 1), 1, AppendOrigin.CLIENT);
    log.removeExpiredProducers();
    assertEquals(1, log.producers().size());
    log.config(LogConfig.builder().producerIdExpirationMs(1_000).build());
    log.removeExpiredProducers();
    assertEquals(0, log.producers().size());
  }

  @Test
  void holdsBackWhatIsNotDecided() {
    log.appendAsLeader(produced(9, 0, 0, true, 2), 1, AppendOrigin.CLIENT);
    append(1, "x");
    assertEquals(0, log.lastStableOffset(3));
    assertTrue(log.appendAsLeader(marker(9, 0, false, 1), 1, AppendOrigin.COORDINATOR).isOk());
    assertEquals(0, log.lastStableOffset(3), "the marker is not replicated yet");
    log.highWatermarkAdvanced(4);
    assertEquals(4, log.lastStableOffset(4));
    AbortedTransaction aborted = new AbortedTransaction(9, 0, 3, 4);
    assertEquals(List.of(aborted), log.abortedTransactions(0, 4));
    assertEquals(List.of(), log.abortedTransactions(4, 5));
    restart(false);
    assertEquals(List.of(aborted), log.abortedTransactions(0, 4));
    assertEquals(
        Errors.TRANSACTION_COORDINATOR_FENCED,
        log.appendAsLeader(marker(9, 0, true, 0), 1, AppendOrigin.COORDINATOR).error());
  }

  @Test
  void aFlushMovesTheRecoveryPoint() {
    appendMany(10);
    assertEquals(0, log.recoveryPoint());
    flush();
    assertEquals(10, log.recoveryPoint());
    log.flush(e -> {});
    log.truncateTo(5);
    append(1, "x");
    world.runFor(1000);
    assertEquals(5, log.recoveryPoint(), "a flush from before a truncation moves nothing");
    flush();
    assertEquals(6, log.recoveryPoint());
  }

  @Test
  void flushesAsTheTopicAsks() {
    log.config(LogConfig.builder().flushMessages(3).build());
    append(1, "a", "b");
    world.runFor(100);
    assertEquals(0, log.recoveryPoint());
    append(1, "c");
    world.runFor(100);
    assertEquals(3, log.recoveryPoint());
  }

  @Test
  void writesBackAndRests() {
    append(1, "a");
    assertTrue(log.isDirty());
    log.writeBack();
    world.runFor(100);
    assertEquals(1, log.recoveryPoint());
    assertFalse(log.isDirty());
    log.writeBack();
    append(1, "b");
    assertTrue(log.isDirty());
    assertEquals(2, all(log).size());
  }

  @Test
  void aFailedSyncIsFinal() {
    append(1, "a");
    disk.failSyncs(p -> p.toString().endsWith(".log"));
    List<Throwable> done = new ArrayList<>();
    log.flush(done::add);
    assertTrue(world.runUntil(() -> !done.isEmpty(), 1000));
    assertNotNull(done.get(0));
    disk.failSyncs(p -> false);
    assertThrows(IllegalStateException.class, () -> append(1, "b"));
    log.flush(done::add);
    assertNotNull(done.get(1));
  }

  @Test
  void aFailedLogTakesItsDirectoryAlong() {
    List<Throwable> heard = new ArrayList<>();
    directory.onFailure(heard::add);
    Log other = directory.openOrCreate(new TopicPartition("u", 0), new Uuid(3, 4), config, shard);
    append(1, "a");
    assertNull(directory.failure());
    IllegalStateException why = new IllegalStateException("gone");
    other.fail(why);
    other.fail(new IllegalStateException("again"));
    assertEquals(List.of(why), heard);
    assertEquals(why, directory.failure());
    assertEquals(why, log.failure());
    assertThrows(IllegalStateException.class, () -> append(1, "b"));
  }

  @Test
  void aFullDiskLeavesNothingHalfWritten() {
    appendMany(3);
    disk.capacity(disk.used() + 50);
    assertThrows(UncheckedIOException.class, () -> append(1, "too much"));
    assertEquals(3, log.logEndOffset());
    disk.capacity(Long.MAX_VALUE);
    appendMany(2);
    restart(false);
    assertEquals(5, all(log).size());
  }

  @Test
  void recoversFromAKill() {
    appendMany(55);
    append(2, "last");
    restart(false);
    assertEquals(56, log.logEndOffset());
    assertEquals(56, all(log).size());
    assertEquals(new EpochEnd(1, 55), log.endOffsetForEpoch(1));
    assertEquals(ID, log.topicId());
    assertFalse(directory.wasClean());
  }

  @Test
  void aCleanStopNeedsNoScan() {
    appendMany(55);
    restart(true);
    assertTrue(directory.wasClean());
    assertEquals(5, directory.lastBrokerEpoch().getAsLong());
    assertEquals(55, log.logEndOffset());
    assertEquals(55, log.recoveryPoint());
    assertEquals(55, all(log).size());
  }

  /** Stops that come before the logs are loaded leave things as the last real stop did. */
  @Test
  void staysAsItWasFound() {
    appendMany(3);
    restart(true);
    directory.abandon();
    CleanShutdownMarker.write(disk, ROOT, 7);
    for (int i = 0; i < 2; i++) {
      directory = LogDirectory.open(disk, ROOT);
      assertEquals(7, directory.lastBrokerEpoch().getAsLong());
      directory.leaveAsFound();
    }
    reopen();
    assertTrue(directory.wasClean());
    assertEquals(3, log.logEndOffset());
    appendMany(1);
    directory.abandon();
    directory = LogDirectory.open(disk, ROOT);
    directory.leaveAsFound();
    reopen();
    assertFalse(directory.wasClean());
    assertEquals(4, log.logEndOffset());
  }

  @Test
  void whoClosesHearsThatTheDiskIsFull() {
    appendMany(3);
    disk.capacity(disk.used());
    List<Throwable> done = new ArrayList<>();
    log.close(done::add);
    assertTrue(world.runUntil(() -> !done.isEmpty(), 1000));
    assertTrue(done.get(0) instanceof UncheckedIOException, "" + done);
    directory.abandon();
    disk.killProcess();
    disk.capacity(Long.MAX_VALUE);
    reopen();
    assertEquals(3, log.logEndOffset());
  }

  /** The first is under way when the log is deleted, and the second has waited for it. */
  @Test
  void aFlushOfADeletedLogOpensNoFile() {
    appendMany(3);
    List<Throwable> done = new ArrayList<>();
    log.flush(done::add);
    appendMany(3);
    log.flush(done::add);
    directory.delete(log, shard);
    assertTrue(world.runUntil(() -> done.size() == 2, 1000));
    assertTrue(done.get(1) instanceof ClosedChannelException, "" + done);
  }

  @Test
  void cutsAtTheFirstBadByte() {
    appendMany(30);
    flush();
    directory.checkpointRecoveryPoints();
    appendMany(30);
    Path last = ROOT.resolve("t-0").resolve(LogFiles.name(log.activeSegmentOffset()) + ".log");
    long base = log.activeSegmentOffset();
    directory.abandon();
    var f = disk.open(last);
    f.write(100, Unpooled.wrappedBuffer(new byte[] {1, 2, 3}));
    f.release();
    disk.killProcess();
    reopen();
    assertEquals(base + 1, log.logEndOffset());
    assertEquals(log.logEndOffset(), all(log).size());
    appendMany(3);
  }

  @Test
  void rebuildsDamagedIndexes() {
    appendMany(60);
    List<Throwable> done = new ArrayList<>();
    log.close(done::add);
    world.runFor(1000);
    directory.close(1);
    for (Path p : disk.list(ROOT.resolve("t-0"))) {
      if (p.toString().endsWith(".index")) {
        disk.open(p).truncate(disk.size(p) - 3);
      } else if (p.toString().endsWith(".timeindex")) {
        disk.delete(p);
      }
    }
    reopen();
    assertEquals(60, all(log).size());
    assertEquals(60, log.logEndOffset());
    assertEquals(1, log.offsetForTimestamp(0).leaderEpoch());
  }

  @Test
  void anotherOfTheSameNameDoesNotInheritItsCheckpoints() {
    appendMany(20);
    flush();
    log.advanceLogStartOffset(20);
    directory.checkpointRecoveryPoints();
    directory.checkpointLogStartOffsets();
    directory.delete(log, shard);
    log = directory.openOrCreate(TP, new Uuid(1, 1), config, shard);
    assertEquals(0, log.logEndOffset());
    appendMany(2);
    restart(false);
    assertEquals(2, all(log).size());
    world.runFor(61_000);
    directory.load(shard, null, r -> {});
  }

  @Test
  void loadsAllLogs() {
    for (int i = 1; i < 20; i++) {
      Log l = directory.openOrCreate(new TopicPartition("u-v.w", i), ID, config, shard);
      l.appendAsLeader(batch(1, "x"), 1, AppendOrigin.CLIENT);
    }
    directory.abandon();
    disk.killProcess();
    directory = LogDirectory.open(disk, ROOT);
    List<LogDirectory.Loaded> done = new ArrayList<>();
    directory.load(
        shard,
        new LogDirectory.Placement() {
          @Override
          public SimShard shard(TopicPartition tp) {
            return shard;
          }

          @Override
          public LogConfig config(TopicPartition tp) {
            return config;
          }
        },
        done::add);
    assertTrue(world.runUntil(() -> !done.isEmpty(), 1000));
    assertEquals(20, done.get(0).logs().size());
    assertEquals(1, directory.log(new TopicPartition("u-v.w", 7)).logEndOffset());
    assertThrows(IllegalStateException.class, () -> LogDirectory.open(disk, ROOT));
  }

  @Test
  void aReaderKeepsWhatIsDeleted() {
    appendMany(30);
    LogSlice slice = log.read(0, 500, 30, true);
    log.truncateFullyAndStartAt(100);
    world.runFor(61_000);
    assertEquals("value-0", read(slice.records()).get(0).value());
  }

  @Test
  void aPowerCutTakesOnlyWhatWasNotSynced() {
    for (int seed = 0; seed < 50; seed++) {
      SimWorld w = new SimWorld(seed);
      SimDisk d = w.newDisk();
      SimShard s = w.newShard("s");
      LogDirectory dir = LogDirectory.open(d, ROOT);
      Log l = dir.openOrCreate(TP, ID, config, s);
      for (int i = 0; i < 30; i++) {
        l.appendAsLeader(batch(i, "value-" + i), 1, AppendOrigin.CLIENT);
      }
      l.flushNow();
      d.syncDirectory(Path.of("/"));
      dir.checkpointRecoveryPoints();
      for (int i = 30; i < 60; i++) {
        l.appendAsLeader(batch(i, "value-" + i), 1, AppendOrigin.CLIENT);
      }
      d.crash(new SplittableRandom(seed));
      dir = LogDirectory.open(d, ROOT);
      l = dir.openOrCreate(TP, ID, config, w.newShard("again"));
      assertTrue(l.logEndOffset() >= 30, "seed " + seed + ": " + l.logEndOffset());
      List<TestBatches.Seen> seen = all(l);
      for (int i = 0; i < l.logEndOffset(); i++) {
        assertEquals("value-" + i, seen.get(i).value(), "seed " + seed);
      }
    }
  }
}
