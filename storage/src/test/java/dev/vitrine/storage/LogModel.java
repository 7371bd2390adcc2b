package dev.vitrine.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.sim.SimDisk;
import dev.vitrine.sim.SimShard;
import dev.vitrine.sim.SimWorld;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/** One random history of a log beside a model of it. */
final class LogModel {
  private static final Path ROOT = Path.of("/data");
  private static final TopicPartition TP = new TopicPartition("t", 0);
  private static final LogConfig CONFIG =
      LogConfig.builder()
          .segmentBytes(900)
          .indexIntervalBytes(150)
          .retentionMs(-1)
          .producerIdExpirationMs(Long.MAX_VALUE)
          .build();

  /** A batch that a producer got acknowledged. */
  private record Sent(int sequence, int records, long firstOffset) {}

  private final long seed;
  private final SimWorld world;
  private final RandomGenerator random;
  private final SimDisk disk;
  private final StringBuilder history = new StringBuilder();

  private SimShard shard;
  private LogDirectory directory;
  private Log log;

  /** The records by offset. */
  private final TreeMap<Long, TestBatches.Seen> model = new TreeMap<>();

  /** Everything that was ever at an offset since the last restart: what a power cut may bring. */
  private final Map<Long, Set<TestBatches.Seen>> ever = new HashMap<>();

  private final Map<Long, Sent> sent = new TreeMap<>();
  private long start;
  private long end;
  private long durable;
  private int epoch = 1;
  private long nextId;
  private long clock = 1000;

  LogModel(long seed) {
    this.seed = seed;
    this.world = new SimWorld(seed);
    this.random = world.random();
    this.disk = world.newDisk();
    open();
  }

