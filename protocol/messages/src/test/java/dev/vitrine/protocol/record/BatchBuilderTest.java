package dev.vitrine.protocol.record;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the builder writes against what kafka-clients' own classes write and read. */
class BatchBuilderTest {
  private static final Header[] HEADERS = {
    new RecordHeader("h", "v".getBytes(StandardCharsets.UTF_8)), new RecordHeader("ü", null)
  };

  private static byte[] bytes(int size, long seed) {
    byte[] b = new byte[size];
    new Random(seed).nextBytes(b);
    return b;
  }

  /** Keys, values, nulls, headers and timestamps of every kind; the same for both sides. */
  private static void appendAll(Object to) {
    for (int i = 0; i < 40; i++) {
      byte[] key = i % 3 == 0 ? null : bytes(i, i);
      byte[] value = i % 7 == 0 ? null : bytes(i * 400, 1000 + i);
      long timestamp = 1_700_000_000_000L + (i % 5) * 1000L - 300;
      Header[] headers = i % 4 == 0 ? HEADERS : new Header[0];
      if (to instanceof MemoryRecordsBuilder b) {
        b.append(timestamp, key, value, headers);
      } else {
        ((BatchBuilder) to)
            .append(
                timestamp,
                key == null ? null : Unpooled.wrappedBuffer(key),
                value == null ? null : Unpooled.wrappedBuffer(value),
                i % 4 == 0
                    ? List.of(
                        new dev.vitrine.protocol.record.RecordHeader(
                            "h", Unpooled.copiedBuffer("v", StandardCharsets.UTF_8)),
                        new dev.vitrine.protocol.record.RecordHeader("ü", null))
                    : List.of());
      }
    }
  }

  private static byte[] theirs(Compression c) {
    MemoryRecordsBuilder b =
        MemoryRecords.builder(
            ByteBuffer.allocate(1024),
            (byte) 2,
            KafkaClients.compression(c),
            org.apache.kafka.common.record.TimestampType.CREATE_TIME,
            77,
            org.apache.kafka.common.record.internal.RecordBatch.NO_TIMESTAMP,
            9000,
            (short) 3,
            Integer.MAX_VALUE - 5,
            true,
            false,
            12);
    appendAll(b);
    return KafkaClients.bytes(b.build());
  }

  private static ByteBuf ours(Compression c) {
    ByteBuf out = Unpooled.buffer();
    out.writeByte(99);
    BatchBuilder b =
        new BatchBuilder(out)
            .baseOffset(77)
            .partitionLeaderEpoch(12)
            .compression(c)
            .producer(9000, (short) 3, Integer.MAX_VALUE - 5)
            .transactional(true);
    appendAll(b);
    assertEquals(b.build(), out.writerIndex() - 1);
    return out.skipBytes(1);
  }

  @Test
  void writesTheSameBytesWhenNotCompressed() {
    assertArrayEquals(theirs(Compression.NONE), ByteBufUtil.getBytes(ours(Compression.NONE)));
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void readsWhatKafkaWrites(Compression c) {
    ByteBuf in = Unpooled.wrappedBuffer(theirs(c));
    Batches batches = new Batches(in);
    assertTrue(batches.next());
    RecordBatch b = batches.batch();
    b.ensureValid();
    assertEquals(c, b.compression());
    assertEquals(77, b.baseOffset());
    assertEquals(116, b.lastOffset());
    assertEquals(12, b.partitionLeaderEpoch());
    assertEquals(9000, b.producerId());
    assertEquals(3, b.producerEpoch());
    assertEquals(Integer.MAX_VALUE - 5, b.baseSequence());
    assertEquals(33, b.lastSequence());
    assertEquals(40, b.recordCount());
    assertTrue(b.isTransactional());
    assertFalse(b.isControl());
    assertEquals(TimestampType.CREATE_TIME, b.timestampType());
    assertEquals(1_700_000_003_700L, b.maxTimestamp());
    KafkaClients.assertSameRecords(KafkaClients.batch(in), b);
    assertFalse(batches.next());
    assertEquals(Batches.End.COMPLETE, batches.end());
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void kafkaReadsWhatIsWritten(Compression c) {
    ByteBuf out = ours(c);
    MutableRecordBatch theirs = KafkaClients.batch(out);
    theirs.ensureValid();
    assertEquals(c.configName(), theirs.compressionType().name);
    KafkaClients.assertSameRecords(
        KafkaClients.batch(Unpooled.wrappedBuffer(theirs(c))),
        new RecordBatch(out, out.readerIndex()));
    KafkaClients.assertSameRecords(theirs, new RecordBatch(out, out.readerIndex()));
  }
}
