package dev.vitrine.protocol.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.record.Validation.Accepted;
import dev.vitrine.protocol.record.Validation.Rejected;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rule by rule; codes and texts are those that Apache Kafka 4.4 answers to the same bytes. */
class BatchValidatorTest {
  private static final TopicPartition T0 = new TopicPartition("t", 0);
  private static final long NOW = 1_700_000_000_000L;
  private static final AppendRules RULES = AppendRules.DEFAULTS;
  private static final AppendRules COMPACTED =
      new AppendRules(
          true, TimestampType.CREATE_TIME, Long.MAX_VALUE, 3_600_000, null, 0, 10_000, 1_000_000);
  private static final AppendRules LOG_APPEND_TIME =
      new AppendRules(
          false, TimestampType.LOG_APPEND_TIME, Long.MAX_VALUE, 10, null, 0, 10_000, 1_000_000);

  private final BatchValidator validator = new BatchValidator(UnpooledByteBufAllocator.DEFAULT);

  private static ByteBuf batch(Compression c, long... timestamps) {
    ByteBuf out = Unpooled.buffer();
    BatchBuilder b = new BatchBuilder(out).compression(c);
    for (long t : timestamps) {
      b.append(t, new byte[] {1}, new byte[] {2, 3});
    }
    b.build();
    return out;
  }

  private static ByteBuf two() {
    return batch(Compression.NONE, NOW, NOW);
  }

  /** The batch of two after a change to its bytes, with a right CRC. */
  private static ByteBuf changed(Consumer<ByteBuf> change) {
    ByteBuf b = two();
    change.accept(b);
    new RecordBatch(b, 0).writeCrc();
    return b;
  }

  private Validation validate(ByteBuf in, AppendRules rules) {
    return validator.validateProduced(T0, in, (short) 9, rules, NOW);
  }

  private Accepted accepted(ByteBuf in, AppendRules rules) {
    Accepted a = assertInstanceOf(Accepted.class, validate(in, rules));
    RecordBatch b = new RecordBatch(a.batch(), a.batch().readerIndex());
    assertTrue(b.isValid());
    assertEquals(a.recordCount(), b.recordCount());
    assertEquals(a.recordCount() - 1, b.lastOffset());
    assertEquals(a.maxTimestamp(), b.maxTimestamp());
    assertEquals(a.timestampType(), b.timestampType());
    return a;
  }

  private Rejected rejected(int code, String reason, ByteBuf in, AppendRules rules) {
    Rejected r = assertInstanceOf(Rejected.class, validate(in, rules));
    assertEquals(code, r.errorCode(), r.reason());
    assertTrue(r.reason().startsWith(reason), r.reason());
    return r;
  }

  private void invalid(String reason, ByteBuf in) {
    Rejected r = rejected(87, reason, in, RULES);
    assertNull(r.responseMessage());
    assertEquals(List.of(), r.recordErrors());
  }

  @Test
  void aSoundBatchIsTakenAsItLies() {
    ByteBuf in = Unpooled.buffer().writeZero(5).writeBytes(two()).skipBytes(5);
    byte[] before = Arrays.copyOf(in.array(), in.writerIndex());
    Accepted a = accepted(in, RULES);
    assertSame(in, a.batch());
    assertFalse(a.rewritten());
    assertEquals(2, a.recordCount());
    assertEquals(NOW, a.maxTimestamp());
    assertTrue(Arrays.equals(before, Arrays.copyOf(in.array(), in.writerIndex())));
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void aCompressedBatchIsTakenAsItLies(Compression c) {
    ByteBuf in = batch(c, NOW, NOW + 5, NOW - 5);
    Accepted a = accepted(in, RULES);
    assertSame(in, a.batch());
    assertEquals(NOW + 5, a.maxTimestamp());
  }

  @Test
  void exactlyOneBatch() {
    String none = "Produce requests with version 9 must have at least one record batch";
    assertEquals(87, ((Rejected) validate(null, RULES)).errorCode());
    invalid(none, Unpooled.EMPTY_BUFFER);
    invalid(none, two().writerIndex(30));
    invalid(none, two().writerIndex(70));
    invalid(
        "Produce requests with version 9 are only allowed to contain exactly one record batch",
        two().writeBytes(two()));
    // Less than a batch behind it is cut off, as in Kafka.
    int size = two().readableBytes();
    assertEquals(size, accepted(two().writeZero(5), RULES).batch().readableBytes());
    ByteBuf half = two().writeBytes(two(), 40);
    assertEquals(size, accepted(half, RULES).batch().readableBytes());
  }

  @Test
  void onlyFormat2() {
    for (int magic : new int[] {0, 1}) {
      invalid(
          "Produce requests with version 9 are only allowed to contain record batches with magic",
          changed(b -> b.setByte(BatchHeader.MAGIC, magic)));
    }
    String reason = "Invalid magic found in record: 3";
    Rejected r = rejected(2, reason, changed(b -> b.setByte(BatchHeader.MAGIC, 3)), RULES);
    assertEquals(reason, r.responseMessage());
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 13, 14, 48})
  void aLengthThatNoBatchHas(int length) {
    rejected(2, "Record", two().setInt(BatchHeader.LENGTH, length), RULES);
  }

