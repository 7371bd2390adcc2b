package dev.vitrine.protocol.record;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.record.Validation.Accepted;
import dev.vitrine.protocol.record.Validation.Rejected;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.PrimitiveRef;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.LogValidator;
import org.apache.kafka.storage.internals.log.RecordValidationException;
import org.junit.jupiter.api.Test;
import org.xerial.snappy.SnappyError;

/**
 * The same random batches, whole and spoiled, through our validator and through Kafka's own: what
 * is accepted has the same bytes, what is refused the same error, and the same words for each
 * record.
 */
class LogValidatorDifferentialTest {
  private static final int TRIES = Integer.getInteger("tries", 8_000);
  private static final TopicPartition T0 = new TopicPartition("t", 0);
  private static final long NOW = 1_700_000_000_000L;
  private static final int LEADER_EPOCH = 5;

  private enum Outcome {
    SAME_BYTES,
    SAME_RECORDS,
    SAME_ERROR,
    SAME_RECORD_ERRORS,
    OFFSETS_PUT_RIGHT,
    KAFKA_FALLS,
    WRONG_SIZE
  }

  private final Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);

  @Test
  void theSameBytesOrTheSameError() {
    for (int seed = 0; seed < TRIES; seed++) {
      Random random = new Random(seed);
      AppendRules rules = rules(random);
      ByteBuf batch = batch(random);
      byte[] bytes = ByteBufUtil.getBytes(batch);
      try {
        outcomes.merge(compare(bytes, rules), 1, Integer::sum);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError(
            "seed " + seed + ", " + rules + ", " + new RecordBatch(batch, 0), e);
      }
    }
    System.out.println("batches against Kafka's validator: " + new TreeMap<>(outcomes));
    for (Outcome o : Outcome.values()) {
      assertTrue(outcomes.getOrDefault(o, 0) > TRIES / 2000, o + " is hardly looked at");
    }
  }

  // ---- what is sent

  private static AppendRules rules(Random random) {
    Compression target = random.nextInt(3) > 0 ? null : Compression.values()[random.nextInt(5)];
    int level = 0;
    if (target != null) {
      level = random.nextBoolean() ? target.defaultLevel() : Math.max(1, target.minLevel());
    }
    return new AppendRules(
        random.nextInt(4) == 0,
        random.nextInt(3) == 0 ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME,
        random.nextBoolean() ? Long.MAX_VALUE : 3_600_000,
        random.nextInt(4) == 0 ? Long.MAX_VALUE : 3_600_000,
        target,
        level,
        random.nextInt(20) == 0 ? 120 : 1_000_000,
        Integer.MAX_VALUE - 8);
  }

  private static long timestamp(Random random) {
    return switch (random.nextInt(20)) {
      case 0 -> -1;
      case 1 -> NOW - 3_600_001;
      case 2 -> NOW + 3_600_001;
      case 3 -> 0;
      default -> NOW + random.nextInt(1_000) - 500;
    };
  }

  private static ByteBuf bytes(Random random) {
    if (random.nextInt(6) == 0) {
      return null;
    }
    byte[] b = new byte[random.nextInt(30)];
    if (random.nextBoolean()) {
      random.nextBytes(b);
    }
    return Unpooled.wrappedBuffer(b);
  }

  private static ByteBuf batch(Random random) {
    ByteBuf out = Unpooled.buffer();
    Compression codec = Compression.values()[random.nextInt(5)];
    BatchBuilder b = new BatchBuilder(out).compression(codec);
    if (random.nextInt(3) == 0) {
      b.producer(random.nextInt(100), (short) random.nextInt(3), random.nextInt(100));
    }
    b.transactional(random.nextInt(20) == 0).control(random.nextInt(40) == 0);
    if (random.nextInt(20) == 0) {
      b.logAppendTime(NOW);
    }
    int records = 1 + random.nextInt(random.nextInt(10) == 0 ? 200 : 5);
    boolean gaps = random.nextInt(15) == 0;
    long offset = 0;
    for (int i = 0; i < records; i++) {
      offset += gaps ? 1 + random.nextInt(2) : i == 0 ? 0 : 1;
      List<RecordHeader> headers = new ArrayList<>();
      for (int h = random.nextInt(4) - 2; h > 0; h--) {
        headers.add(new RecordHeader("h" + h, bytes(random)));
      }
      b.appendAt(offset, timestamp(random), bytes(random), bytes(random), headers);
    }
    b.build();
    if (gaps) {
      out.setInt(BatchHeader.LAST_OFFSET_DELTA, records - 1);
      new RecordBatch(out, 0).writeCrc();
    }
    if (random.nextInt(3) == 0) {
      spoil(random, out);
    }
    return out;
  }

  /** One or two changes, and mostly a right CRC for them. */
  private static void spoil(Random random, ByteBuf out) {
    for (int n = 1 + random.nextInt(2); n > 0; n--) {
      switch (random.nextInt(9)) {
        case 0 -> out.setInt(BatchHeader.RECORD_COUNT, random.nextInt(5) - 2);
        case 1 -> out.setInt(BatchHeader.LAST_OFFSET_DELTA, random.nextInt(5) - 2);
        case 2 -> out.setLong(BatchHeader.MAX_TIMESTAMP, NOW + random.nextInt(100));
        case 3 -> out.setLong(BatchHeader.BASE_TIMESTAMP, random.nextLong());
        case 4 ->
            out.setShort(
                BatchHeader.ATTRIBUTES,
                out.getShort(BatchHeader.ATTRIBUTES) ^ 1 << 3 + random.nextInt(13));
        case 5 -> out.setShort(BatchHeader.ATTRIBUTES, random.nextInt(8));
        case 6 -> out.setInt(BatchHeader.BASE_SEQUENCE, random.nextInt(5) - 2);
        default -> {
          int at = BatchHeader.SIZE + random.nextInt(out.readableBytes() - BatchHeader.SIZE);
          out.setByte(at, random.nextBoolean() ? random.nextInt(8) : random.nextInt());
        }
      }
    }
    if (random.nextInt(10) > 0) {
      new RecordBatch(out, 0).writeCrc();
    }
  }

  // ---- what becomes of it

  private Outcome compare(byte[] bytes, AppendRules rules) {
    Validation ours =
        new BatchValidator(UnpooledByteBufAllocator.DEFAULT)
            .validateProduced(T0, Unpooled.wrappedBuffer(bytes.clone()), (short) 9, rules, NOW);
    if (bytes.length > rules.maxMessageBytes()) {
      assertEquals(Errors.MESSAGE_TOO_LARGE.code(), ((Rejected) ours).errorCode());
      return Outcome.SAME_ERROR;
    }
    if (ours instanceof Rejected r && isOfASize(r)) {
      // Kafka does not look at the size of a compressed record, and no consumer could read it.
      return Outcome.WRONG_SIZE;
    }
    MemoryRecords theirs;
    try {
      theirs = kafka(bytes.clone(), rules);
    } catch (RecordValidationException e) {
      return sameRecordErrors(e, assertInstanceOf(Rejected.class, ours));
    } catch (ApiException e) {
      Rejected r = assertInstanceOf(Rejected.class, ours, e::toString);
      assertEquals(Errors.forException(e), Errors.forCode(r.errorCode()), e + " / " + r);
      return Outcome.SAME_ERROR;
    } catch (UnsupportedOperationException e) {
      assertTrue(assertInstanceOf(Accepted.class, ours).rewritten());
      release((Accepted) ours);
      return Outcome.OFFSETS_PUT_RIGHT;
    } catch (RuntimeException | SnappyError e) {
      Rejected r = assertInstanceOf(Rejected.class, ours, e::toString);
      assertEquals(Errors.INVALID_RECORD, Errors.forCode(r.errorCode()), e + " / " + r);
      return Outcome.KAFKA_FALLS;
    }
    if (theirs.sizeInBytes() > rules.maxMessageBytes()) {
      assertEquals(Errors.MESSAGE_TOO_LARGE.code(), ((Rejected) ours).errorCode());
      return Outcome.SAME_ERROR;
    }
    Accepted accepted = assertInstanceOf(Accepted.class, ours, () -> "" + ours);
    try {
      return sameBatch(bytes, theirs, accepted);
    } finally {
      release(accepted);
    }
  }

  private static boolean isOfASize(Rejected r) {
    return r.reason().contains("are left over in a record payload")
        || r.reason().contains("Found invalid record structure");
  }

  private static void release(Accepted accepted) {
    if (accepted.rewritten()) {
      accepted.batch().release();
    }
  }

  private static Outcome sameRecordErrors(RecordValidationException theirs, Rejected ours) {
    assertEquals(Errors.forException(theirs.invalidException()), Errors.forCode(ours.errorCode()));
    assertEquals(theirs.invalidException().getMessage(), ours.responseMessage());
    assertEquals(
        theirs.recordErrors().stream().map(e -> e.batchIndex + " " + e.message).toList(),
        ours.recordErrors().stream().map(e -> e.batchIndex() + " " + e.message()).toList());
    return Outcome.SAME_RECORD_ERRORS;
  }

  private static Outcome sameBatch(byte[] sent, MemoryRecords theirs, Accepted ours) {
    RecordBatch our = new RecordBatch(ours.batch(), ours.batch().readerIndex());
    our.setPartitionLeaderEpoch(LEADER_EPOCH);
    byte[] ourBytes = ByteBufUtil.getBytes(ours.batch());
    byte[] theirBytes = Utils.toArray(theirs.buffer());
    if (java.util.Arrays.equals(theirBytes, ourBytes)) {
      return Outcome.SAME_BYTES;
    }
    RecordBatch their = new RecordBatch(Unpooled.wrappedBuffer(theirBytes), 0);
    assertTrue(our.isValid());
    boolean sameOffsets = offsets(their).equals(offsets(our));
    if (!sameOffsets
        && new RecordBatch(Unpooled.wrappedBuffer(sent), 0).timestampType()
            == TimestampType.LOG_APPEND_TIME) {
      // Written anew with the time that the batch said all of them had.
      return Outcome.OFFSETS_PUT_RIGHT;
    }
    assertTrue(ours.rewritten(), "in place it must be the same");
    if (sameOffsets) {
      assertTrue(our.isCompressed(), "only a codec is free to write otherwise");
    }
    for (int field :
        new int[] {
          BatchHeader.BASE_OFFSET,
          BatchHeader.BASE_TIMESTAMP,
          BatchHeader.MAX_TIMESTAMP,
          BatchHeader.PRODUCER_ID
        }) {
      assertEquals(their.buffer().getLong(field), our.buffer().getLong(our.index() + field));
    }
    // Of what has no meaning, nothing is kept.
    int known = sameOffsets ? -1 : BatchHeader.KNOWN_FLAGS;
    assertEquals(their.attributes() & known, our.attributes() & known);
    assertEquals(their.lastOffset(), our.lastOffset());
    assertEquals(their.recordCount(), our.recordCount());
    assertEquals(their.baseSequence(), our.baseSequence());
    assertEquals(their.producerEpoch(), our.producerEpoch());
    assertArrayEquals(contents(their).toArray(), contents(our).toArray());
    return sameOffsets ? Outcome.SAME_RECORDS : Outcome.OFFSETS_PUT_RIGHT;
  }

  private static List<Long> offsets(RecordBatch batch) {
    List<Long> offsets = new ArrayList<>();
    try (RecordIterator it = batch.records()) {
      while (it.next()) {
        offsets.add(it.record().offset());
      }
    }
    return offsets;
  }

  private static List<String> contents(RecordBatch batch) {
    List<String> all = new ArrayList<>();
    try (RecordIterator it = batch.records()) {
      while (it.next()) {
        Record r = it.record();
        StringBuilder s = new StringBuilder(r.timestamp() + " ");
        s.append(r.hasKey() ? ByteBufUtil.hexDump(r.key()) : null).append(' ');
        s.append(r.hasValue() ? ByteBufUtil.hexDump(r.value()) : null);
        r.headers()
            .forEach(
                h ->
                    s.append(' ')
                        .append(h.key())
                        .append('=')
                        .append(h.value() == null ? null : ByteBufUtil.hexDump(h.value())));
        all.add(s.toString());
      }
    }
    return all;
  }

  // ---- Kafka's

  private static MemoryRecords kafka(byte[] bytes, AppendRules rules) {
    MemoryRecords records = MemoryRecords.readableRecords(ByteBuffer.wrap(bytes));
    var batch = records.batches().iterator().next();
    batch.ensureValid();
    CompressionType source = batch.compressionType();
    org.apache.kafka.common.compress.Compression target =
        compression(rules.compression() == null ? source : type(rules.compression()), rules);
    LogValidator validator =
        new LogValidator(
            records,
            new org.apache.kafka.common.TopicPartition("t", 0),
            atNow(),
            source,
            target,
            rules.compacted(),
            (byte) 2,
            rules.timestampType() == TimestampType.CREATE_TIME
                ? org.apache.kafka.common.record.TimestampType.CREATE_TIME
                : org.apache.kafka.common.record.TimestampType.LOG_APPEND_TIME,
            rules.timestampBeforeMaxMs(),
            rules.timestampAfterMaxMs(),
            LEADER_EPOCH,
            AppendOrigin.CLIENT);
    return validator
        .validateMessagesAndAssignOffsets(
            PrimitiveRef.ofLong(0), new NoMetrics(), BufferSupplier.NO_CACHING)
        .validatedRecords();
  }

  private static Time atNow() {
    return (Time)
        Proxy.newProxyInstance(
            Time.class.getClassLoader(),
            new Class<?>[] {Time.class},
            (proxy, method, args) -> {
              assertTrue(method.getName().matches("milliseconds|nanoseconds"), method.getName());
              return NOW; // nanoseconds go into metrics alone
            });
  }

  private static CompressionType type(Compression c) {
    return CompressionType.forId(c.id());
  }

  private static org.apache.kafka.common.compress.Compression compression(
      CompressionType type, AppendRules rules) {
    boolean ofTopic = rules.compression() != null;
    return switch (type) {
      case GZIP -> {
        var b = org.apache.kafka.common.compress.Compression.gzip();
        yield ofTopic ? b.level(rules.compressionLevel()).build() : b.build();
      }
      case LZ4 -> {
        var b = org.apache.kafka.common.compress.Compression.lz4();
        yield ofTopic ? b.level(rules.compressionLevel()).build() : b.build();
      }
      case ZSTD -> {
        var b = org.apache.kafka.common.compress.Compression.zstd();
        yield ofTopic ? b.level(rules.compressionLevel()).build() : b.build();
      }
      default -> org.apache.kafka.common.compress.Compression.of(type).build();
    };
  }

  private static final class NoMetrics implements LogValidator.MetricsRecorder {
    @Override
    public void recordInvalidMagic() {}

    @Override
    public void recordInvalidOffset() {}

    @Override
    public void recordInvalidSequence() {}

    @Override
    public void recordInvalidChecksums() {}

    @Override
    public void recordNoKeyCompactedTopic() {}
  }
}
