package dev.vitrine.storage;

import static dev.vitrine.storage.TestBatches.marker;
import static dev.vitrine.storage.TestBatches.produced;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.sim.SimShard;
import dev.vitrine.sim.SimWorld;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.common.RequestLocal;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.apache.kafka.server.util.Scheduler;
import org.apache.kafka.storage.internals.log.LogAppendInfo;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.internals.log.VerificationGuard;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;
import org.apache.kafka.tools.DumpLogSegments;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Apache Kafka's own log beside ours: given the same batches both answer the same and leave the
 * same files, byte for byte; each loads what the other has left; Kafka's DumpLogSegments finds no
 * fault.
 */
class KafkaFilesTest {
  private static final TopicPartition TP = new TopicPartition("t", 0);
  private static final Uuid ID = new Uuid(7, 8);
  private static final LogConfig CONFIG =
      LogConfig.builder()
          .segmentBytes(4000)
          .indexIntervalBytes(300)
          .retentionMs(-1)
          .producerIdExpirationMs(Integer.MAX_VALUE)
          .build();

  @TempDir Path temp;
  private final SimWorld world = new SimWorld(1);
  private final SimShard shard = world.newShard("s");
  private Path oursRoot;
  private Path theirsRoot;
  private LogDirectory directory;
  private Log ours;
  private UnifiedLog theirs;

  @BeforeEach
  void open() throws IOException {
    // Near to real time, or producers would count as expired.
    shard.skewClock(Time.SYSTEM.milliseconds() - world.now());
    oursRoot = temp.resolve("ours");
    theirsRoot = temp.resolve("theirs");
    Files.createDirectories(theirsRoot.resolve("t-0"));
    openOurs();
    theirs = kafka(theirsRoot, false);
  }

  @AfterEach
  void close() {
    theirs.closeQuietly();
    directory.abandon();
  }

  private void openOurs() {
    directory = LogDirectory.open(new NioDisk(), oursRoot);
    ours = directory.openOrCreate(TP, ID, CONFIG, shard);
  }

  private static UnifiedLog kafka(Path root, boolean clean) throws IOException {
    Map<String, String> config = new HashMap<>();
    config.put("internal.segment.bytes", "4000");
    config.put("index.interval.bytes", "300");
    config.put("retention.ms", "-1");
    return UnifiedLog.create(
        root.resolve("t-0").toFile(),
        new org.apache.kafka.storage.internals.log.LogConfig(config),
        0,
        0,
        new AtOnce(),
        new BrokerTopicStats(false),
        Time.SYSTEM,
        Integer.MAX_VALUE,
        new ProducerStateManagerConfig(Integer.MAX_VALUE, false),
        Integer.MAX_VALUE,
        new LogDirFailureChannel(1),
        clean,
        Optional.of(new org.apache.kafka.common.Uuid(7, 8)));
  }

  /** Runs what is not to be repeated when it is scheduled. */
  private static final class AtOnce implements Scheduler {
    private static final ScheduledFuture<?> NEVER = never();

    private static ScheduledFuture<?> never() {
      var executor = new ScheduledThreadPoolExecutor(0);
      ScheduledFuture<?> future = executor.schedule(() -> {}, 1, TimeUnit.DAYS);
      executor.shutdownNow();
      return future;
    }

    @Override
    public void startup() {}

    @Override
    public void shutdown() {}

    @Override
    public ScheduledFuture<?> schedule(String name, Runnable task, long delayMs, long periodMs) {
      if (periodMs < 0 && delayMs <= 0) {
        task.run();
      }
      return NEVER;
    }

    @Override
    public void resizeThreadPool(int n) {}
  }

  // --- the same to both ---

  private void appendToBoth(ByteBuf batch, int epoch, boolean client) throws IOException {
    ByteBuffer copy = ByteBuffer.wrap(ByteBufUtil.getBytes(batch));
    AppendResult mine =
        ours.appendAsLeader(batch, epoch, client ? AppendOrigin.CLIENT : AppendOrigin.COORDINATOR);
    short error = 0;
    try {
      LogAppendInfo info =
          theirs.appendAsLeader(
              MemoryRecords.readableRecords(copy),
              epoch,
              client
                  ? org.apache.kafka.storage.internals.log.AppendOrigin.CLIENT
                  : org.apache.kafka.storage.internals.log.AppendOrigin.COORDINATOR,
              RequestLocal.noCaching(),
              VerificationGuard.SENTINEL,
              (short) 0);
      assertEquals(info.firstOffset(), mine.firstOffset(), mine.toString());
      assertEquals(info.lastOffset(), mine.lastOffset(), mine.toString());
    } catch (ApiException e) {
      error = Errors.forException(e).code();
      assertEquals(e.getMessage().split(" in ")[0].trim(), message(mine), "the words, too");
    }
    assertEquals(error, mine.error().code(), mine.toString());
    assertEquals(theirs.logEndOffset(), ours.logEndOffset());
  }