  @ParameterizedTest
  @ValueSource(ints = {1000, Integer.MAX_VALUE - 12, Integer.MAX_VALUE})
  void aLengthBeyondTheBytes(int length) {
    invalid("Produce requests", two().setInt(BatchHeader.LENGTH, length));
  }

  @Test
  void zstdNeedsVersion7() {
    ByteBuf in = batch(Compression.ZSTD, NOW);
    Validation v = validator.validateProduced(T0, in, (short) 6, RULES, NOW);
    assertEquals(76, ((Rejected) v).errorCode());
    v = validator.validateProduced(T0, in, (short) 7, RULES, NOW);
    assertInstanceOf(Accepted.class, v);
  }

  @Test
  void crc() {
    Rejected r = rejected(2, "Record is corrupt (stored crc = ", two().setByte(70, 9), RULES);
    assertNull(r.responseMessage());
  }

  @Test
  void size() {
    ByteBuf large = Unpooled.buffer();
    new BatchBuilder(large).append(NOW, new byte[1], new byte[10_000]).build();
    rejected(10, "The record batch size in the append to t-0 is ", large, COMPACTED);
    // Before the CRC, after the base offset.
    rejected(10, "The record batch size", large.setByte(200, 9), COMPACTED);
    rejected(87, "The baseOffset", large.setLong(0, 9), COMPACTED);
  }

  @Test
  void headerFields() {
    invalid(
        "The baseOffset of the record batch in the append to t-0 should be 0, but it is 5",
        changed(b -> b.setLong(BatchHeader.BASE_OFFSET, 5)));
    invalid(
        "Batch has an invalid offset range: [0, -1]",
        changed(b -> b.setInt(BatchHeader.LAST_OFFSET_DELTA, -1)));
    invalid(
        "Inconsistent batch offset range [0, 5] and count of records 2",
        changed(b -> b.setInt(BatchHeader.LAST_OFFSET_DELTA, 5)));
    invalid(
        "Invalid reported count for record batch: 0",
        changed(b -> b.setInt(BatchHeader.RECORD_COUNT, 0)));
    invalid(
        "Invalid reported count for record batch: -1",
        changed(b -> b.setInt(BatchHeader.RECORD_COUNT, -1)));
    invalid(
        "Clients are not allowed to write control records",
        changed(b -> b.setShort(BatchHeader.ATTRIBUTES, 0x20)));
    invalid(
        "Invalid sequence number -1 in record batch with producerId 5",
        changed(b -> b.setLong(BatchHeader.PRODUCER_ID, 5)));
    invalid("Unknown compression type id: 5", changed(b -> b.setShort(BatchHeader.ATTRIBUTES, 5)));
    // A sequence without a producer id is Kafka's to ignore; so are flags that it does not know.
    accepted(changed(b -> b.setInt(BatchHeader.BASE_SEQUENCE, 7)), RULES);
    accepted(changed(b -> b.setShort(BatchHeader.ATTRIBUTES, 0x4080)), RULES);
  }

  @Test
  void records() {
    invalid(
        "Incorrect declared batch size, records still remaining in file",
        changed(
            b -> b.setInt(BatchHeader.RECORD_COUNT, 1).setInt(BatchHeader.LAST_OFFSET_DELTA, 0)));
    invalid(
        "Incorrect declared batch size, premature EOF reached",
        changed(
            b -> b.setInt(BatchHeader.RECORD_COUNT, 3).setInt(BatchHeader.LAST_OFFSET_DELTA, 2)));
    invalid("Invalid record size", changed(b -> b.setByte(BatchHeader.SIZE, 100)));
    invalid("Invalid record size", changed(b -> b.setByte(BatchHeader.SIZE, 1)));
    invalid("Found invalid record structure", changed(b -> b.setByte(BatchHeader.SIZE, 8)));
  }

  @Test
  void bytesThatDoNotDecompress() {
    for (Compression c : Compression.values()) {
      if (c != Compression.NONE) {
        ByteBuf in = batch(Compression.NONE, NOW, NOW);
        in.setShort(BatchHeader.ATTRIBUTES, c.id());
        new RecordBatch(in, 0).writeCrc();
        rejected(87, "Failed to decompress record stream", in, RULES);
      }
    }
  }

