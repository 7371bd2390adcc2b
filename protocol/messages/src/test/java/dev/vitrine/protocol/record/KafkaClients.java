package dev.vitrine.protocol.record;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.utils.Utils;

/** The oracle's own classes, and comparing with them. */
final class KafkaClients {
  private KafkaClients() {}

  static org.apache.kafka.common.compress.Compression compression(Compression c) {
    return org.apache.kafka.common.compress.Compression.of(CompressionType.forId(c.id())).build();
  }

  static byte[] bytes(MemoryRecords records) {
    return Utils.toArray(records.buffer());
  }

  static MutableRecordBatch batch(ByteBuf b) {
    ByteBuffer copy = ByteBuffer.wrap(ByteBufUtil.getBytes(b));
    return MemoryRecords.readableRecords(copy).batches().iterator().next();
  }

  static void assertSameRecords(MutableRecordBatch theirs, RecordBatch ours) {
    try (RecordIterator it = ours.records();
        RecordIterator bare = ours.recordsWithoutContent()) {
      for (var t : theirs) {
        assertTrue(it.next());
        Record r = it.record();
        assertEquals(t.offset(), r.offset());
        assertEquals(t.timestamp(), r.timestamp());
        assertEquals(t.sequence(), r.sequence());
        assertEquals(t.sizeInBytes(), r.sizeInBytes());
        assertEquals(t.keySize(), r.keySize());
        assertEquals(t.valueSize(), r.valueSize());
        assertArrayEquals(t.hasKey() ? Utils.toArray(t.key()) : null, r.keyBytes());
        assertArrayEquals(t.hasValue() ? Utils.toArray(t.value()) : null, r.valueBytes());
        Header[] headers = t.headers();
        List<RecordHeader> our = r.headers();
        assertEquals(headers.length, our.size());
        for (int i = 0; i < headers.length; i++) {
          assertEquals(headers[i].key(), our.get(i).key());
          ByteBuf v = our.get(i).value();
          assertArrayEquals(headers[i].value(), v == null ? null : ByteBufUtil.getBytes(v));
        }
        assertTrue(bare.next());
        Record p = bare.record();
        assertEquals(t.offset(), p.offset());
        assertEquals(t.timestamp(), p.timestamp());
        assertEquals(t.keySize(), p.keySize());
        assertEquals(t.valueSize(), p.valueSize());
        assertEquals(t.sizeInBytes(), p.sizeInBytes());
      }
      assertFalse(it.next());
      assertFalse(bare.next());
    }
  }
}
