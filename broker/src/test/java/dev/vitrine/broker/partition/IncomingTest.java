package dev.vitrine.broker.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.record.AppendRules;
import dev.vitrine.protocol.record.BatchBuilder;
import dev.vitrine.protocol.record.Batches;
import dev.vitrine.protocol.record.Compression;
import dev.vitrine.protocol.record.Record;
import dev.vitrine.protocol.record.RecordIterator;
import dev.vitrine.protocol.record.TimestampType;
import dev.vitrine.sim.SimWorld;
import dev.vitrine.storage.LogConfig;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches that take long are looked at elsewhere, and the log keeps the order all the same. */
class IncomingTest {
  private static final int LARGE = 900_000;
  private final SimWorld world = new SimWorld(1);
  private final Replica one = new Replica(world, 1, 1);

  private static AppendRules rules(Compression codec) {
    return new AppendRules(
        false,
        TimestampType.CREATE_TIME,
        Long.MAX_VALUE,
        Long.MAX_VALUE,
        codec,
        codec == null ? 0 : codec.defaultLevel(),
        1_048_588,
        Integer.MAX_VALUE);
  }

  private void settings(AppendRules rules) {
    one.partition.settings(new TopicSettings(LogConfig.DEFAULT, rules, 1));
  }

  private void append(ByteBuf batch) {
    one.partition.append(batch, (short) 11, (short) 1, 0, one.outcomes::add);
  }

  private static ByteBuf batch(Compression codec, String key, int valueSize) {
    ByteBuf out = Unpooled.buffer();
    try (BatchBuilder b = new BatchBuilder(out).compression(codec)) {
      b.append(1_000, key.getBytes(), new byte[valueSize]);
      b.build();
    }
    return out;
  }

  private List<String> keysInLog() {
    List<String> keys = new ArrayList<>();
    ByteBuf all = Unpooled.buffer();
    while (true) {
      long next = keys.size();
      var slice = one.log.read(next, 10_000_000, one.log.logEndOffset(), true).records();
      slice.writeTo(all.clear());
      slice.release();
      if (!all.isReadable()) {
        return keys;
      }
      Batches batches = new Batches(all);
      while (batches.next()) {
        try (RecordIterator it = batches.batch().records()) {
          while (it.next()) {
            Record r = it.record();
            assertEquals(keys.size(), r.offset());
            keys.add(new String(r.keyBytes()));
          }
        }
      }
    }
  }

  @Test
  void whatIsBriefIsAppendedWithinTheCall() {
    one.lead(1, 0, 0, List.of(1));
    append(batch(Compression.ZSTD, "a", 1_000));
    assertEquals(Errors.NONE, one.outcomes.get(0).error());
  }

  @Test
  void whatDecompressesToMuchIsLeftToADiskWorker() {
    one.lead(1, 0, 0, List.of(1));
    ByteBuf small = batch(Compression.ZSTD, "a", 20_000_000);
    assertTrue(small.readableBytes() < 10_000, "a small batch of a large record");
    append(small);
    assertEquals(List.of(), one.outcomes);
    world.runFor(100);
    assertEquals(Errors.NONE, one.outcomes.get(0).error());
    assertEquals(List.of("a"), keysInLog());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void theLogHasThemInTheOrderInWhichTheyCame(long seed) {
    one.lead(1, 0, 0, List.of(1));
    Random random = new Random(seed);
    List<String> sent = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      sent.add("k" + i);
      append(
          batch(
              random.nextBoolean() ? Compression.LZ4 : Compression.NONE,
              "k" + i,
              random.nextBoolean() ? LARGE : 10));
      if (random.nextInt(4) == 0) {
        world.runFor(random.nextInt(10));
      }
    }
    world.runFor(1_000);
    assertEquals(sent, keysInLog());
    assertEquals(60, one.outcomes.size());
    for (int i = 0; i < 60; i++) {
      assertEquals(i, one.outcomes.get(i).baseOffset());
    }
  }

  @Test
  void theCodecOfTheTopicIsAppliedElsewhere() {
    settings(rules(Compression.GZIP));
    one.lead(1, 0, 0, List.of(1));
    append(batch(Compression.NONE, "a", 10));
    append(batch(Compression.GZIP, "b", 10));
    assertEquals(List.of(), one.outcomes, "b waits for a");
    world.runFor(100);
    assertEquals(List.of("a", "b"), keysInLog());
  }

  @Test
  void aBadBatchDoesNotHoldUpThoseBehindIt() {
    one.lead(1, 0, 0, List.of(1));
    ByteBuf bad = batch(Compression.LZ4, "a", LARGE);
    bad.setByte(bad.readableBytes() - 1, ~bad.getByte(bad.readableBytes() - 1));
    append(batch(Compression.LZ4, "b", LARGE));
    append(bad);
    append(batch(Compression.NONE, "c", 10));
    world.runFor(100);
    assertEquals(
        List.of(Errors.NONE, Errors.CORRUPT_MESSAGE, Errors.NONE),
        one.outcomes.stream().map(AppendOutcome::error).toList());
    assertEquals(List.of("b", "c"), keysInLog());
  }

  @Test
  void whoLosesTheLeadershipMeanwhileAppendsNothing() {
    settings(rules(Compression.LZ4));
    one.lead(1, 0, 0, List.of(1, 2));
    append(batch(Compression.NONE, "a", 10));
    append(batch(Compression.NONE, "b", 10));
    one.lead(2, 1, 1, List.of(1, 2));
    assertEquals(List.of(), one.outcomes, "the bytes are still looked at");
    world.runFor(100);
    assertEquals(
        List.of(Errors.NOT_LEADER_OR_FOLLOWER, Errors.NOT_LEADER_OR_FOLLOWER),
        one.outcomes.stream().map(AppendOutcome::error).toList());
    assertEquals(0, one.log.logEndOffset());
  }

  @Test
  void aClosedPartitionAnswersWhenNobodyLooksAtTheBytesAnyMore() {
    settings(rules(Compression.LZ4));
    one.lead(1, 0, 0, List.of(1));
    append(batch(Compression.NONE, "a", 10));
    one.partition.close();
    world.runFor(100);
    assertEquals(Errors.NOT_LEADER_OR_FOLLOWER, one.outcomes.get(0).error());
  }
}