  @Test
  void timestampsOutOfRange() {
    long late = NOW + 3_600_001;
    Rejected r =
        rejected(
            32,
            "One or more records have been rejected due to invalid timestamp",
            batch(Compression.GZIP, NOW, late, NOW + 3_600_000, -1),
            RULES);
    assertEquals(r.reason(), r.responseMessage());
    assertEquals(1, r.recordErrors().size());
    assertEquals(1, r.recordErrors().get(0).batchIndex());
    assertEquals(
        "Timestamp "
            + late
            + " of message with offset 1 is out of range. The timestamp should be within ["
            + (NOW - Long.MAX_VALUE)
            + ", "
            + (NOW + 3_600_000)
            + "]",
        r.recordErrors().get(0).message());
    rejected(32, "One", batch(Compression.NONE, Long.MIN_VALUE), RULES);
    rejected(32, "One", batch(Compression.NONE, Long.MAX_VALUE), RULES);
    accepted(batch(Compression.NONE, -1, -1), RULES);
    AppendRules young =
        new AppendRules(false, TimestampType.CREATE_TIME, 100, 100, null, 0, 10_000, 1000);
    accepted(batch(Compression.NONE, NOW - 100, NOW + 100), young);
    rejected(32, "One", batch(Compression.NONE, NOW - 101), young);
  }

  @Test
  void theMaximumTimestampIsTheRecords() {
    ByteBuf in = changed(b -> b.setLong(BatchHeader.MAX_TIMESTAMP, 5));
    assertEquals(NOW, accepted(in, RULES).maxTimestamp());
  }

  @Test
  void logAppendTimeIsSetInPlace() {
    ByteBuf in = batch(Compression.ZSTD, 5, 7);
    Accepted a = accepted(in, LOG_APPEND_TIME);
    assertSame(in, a.batch());
    assertEquals(NOW, a.maxTimestamp());
    assertEquals(TimestampType.LOG_APPEND_TIME, a.timestampType());
    RecordBatch b = new RecordBatch(in, 0);
    assertEquals(Compression.ZSTD, b.compression());
    try (RecordIterator it = b.records()) {
      assertTrue(it.next());
      assertEquals(NOW, it.record().timestamp());
    }
  }