  String run(int steps) {
    for (int i = 0; i < steps; i++) {
      try {
        int from = history.length();
        step();
        if (Boolean.getBoolean("trace")) {
          System.out.println("step " + i + ": " + history.substring(from) + dump());
        }
        check();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed + " step " + i + ": " + history + dump(), e);
      }
    }
    return history.toString();
  }

  private String dump() {
    StringBuilder out = new StringBuilder();
    out.append("\nlog [%d, %d) ".formatted(log.logStartOffset(), log.logEndOffset()));
    out.append("synced to %d, model [%d, %d)".formatted(log.recoveryPoint(), start, end));
    for (Segment s : log.segments().all()) {
      out.append('\n').append(s);
      var file = s.use();
      try (BatchScan scan = new BatchScan(file, 0, s.size(), BatchScan.HEADERS)) {
        while (scan.next()) {
          out.append("\n  ").append(scan.batch());
        }
      } finally {
        file.release();
      }
    }
    return out.append("\n").append(log.epochs().entries()).toString();
  }

  private void step() {
    switch (random.nextInt(24)) {
      case 0, 1, 2, 3, 4, 5 -> lead();
      case 6, 7, 8, 9 -> follow();
      case 10, 11, 12 -> produce();
      case 13 -> truncate();
      case 14, 15 -> flush();
      case 16 -> say("roll", log::roll);
      case 17 -> retain();
      case 18 -> advanceStart();
      case 19 -> restart();
      case 20 -> powerCut();
      case 21 -> say("checkpoint", directory::checkpointRecoveryPoints);
      case 22 -> fullDisk();
      default -> world.runFor(random.nextInt(20));
    }
    if (random.nextInt(60) == 0) {
      startAnew();
    }
    if (random.nextInt(20) == 0) {
      die();
    }
  }

  private void say(String what, Runnable act) {
    history.append(what).append("; ");
    act.run();
  }

  private void open() {
    shard = world.newShard("s");
    directory = LogDirectory.open(disk, ROOT);
    log = directory.openOrCreate(TP, new Uuid(1, 2), CONFIG, shard);
  }

  // --- appends ---

  /** Before it is appended: who knows how far that gets. */
  private void expect(long offset, long timestamp, String value, int epoch) {
    ever.computeIfAbsent(offset, o -> new HashSet<>())
        .add(new TestBatches.Seen(offset, timestamp, value, epoch));
  }

  private void put(long offset, long timestamp, String value, int epoch) {
    TestBatches.Seen r = new TestBatches.Seen(offset, timestamp, value, epoch);
    model.put(offset, r);
    assertTrue(ever.get(offset).contains(r));
    end = offset + 1;
  }

  private String[] values() {
    String[] v = new String[1 + random.nextInt(4)];
    for (int i = 0; i < v.length; i++) {
      v[i] = "v" + random.nextInt(1000) + "x".repeat(random.nextInt(40));
    }
    return v;
  }

  private void lead() {
    String[] values = values();
    clock += random.nextInt(20) - 5;
    history.append("lead ").append(values.length).append("; ");
    for (int i = 0; i < values.length; i++) {
      expect(end + i, clock + i, values[i], epoch);
    }
    AppendResult r =
        log.appendAsLeader(TestBatches.batch(clock, values), epoch, AppendOrigin.CLIENT);
    assertTrue(r.isOk());
    assertEquals(end, r.firstOffset());
    for (int i = 0; i < values.length; i++) {
      put(end, clock + i, values[i], epoch);
    }
  }

  private void follow() {
    history.append("follow; ");
    if (random.nextInt(4) == 0) {
      epoch++;
    }
    ByteBuf fetched = Unpooled.buffer();
    List<TestBatches.Seen> records = new ArrayList<>();
    long next = end;
    for (int b = random.nextInt(12); b >= 0; b--) {
      String[] values = values();
      fetched.writeBytes(TestBatches.batchAt(next, epoch, clock, values));
      for (int i = 0; i < values.length; i++) {
        records.add(new TestBatches.Seen(next, clock + i, values[i], epoch));
        expect(next, clock + i, values[i], epoch);
        next++;
      }
    }
    if (random.nextBoolean()) {
      fetched.writeBytes(TestBatches.batchAt(next, epoch, clock, "cut"), 0, random.nextInt(60));
    }
    assertTrue(log.appendAsFollower(fetched, epoch).isOk());
    records.forEach(r -> put(r.offset(), r.timestamp(), r.value(), r.epoch()));
  }

  /** An idempotent producer sends its next batch, or the last one again. */
  private void produce() {
    int slot = random.nextInt(3);
    // One that the log may have forgotten is another one from now on.
    long id = sent.keySet().stream().filter(k -> k % 3 == slot).findFirst().orElse(nextId + slot);
    nextId += 3;
    Sent last = sent.get(id);
    if (last != null && last.firstOffset >= start && random.nextBoolean()) {
      history.append("again ").append(id).append("; ");
      AppendResult r =
          log.appendAsLeader(
              TestBatches.produced(id, 0, last.sequence, false, last.records),
              epoch,
              AppendOrigin.CLIENT);
      assertTrue(r.isOk() && r.duplicate(), r.toString());
      assertEquals(last.firstOffset, r.firstOffset());
      return;
    }
    history.append("produce ").append(id).append("; ");
    int sequence = last == null ? 0 : last.sequence + last.records;
    int n = 1 + random.nextInt(3);
    for (int i = 0; i < n; i++) {
      expect(end + i, 1000 + sequence + i, "p" + (sequence + i), epoch);
    }
    AppendResult r =
        log.appendAsLeader(
            TestBatches.produced(id, 0, sequence, false, n), epoch, AppendOrigin.CLIENT);
    assertTrue(r.isOk() && !r.duplicate(), r.toString());
    sent.put(id, new Sent(sequence, n, end));
    for (int i = 0; i < n; i++) {
      put(end, 1000 + sequence + i, "p" + (sequence + i), epoch);
    }
  }

  private void fullDisk() {
    history.append("full; ");
    disk.capacity(disk.used() + random.nextInt(60));
    try {
      log.appendAsLeader(TestBatches.batch(clock, "y".repeat(100)), epoch, AppendOrigin.CLIENT);
      throw new AssertionError("the disk was not full");
    } catch (UncheckedIOException e) {
      disk.capacity(Long.MAX_VALUE);
    }
  }

  // --- what shortens it ---

  private void truncate() {
    long to = Math.max(start, end - random.nextInt(12));
    history.append("truncate ").append(to).append("; ");
    durable = Math.min(durable, to - 3);
    log.truncateTo(to);
    // A batch goes as a whole.
    assertTrue(log.logEndOffset() <= to && log.logEndOffset() > to - 4, log.logEndOffset() + "");
    cutModel(log.logEndOffset());
    epoch++;
  }

  private void cutModel(long to) {
    end = to;
    start = Math.min(start, to);
    durable = Math.min(durable, to);
    model.tailMap(to).clear();
    sent.clear();
    sequencesFromModel();
  }

  private void sequencesFromModel() {
    for (ProducerEntry e : log.producers()) {
      ProducerEntry.Batch b = e.lastBatch();
      assertTrue(b.lastOffset() < end, "a producer's batch is beyond the end");
      if (b.lastOffset() >= start) {
        assertEquals("p" + e.lastSequence(), model.get(b.lastOffset()).value());
      }
      int first = e.lastSequence() - b.offsetDelta();
      sent.put(e.producerId(), new Sent(first, b.offsetDelta() + 1, b.firstOffset()));
    }
  }

  private void startAnew() {
    long to = random.nextBoolean() ? end + random.nextInt(50) : random.nextInt(50);
    history.append("start at ").append(to).append("; ");
    durable = 0;
    log.truncateFullyAndStartAt(to);
    cutModel(Math.min(to, end));
    model.clear();
    sent.clear();
    start = to;
    end = to;
    epoch++;
  }

  private void retain() {
    history.append("retain; ");
    log.config(
        LogConfig.builder()
            .segmentBytes(900)
            .indexIntervalBytes(150)
            .retentionMs(-1)
            .retentionBytes(3000)
            .producerIdExpirationMs(Long.MAX_VALUE)
            .build());
    log.deleteOldSegments(end);
    log.config(CONFIG);
    assertTrue(log.logStartOffset() >= start);
    start = log.logStartOffset();
    model.headMap(start).clear();
  }

  private void advanceStart() {
    long to = Math.min(end, start + random.nextInt(10));
    history.append("start ").append(to).append("; ");
    log.advanceLogStartOffset(to);
    start = to;
    model.headMap(to).clear();
    if (random.nextBoolean()) {
      directory.checkpointLogStartOffsets();
    }
  }

  // --- what makes it durable, and what tests that ---

  private void flush() {
    history.append("flush; ");
    long upTo = end;
    int truncations = log.truncations();
    Log flushed = log;
    log.flush(
        e -> {
          assertNull(e);
          if (flushed == log && log.truncations() == truncations) {
            durable = Math.max(durable, upTo);
          }
        });
    if (random.nextBoolean()) {
      world.runFor(20);
    }
  }

  private void restart() {
    if (random.nextBoolean()) {
      history.append("stop; ");
      List<Throwable> done = new ArrayList<>();
      log.close(done::add);
      assertTrue(world.runUntil(() -> !done.isEmpty(), 1000));
      assertNull(done.get(0));
      directory.close(1);
      durable = end;
    } else {
      history.append("kill; ");
      directory.abandon();
      disk.killProcess();
    }
    shard.kill();
    open();
    assertEquals(end, log.logEndOffset());
    // Where the start was is kept now and then; what retention has deleted stays deleted.
    adopt();
  }

  private void powerCut() {
    history.append("power cut; ");
    directory.abandon();
    shard.kill();
    disk.crash(random);
    reopenAfterLoss(start);
  }

  /** The process dies somewhere within something that it does; half of the times the power, too. */
  private void die() {
    history.append("die in: ");
    disk.dieAfter(random.nextInt(15));
    try {
      switch (random.nextInt(10)) {
        case 0 -> lead();
        case 1, 2 -> follow();
        case 3 -> produce();
        case 4 -> truncate();
        case 5 -> startAnew();
        case 6 -> retain();
        case 7 -> advanceStart();
        default -> flush();
      }
      disk.dieAfter(Integer.MAX_VALUE);
      return;
    } catch (SimDisk.Death e) {
      history.append("died; ");
    }
    directory.abandon();
    shard.kill();
    if (random.nextBoolean()) {
      disk.crash(random);
    } else {
      disk.killProcess();
    }
    reopenAfterLoss(Long.MAX_VALUE);
  }

  private void dieInRecovery() {
    disk.dieAfter(random.nextInt(20));
    try {
      open();
    } catch (SimDisk.Death e) {
      // So it is.
    }
    // If it was through in time, it dies now.
    shard.kill();
    if (random.nextBoolean()) {
      disk.crash(random);
    } else {
      disk.killProcess();
    }
  }

  /**
   * @param startThen the log may not start behind it, if what is there was durable
   */
  private void reopenAfterLoss(long startThen) {
    while (random.nextInt(3) == 0) {
      dieInRecovery();
      history.append("died in recovery; ");
    }
    open();
    assertTrue(
        log.logEndOffset() >= durable || durable <= start,
        log.logEndOffset() + " but durable were " + durable);
    TreeMap<Long, TestBatches.Seen> found = new TreeMap<>();
    TestBatches.all(log).forEach(r -> found.put(r.offset(), r));
    if (durable > start) {
      assertTrue(log.logStartOffset() <= startThen);
      model
          .subMap(Math.min(durable, log.logStartOffset()), durable)
          .forEach((o, r) -> assertEquals(r, found.get(o)));
    }
    for (TestBatches.Seen r : found.values()) {
      assertTrue(ever.get(r.offset()).contains(r), "never written: " + r);
    }
    model.clear();
    model.putAll(found);
    start = log.logStartOffset();
    end = log.logEndOffset();
    durable = Math.min(durable, log.recoveryPoint());
    sent.clear();
    sequencesFromModel();
    epoch += 10;
  }

  /** The start offset may have gone back to that of a segment or a checkpoint. */
  private void adopt() {
    if (log.logStartOffset() < start) {
      start = log.logStartOffset();
      for (TestBatches.Seen r : TestBatches.all(log)) {
        if (!model.containsKey(r.offset())) {
          assertTrue(ever.get(r.offset()).contains(r), "never written: " + r);
          model.put(r.offset(), r);
        }
      }
    }
    start = log.logStartOffset();
    model.headMap(start).clear();
  }

  // --- the comparison ---

  private void check() {
    assertEquals(end, log.logEndOffset());
    assertEquals(start, log.logStartOffset());
    long limit = end - (end > start ? random.nextLong(end - start) : 0);
    long offset = start + (end > start ? random.nextLong(end - start) : 0);
    LogSlice slice = log.read(offset, random.nextInt(400), limit, true);
    List<TestBatches.Seen> seen = TestBatches.read(slice.records());
    for (TestBatches.Seen r : seen) {
      if (r.offset() >= start) {
        assertEquals(model.get(r.offset()), r);
      }
      assertTrue(r.offset() < limit);
    }
    if (seen.isEmpty()) {
      // Only if the limit is at the offset or within its batch.
      assertTrue(limit <= offset + 4, "nothing at " + offset + " below " + limit);
    } else {
      assertTrue(seen.get(seen.size() - 1).offset() >= offset);
      assertTrue(seen.get(0).offset() <= offset);
    }
    if (random.nextInt(10) == 0) {
      assertEquals(List.copyOf(model.values()), TestBatches.all(log));
      checkTimes();
      checkEpochs();
    }
  }

  private void checkTimes() {
    long t = clock - random.nextInt(30);
    OffsetAndTimestamp found = log.offsetForTimestamp(t);
    TestBatches.Seen expected =
        model.values().stream().filter(r -> r.timestamp() >= t).findFirst().orElse(null);
    assertEquals(expected == null ? -1 : expected.offset(), found.offset(), "first at " + t);
    assertEquals(expected == null ? -1 : expected.timestamp(), found.timestamp());
  }

  private void checkEpochs() {
    for (TestBatches.Seen r : model.values()) {
      assertEquals(r.epoch(), log.epochAt(r.offset()), "epoch at " + r.offset());
    }
  }
}