  private static String message(AppendResult r) {
    return r.message() == null ? null : r.message().split(" in ")[0].trim();
  }

  /** A mixed history: plain batches, idempotent producers with mistakes, transactions, epochs. */
  private void mixedHistory(long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    int epoch = 0;
    int[] sequence = new int[4];
    int[] producerEpoch = new int[4];
    for (int i = 0; i < 250; i++) {
      int p = random.nextInt(4);
      if (random.nextInt(40) == 0) {
        epoch++;
      }
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> {
          String[] values = new String[1 + random.nextInt(5)];
          for (int v = 0; v < values.length; v++) {
            values[v] = "x".repeat(random.nextInt(80));
          }
          long time = shard.now() + random.nextInt(2000) - 1000;
          appendToBoth(TestBatches.batch(time, values), epoch, true);
        }
        case 3 -> {
          // Something that a correct producer does not do.
          int e = producerEpoch[p] + random.nextInt(3) - 1;
          int s = Math.max(0, sequence[p] + random.nextInt(6) - 3);
          appendToBoth(
              produced(shard.now(), p, Math.max(0, e), s, false, 1 + random.nextInt(2)),
              epoch,
              true);
          ProducerEntry known =
              ours.producers().stream().filter(x -> x.producerId() == p).findFirst().orElse(null);
          if (known != null) {
            producerEpoch[p] = known.epoch();
            sequence[p] = known.lastSequence() + 1;
          }
        }
        case 4, 5 -> {
          int n = 1 + random.nextInt(3);
          appendToBoth(
              produced(shard.now(), p, producerEpoch[p], sequence[p], false, n), epoch, true);
          sequence[p] += n;
        }
        case 6 -> {
          long txn = 10 + p;
          appendToBoth(produced(shard.now(), txn, 0, sequenceOf(txn), true, 2), epoch, true);
        }
        default ->
            appendToBoth(marker(shard.now(), 10 + p, 0, random.nextBoolean(), 3), epoch, false);
      }
      if (random.nextInt(10) == 0) {
        theirs.updateHighWatermark(theirs.logEndOffset());
        ours.highWatermarkAdvanced(ours.logEndOffset());
      }
      assertEquals(
          theirs.lastStableOffset(),
          ours.lastStableOffset(theirs.highWatermark()),
          "the last stable offset after step " + i);
    }
  }

  private int sequenceOf(long producerId) {
    return ours.producers().stream()
        .filter(e -> e.producerId() == producerId)
        .map(e -> e.lastSequence() + 1)
        .findFirst()
        .orElse(0);
  }

  private void closeBoth() {
    closeOurs();
    theirs.prepareActiveSegmentForClose();
    theirs.close();
  }

  private void closeOurs() {
    List<Throwable> done = new ArrayList<>();
    ours.close(done::add);
    assertTrue(world.runUntil(() -> !done.isEmpty(), 10_000));
    assertNull(done.get(0));
    directory.close(1);
  }

  private static Map<String, byte[]> files(Path dir) throws IOException {
    Map<String, byte[]> out = new java.util.TreeMap<>();
    try (Stream<Path> s = Files.list(dir)) {
      for (Path p : s.toList()) {
        out.put(p.getFileName().toString(), Files.readAllBytes(p));
      }
    }
    return out;
  }

  @Test
  void theSameBatchesLeaveTheSameFiles() throws IOException {
    for (long seed : new long[] {1, 2, 3}) {
      mixedHistory(seed);
    }
    assertTrue(ours.segmentCount() > 10);
    closeBoth();
    Map<String, byte[]> mine = files(oursRoot.resolve("t-0"));
    Map<String, byte[]> other = files(theirsRoot.resolve("t-0"));
    assertEquals(other.keySet(), mine.keySet());
    for (String name : other.keySet()) {
      assertArrayEquals(other.get(name), mine.get(name), name);
    }
    assertTrue(other.keySet().stream().anyMatch(n -> n.endsWith(".txnindex")));
    assertTrue(other.keySet().stream().anyMatch(n -> n.endsWith(".snapshot")));
  }

  @Test
  void kafkaLoadsWhatWeHaveLeft() throws IOException {
    mixedHistory(4);
    closeOurs();
    assertTrue(sameRecords(kafka(oursRoot, true)));
  }

  @Test
  void kafkaRecoversWhatWeHaveLeftInAKill() throws IOException {
    mixedHistory(5);
    directory.abandon();
    assertTrue(sameRecords(kafka(oursRoot, false)));
  }

  @Test
  void weLoadWhatKafkaHasLeft() throws IOException {
    mixedHistory(6);
    loadTheirs(true);
  }

  @Test
  void weRecoverWhatKafkaHasLeftInAKill() throws IOException {
    mixedHistory(7);
    directory.abandon();
    loadTheirs(false);
  }

  /** Our log in their folder. */
  private void loadTheirs(boolean clean) throws IOException {
    List<TestBatches.Seen> before = read(theirs);
    var producers = theirs.activeProducers().stream().map(Object::toString).sorted().toList();
    if (clean) {
      closeBoth();
      CleanShutdownMarker.write(new NioDisk(), theirsRoot, 3);
    } else {
      theirs.closeQuietly();
    }
    oursRoot = theirsRoot;
    openOurs();
    assertEquals(clean, directory.wasClean());
    assertEquals(before, TestBatches.all(ours));
    assertEquals(producers.size(), ours.producers().size());
    assertEquals(ID, ours.topicId());
    // And they take it back.
    ours.appendAsLeader(TestBatches.batch(shard.now(), "ours"), 99, AppendOrigin.CLIENT);
    List<TestBatches.Seen> after = TestBatches.all(ours);
    closeOurs();
    UnifiedLog again = kafka(theirsRoot, true);
    assertEquals(after, read(again));
    assertEquals(99, again.latestEpoch().get());
    again.closeQuietly();
  }

  private boolean sameRecords(UnifiedLog kafka) throws IOException {
    assertEquals(theirs.logEndOffset(), kafka.logEndOffset());
    assertEquals(
        theirs.activeProducers().stream().map(Object::toString).sorted().toList(),
        kafka.activeProducers().stream().map(Object::toString).sorted().toList());
    assertEquals(read(theirs), read(kafka));
    assertEquals(theirs.leaderEpochCache().epochEntries(), kafka.leaderEpochCache().epochEntries());
    kafka.closeQuietly();
    return true;
  }

  private static List<TestBatches.Seen> read(UnifiedLog log) throws IOException {
    List<TestBatches.Seen> out = new ArrayList<>();
    long at = log.logStartOffset();
    while (at < log.logEndOffset()) {
      var batches = log.read(at, 1 << 20, FetchIsolation.LOG_END, true).records.batches();
      for (var batch : batches) {
        for (var r : batch) {
          String value = r.hasValue() ? StandardCharsets.UTF_8.decode(r.value()).toString() : null;
          out.add(
              new TestBatches.Seen(r.offset(), r.timestamp(), value, batch.partitionLeaderEpoch()));
        }
        at = batch.nextOffset();
      }
    }
    return out;
  }

  @Test
  void dumpLogSegmentsFindsNoFault() throws IOException {
    mixedHistory(8);
    closeBoth();
    String all;
    try (Stream<Path> s = Files.list(oursRoot.resolve("t-0"))) {
      all =
          s.map(Path::toString)
              .filter(n -> n.matches(".*\\.(log|index|timeindex|txnindex|snapshot)"))
              .sorted()
              .collect(Collectors.joining(","));
    }
    String deep = dump("--deep-iteration", "--files", all);
    assertTrue(deep.contains("producerId: 10"), deep.substring(0, 500));
    assertEquals(List.of(), faults(deep));
    String sane = dump("--index-sanity-check", "--files", onlyIndexes(all));
    assertEquals(List.of(), faults(sane));
    assertTrue(sane.contains("passed sanity check"));
    assertFalse(sane.contains("fail"));
    // A test that cannot fail is a defect: an index entry that points elsewhere is found.
    Path index = oursRoot.resolve("t-0/00000000000000000000.index");
    byte[] bytes = Files.readAllBytes(index);
    bytes[3]++;
    Files.write(index, bytes);
    assertFalse(faults(dump("--deep-iteration", "--files", all)).isEmpty());
  }

  private static String onlyIndexes(String all) {
    return Stream.of(all.split(","))
        .filter(n -> n.endsWith("index") && !n.endsWith(".txnindex"))
        .collect(Collectors.joining(","));
  }

  private static List<String> faults(String out) {
    return out.lines()
        .filter(
            l ->
                l.contains("ismatch")
                    // Of every segment but the first, 4.4.0 says that -1 is followed by its base.
                    || l.contains(" is followed by ") && !l.contains(" -1 is")
                    || l.contains("Found")
                    || l.contains("isvalid: false")
                    || l.contains("corrupt"))
        .toList();
  }

  private static String dump(String... args) throws IOException {
    PrintStream out0 = System.out;
    PrintStream err0 = System.err;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream both = new PrintStream(out, true, StandardCharsets.UTF_8);
    System.setOut(both);
    System.setErr(both);
    try {
      DumpLogSegments.main(args);
    } finally {
      System.setOut(out0);
      System.setErr(err0);
    }
    return out.toString(StandardCharsets.UTF_8);
  }
}