  @Test
  void aProducerMayNotSetLogAppendTime() {
    ByteBuf in = changed(b -> b.setShort(BatchHeader.ATTRIBUTES, 8));
    Rejected r = rejected(32, "One or more", in, LOG_APPEND_TIME);
    assertEquals(
        "Invalid timestamp type in message DefaultRecord(offset=0, timestamp="
            + NOW
            + ", key=1 bytes, value=2 bytes). Producer should not set timestamp type to LogAppendTime.",
        r.recordErrors().get(0).message());
    // As in Kafka, it is overwritten without a word where the topic has create time.
    accepted(in, RULES);
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void compactedTopicsNeedKeys(Compression c) {
    ByteBuf in = Unpooled.buffer();
    BatchBuilder b = new BatchBuilder(in).compression(c);
    for (int i = 0; i < 6; i++) {
      b.append(NOW, i == 1 ? new byte[0] : null, new byte[3]);
    }
    b.build();
    accepted(in.copy(), RULES);
    Rejected r =
        rejected(
            87,
            "One or more records have been rejected due to 5 record errors in total, and only"
                + " showing the first three errors at most: [RecordError(batchIndex=0,"
                + " message='Compacted topic cannot accept message without key in topic partition"
                + " t-0'), RecordError(batchIndex=2, message=",
            in,
            COMPACTED);
    assertEquals(r.reason(), r.responseMessage());
    assertEquals(
        List.of(0, 2, 3, 4, 5), r.recordErrors().stream().map(e -> e.batchIndex()).toList());
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void theTopicsCodec(Compression target) {
    AppendRules rules =
        new AppendRules(
            false,
            TimestampType.CREATE_TIME,
            Long.MAX_VALUE,
            3_600_000,
            target,
            target.defaultLevel(),
            10_000,
            1_000_000);
    for (Compression source : Compression.values()) {
      ByteBuf in = Unpooled.buffer();
      new BatchBuilder(in)
          .compression(source)
          .producer(7, (short) 1, 5)
          .transactional(true)
          .append(NOW, Unpooled.wrappedBuffer(new byte[9]), null, List.of())
          .append(
              NOW + 1,
              null,
              Unpooled.wrappedBuffer(new byte[5]),
              List.of(new RecordHeader("h", null)))
          .build();
      Accepted a = accepted(in, rules);
      assertEquals(source != target, a.rewritten());
      RecordBatch out = new RecordBatch(a.batch(), a.batch().readerIndex());
      assertEquals(target, out.compression());
      assertEquals(7, out.producerId());
      assertEquals(1, out.producerEpoch());
      assertEquals(5, out.baseSequence());
      assertTrue(out.isTransactional());
      KafkaClients.assertSameRecords(KafkaClients.batch(in), out);
      if (a.rewritten()) {
        assertTrue(a.batch().release());
      }
    }
  }

  @Test
  void whatTheTopicsCodecMakesTooLarge() {
    AppendRules rules =
        new AppendRules(
            false,
            TimestampType.CREATE_TIME,
            Long.MAX_VALUE,
            3_600_000,
            Compression.NONE,
            0,
            10_000,
            100_000_000);
    ByteBuf in = Unpooled.buffer();
    BatchBuilder b = new BatchBuilder(in).compression(Compression.ZSTD);
    for (int i = 0; i < 100; i++) {
      b.append(NOW, null, new byte[100_000]);
    }
    b.build();
    rejected(10, "The record batch size", in, rules);
  }

  @Test
  void theLargestRecordOfACompressedBatch() {
    ByteBuf in = Unpooled.buffer();
    new BatchBuilder(in)
        .compression(Compression.ZSTD)
        .append(NOW, new byte[1], new byte[2_000_000])
        .build();
    rejected(87, "Invalid record size: 2000010 exceeds the configured maximum", in, COMPACTED);
    accepted(in, RULES);
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void wrongOffsetsAreWrittenAnew(Compression c) {
    ByteBuf in = Unpooled.buffer();
    new BatchBuilder(in)
        .compression(c)
        .appendAt(3, NOW, null, null, List.of())
        .appendAt(9, NOW, null, null, List.of())
        .build(1 + 8);
    in.setInt(BatchHeader.LAST_OFFSET_DELTA, 1);
    new RecordBatch(in, 0).writeCrc();
    Accepted a = accepted(in, RULES);
    assertTrue(a.rewritten());
    try (RecordIterator it = new RecordBatch(a.batch(), 0).records()) {
      assertTrue(it.next());
      assertEquals(0, it.record().offset());
      assertTrue(it.next());
      assertEquals(1, it.record().offset());
    }
    a.batch().release();
  }

  @Test
  void aCoordinatorMayWriteControlRecords() {
    ByteBuf in = Unpooled.buffer();
    new EndTransactionMarker(ControlRecordType.COMMIT, 3).writeBatch(in, 7, (short) 0, NOW);
    Validation v = validator.validateOwn(T0, in, COMPACTED, NOW);
    assertSame(in, assertInstanceOf(Accepted.class, v).batch());
    v = validator.validateOwn(T0, in.writeZero(1), COMPACTED, NOW);
    assertNotNull(assertInstanceOf(Rejected.class, v));
  }

  // ---- what a shard leaves to others

  private static AppendRules codec(Compression target) {
    return new AppendRules(
        false,
        TimestampType.CREATE_TIME,
        Long.MAX_VALUE,
        3_600_000,
        target,
        target.defaultLevel(),
        10_000_000,
        1_000_000_000);
  }

  private static Validation brief(ByteBuf in, AppendRules rules) {
    byte[] before = Arrays.copyOf(in.array(), in.writerIndex());
    Validation v =
        BatchValidator.brief(UnpooledByteBufAllocator.DEFAULT)
            .validateProduced(T0, in, (short) 9, rules, NOW);
    if (v instanceof Validation.Unfinished) {
      assertTrue(Arrays.equals(before, Arrays.copyOf(in.array(), in.writerIndex())));
    }
    return v;
  }

  private static void unfinished(ByteBuf in, AppendRules rules) {
    assertInstanceOf(Validation.Unfinished.class, brief(in, rules));
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void whatTakesLongIsLeftUnfinished(Compression c) {
    ByteBuf large = Unpooled.buffer();
    new BatchBuilder(large).compression(c).append(NOW, null, new byte[3_000_000]).build();
    unfinished(large, codec(c));
    ByteBuf many = Unpooled.buffer();
    BatchBuilder b = new BatchBuilder(many).compression(c);
    for (int i = 0; i < 10_001; i++) {
      b.append(NOW, null, null);
    }
    b.build();
    unfinished(many, RULES);
    ByteBuf two = batch(c, NOW, NOW);
    assertInstanceOf(Accepted.class, brief(two, RULES));
    assertInstanceOf(Accepted.class, brief(two, codec(Compression.NONE)));
    if (c != Compression.LZ4) {
      unfinished(two, codec(Compression.LZ4));
    }
  }

  @Test
  void whatIsRefusedByItsHeaderIsRefusedAtOnce() {
    ByteBuf large = Unpooled.buffer();
    new BatchBuilder(large).append(NOW, null, new byte[3_000_000]).build();
    assertInstanceOf(Rejected.class, brief(large, RULES), "too large for the topic");
  }
}
