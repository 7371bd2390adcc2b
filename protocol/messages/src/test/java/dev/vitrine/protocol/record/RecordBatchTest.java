package dev.vitrine.protocol.record;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RecordBatchTest {
  private static ByteBuf batch(Compression c) {
    ByteBuf out = Unpooled.buffer();
    new BatchBuilder(out)
        .compression(c)
        .append(1000, new byte[] {1}, new byte[100])
        .append(2000, null, new byte[] {2})
        .build();
    return out;
  }

  @Test
  void setsInPlaceWhatKafkaSets() {
    ByteBuf ours = batch(Compression.NONE);
    MutableRecordBatch theirs = KafkaClients.batch(ours);
    RecordBatch b = new RecordBatch(ours, 0);
    ByteBuffer out = ByteBuffer.allocate(ours.readableBytes());

    long crc = b.crc();
    b.setLastOffset(500);
    b.setPartitionLeaderEpoch(7);
    theirs.setLastOffset(500);
    theirs.setPartitionLeaderEpoch(7);
    assertEquals(crc, b.crc());
    assertEquals(499, b.baseOffset());
    assertEquals(501, b.nextOffset());

    b.setMaxTimestamp(TimestampType.LOG_APPEND_TIME, 9999);
    theirs.setMaxTimestamp(org.apache.kafka.common.record.TimestampType.LOG_APPEND_TIME, 9999);
    assertNotEquals(crc, b.crc());
    b.ensureValid();
    theirs.writeTo(out);
    assertArrayEquals(out.array(), ByteBufUtil.getBytes(ours));
    KafkaClients.assertSameRecords(KafkaClients.batch(ours), b);

    b.setLastOffsetDelta(8);
    b.ensureValid();
    assertEquals(507, b.lastOffset());
  }

  @Test
  void sequencesWrapAround() {
    for (int base : new int[] {0, 5, Integer.MAX_VALUE - 1, Integer.MAX_VALUE}) {
      for (int by : new int[] {0, 1, 2, 1000}) {
        assertEquals(
            org.apache.kafka.common.record.internal.DefaultRecordBatch.incrementSequence(base, by),
            RecordBatch.incrementSequence(base, by));
      }
    }
  }

  @Test
  void saysWhatIsCorrupt() {
    ByteBuf b = batch(Compression.NONE);
    b.setByte(70, 99);
    CorruptRecordException e =
        assertThrows(CorruptRecordException.class, () -> new RecordBatch(b, 0).ensureValid());
    assertTrue(e.getMessage().startsWith("Record is corrupt (stored crc = "), e.getMessage());
    b.setInt(BatchHeader.LENGTH, 10);
    assertFalse(new RecordBatch(b, 0).isValid());
  }

  @Test
  void levelsAreKafkas() {
    for (var c : org.apache.kafka.common.record.internal.CompressionType.values()) {
      Compression ours = Compression.forConfigName(c.name);
      assertEquals(c.id, ours.id());
      if (ours == Compression.GZIP || ours == Compression.LZ4 || ours == Compression.ZSTD) {
        assertEquals(c.defaultLevel(), ours.defaultLevel());
        assertEquals(c.minLevel(), ours.minLevel());
        assertEquals(c.maxLevel(), ours.maxLevel());
      }
    }
    assertFalse(Compression.GZIP.isLevel(0));
    assertTrue(Compression.GZIP.isLevel(-1));
    assertFalse(Compression.LZ4.isLevel(18));
    assertThrows(InvalidRecordException.class, () -> Compression.forId(5));
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void everyLevelIsReadByKafka(Compression c) {
    for (int level : new int[] {c.minLevel(), c.defaultLevel(), c.maxLevel()}) {
      ByteBuf out = Unpooled.buffer();
      BatchBuilder b = new BatchBuilder(out).compression(c, level);
      for (int i = 0; i < 20; i++) {
        b.append(i, null, new byte[10_000]);
      }
      b.build();
      KafkaClients.assertSameRecords(KafkaClients.batch(out), new RecordBatch(out, 0));
    }
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void aRecordLargerThanAnyWindow(Compression c) {
    ByteBuf out = Unpooled.buffer();
    byte[] value = new byte[3_000_000];
    value[2_999_999] = 3;
    new BatchBuilder(out)
        .compression(c)
        .append(1, new byte[] {1}, value)
        .append(1, new byte[] {2}, value)
        .build();
    try (RecordIterator it = new RecordBatch(out, 0).records()) {
      assertTrue(it.next());
      assertArrayEquals(value, it.record().valueBytes());
      assertTrue(it.next());
      assertArrayEquals(new byte[] {2}, it.record().keyBytes());
      assertArrayEquals(value, it.record().valueBytes());
      assertFalse(it.next());
    }
  }

  /** One record that claims {@code claimed} bytes, of which {@code real} zeros are there. */
  private static ByteBuf bomb(Compression c, int claimed, long real) throws IOException {
    ByteBuf out = Unpooled.buffer();
    new BatchBuilder(out).append(1, null, null).build();
    out.writerIndex(BatchHeader.SIZE);
    out.setShort(BatchHeader.ATTRIBUTES, c.id());
    try (OutputStream to =
        c.compress(new io.netty.buffer.ByteBufOutputStream(out), c.defaultLevel())) {
      ByteBuf head = Unpooled.buffer();
      dev.vitrine.protocol.Varint.write(head, claimed);
      to.write(head.array(), 0, head.writerIndex());
      byte[] zeros = new byte[1 << 20];
      for (long left = real; left > 0; left -= zeros.length) {
        to.write(zeros, 0, (int) Math.min(left, zeros.length));
      }
    }
    out.setInt(BatchHeader.LENGTH, out.writerIndex() - BatchHeader.LOG_OVERHEAD);
    new RecordBatch(out, 0).writeCrc();
    return out;
  }

  @ParameterizedTest
  @EnumSource(
      value = Compression.class,
      names = {"GZIP", "LZ4", "ZSTD"})
  void aBombIsRefusedBeforeItGoesOff(Compression c) throws IOException {
    ByteBuf b = bomb(c, 100_000_000, 100_000_000);
    assertThrows(InvalidRecordException.class, () -> new RecordBatch(b, 0).records().next());
    // Without content it is walked in a window; only the record's structure is at fault.
    RecordIterator it =
        new RecordIterator()
            .maxRecordSize(Integer.MAX_VALUE)
            .resetWithoutContent(new RecordBatch(b, 0));
    assertThrows(InvalidRecordException.class, it::next);
    it.close();
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void aClaimAloneAllocatesNothing(Compression c) throws IOException {
    ByteBuf b = bomb(c, Integer.MAX_VALUE, 100);
    RecordIterator it =
        new RecordIterator().maxRecordSize(Integer.MAX_VALUE).reset(new RecordBatch(b, 0));
    assertThrows(InvalidRecordException.class, it::next);
  }

  @Test
  void aSnappyBlockMayNotClaimMoreThanSnappyCanExpandTo() {
    ByteBuf out = batch(Compression.SNAPPY);
    // The varint at the start of the first block is its uncompressed length.
    int block = BatchHeader.SIZE + 16 + 4;
    out.setBytes(block, new byte[] {-1, -1, -1, -1, 7});
    new RecordBatch(out, 0).writeCrc();
    assertThrows(CorruptRecordException.class, () -> new RecordBatch(out, 0).records().next());
    out.setInt(block - 4, Integer.MAX_VALUE);
    assertThrows(CorruptRecordException.class, () -> new RecordBatch(out, 0).records().next());
  }

  @Test
  void rawSnappyIsRead() throws IOException {
    ByteBuf plain = batch(Compression.NONE);
    byte[] records = ByteBufUtil.getBytes(plain, 61, plain.writerIndex() - 61);
    ByteBuf out = Unpooled.buffer();
    out.writeBytes(plain, 0, 61).writeBytes(org.xerial.snappy.Snappy.compress(records));
    out.setShort(BatchHeader.ATTRIBUTES, 2);
    out.setInt(BatchHeader.LENGTH, out.writerIndex() - BatchHeader.LOG_OVERHEAD);
    new RecordBatch(out, 0).writeCrc();
    KafkaClients.assertSameRecords(KafkaClients.batch(out), new RecordBatch(out, 0));
  }

  @Test
  void controlRecordsAreKafkas() {
    MemoryRecords theirs =
        MemoryRecords.withEndTransactionMarker(
            0,
            1234,
            -1,
            77,
            (short) 4,
            new org.apache.kafka.common.record.internal.EndTransactionMarker(
                org.apache.kafka.common.record.internal.ControlRecordType.COMMIT, 0x01020304));
    ByteBuf out = Unpooled.buffer();
    EndTransactionMarker marker = new EndTransactionMarker(ControlRecordType.COMMIT, 0x01020304);
    int size = marker.writeBatch(out, 77, (short) 4, 1234);
    assertEquals(size, out.readableBytes());
    assertArrayEquals(KafkaClients.bytes(theirs), ByteBufUtil.getBytes(out));
    try (RecordIterator it = new RecordBatch(out, 0).records()) {
      it.next();
      assertEquals(marker, EndTransactionMarker.parse(it.record()));
    }
    for (var t : org.apache.kafka.common.record.internal.ControlRecordType.values()) {
      ControlRecordType ours = ControlRecordType.valueOf(t.name());
      assertEquals(t.type(), ours.type());
      if (ours != ControlRecordType.UNKNOWN) {
        assertArrayEquals(Utils.toArray(t.recordKey()), ours.key());
        assertEquals(ours, ControlRecordType.parse(Unpooled.wrappedBuffer(ours.key())));
      }
    }
    assertThrows(InvalidRecordException.class, () -> ControlRecordType.parse(null));
    assertEquals(
        ControlRecordType.UNKNOWN,
        ControlRecordType.parse(Unpooled.wrappedBuffer(new byte[] {0, 0, 0, 7})));
  }

  @Test
  void aBatchKeepsItsLastOffsetWithoutRecords() {
    ByteBuf out = Unpooled.buffer();
    new BatchBuilder(out).baseOffset(10).producer(5, (short) 1, 3).build(14);
    ByteBuffer theirs = ByteBuffer.allocate(61);
    org.apache.kafka.common.record.internal.DefaultRecordBatch.writeEmptyHeader(
        theirs,
        (byte) 2,
        5,
        (short) 1,
        3,
        10,
        14,
        -1,
        org.apache.kafka.common.record.TimestampType.CREATE_TIME,
        -1,
        false,
        false);
    assertArrayEquals(theirs.array(), ByteBufUtil.getBytes(out));
    assertEquals(14, new RecordBatch(out, 0).lastOffset());
  }

  @Test
  void offsetsMayHaveGapsButNotGoBack() {
    ByteBuf out = Unpooled.buffer();
    BatchBuilder b = new BatchBuilder(out).baseOffset(10);
    b.appendAt(12, 1, null, null, List.of());
    assertThrows(IllegalArgumentException.class, () -> b.appendAt(12, 1, null, null, List.of()));
    b.appendAt(20, 1, null, null, List.of());
    b.build();
    try (RecordIterator it = new RecordBatch(out, 0).records()) {
      it.next();
      assertEquals(12, it.record().offset());
      it.next();
      assertEquals(20, it.record().offset());
    }
  }
}
