package dev.vitrine.protocol.record;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.utils.Utils;
import org.xerial.snappy.SnappyError;

/** Damaged bytes: whatever kafka-clients says of them, valid or not, is said here too. */
class MutationTest {
  private static byte[] batch(Random r, Compression c) {
    ByteBuf out = Unpooled.buffer();
    BatchBuilder b = new BatchBuilder(out).compression(c);
    int n = 1 + r.nextInt(5);
    for (int i = 0; i < n; i++) {
      byte[] value = new byte[r.nextInt(60)];
      if (r.nextBoolean()) {
        r.nextBytes(value);
      }
      b.append(
          1_700_000_000_000L + r.nextInt(3000),
          r.nextInt(4) == 0 ? null : Unpooled.wrappedBuffer(new byte[] {(byte) i}),
          r.nextInt(6) == 0 ? null : Unpooled.wrappedBuffer(value),
          r.nextInt(3) > 0
              ? List.of()
              : List.of(
                  new RecordHeader("a", null),
                  new RecordHeader("bc", Unpooled.wrappedBuffer(value))));
    }
    b.build();
    return Arrays.copyOf(out.array(), out.writerIndex());
  }

  /** Mostly in the first records, where structure is. */
  private static void damage(byte[] bytes, int from, Random r) {
    for (int i = 1 + r.nextInt(3); i > 0; i--) {
      int range = r.nextBoolean() ? bytes.length - from : Math.min(20, bytes.length - from);
      int at = from + r.nextInt(range);
      bytes[at] = (byte) (r.nextBoolean() ? r.nextInt(256) : bytes[at] ^ 1 << r.nextInt(8));
    }
  }

  @Property(tries = 3000)
  void batchesAreFoundAsKafkaFindsThem(@ForAll long seed) {
    Random r = new Random(seed);
    byte[] one = batch(r, Compression.NONE);
    byte[] bytes = Arrays.copyOf(one, one.length + 120);
    byte[] two = batch(r, Compression.GZIP);
    System.arraycopy(two, 0, bytes, one.length, Math.min(two.length, 120));
    if (r.nextInt(4) > 0) {
      // The length and the magic: the upper bytes of the length, or what is left is rarely valid.
      int base = r.nextBoolean() ? 0 : one.length;
      bytes[base + (r.nextBoolean() ? 16 : 8 + r.nextInt(4))] = (byte) (r.nextInt(5) - 1);
    }
    bytes = Arrays.copyOf(bytes, r.nextBoolean() ? bytes.length : r.nextInt(bytes.length));

    List<String> theirs = new ArrayList<>();
    try {
      Iterator<? extends MutableRecordBatch> it =
          MemoryRecords.readableRecords(ByteBuffer.wrap(bytes)).batches().iterator();
      while (it.hasNext()) {
        MutableRecordBatch b = it.next();
        if (b.magic() < 2) {
          theirs.add("old");
          break;
        }
        if (b.sizeInBytes() < 61) {
          assertFalse(b.isValid());
          theirs.add("bad");
          break;
        }
        theirs.add(b.sizeInBytes() + " " + b.isValid() + " " + b.baseOffset());
      }
    } catch (RuntimeException e) {
      theirs.add("bad");
    }
    List<String> ours = new ArrayList<>();
    Batches batches = new Batches(Unpooled.wrappedBuffer(bytes));
    while (batches.next()) {
      RecordBatch b = batches.batch();
      ours.add(b.sizeInBytes() + " " + b.isValid() + " " + b.baseOffset());
    }
    if (batches.end() == Batches.End.CORRUPT) {
      assertNotNull(batches.problem());
      ours.add("bad");
    } else if (batches.end() == Batches.End.OLD_MAGIC) {
      ours.add("old");
    }
    // A length whose sum with the overhead overflows fails in Kafka; here the bytes just end.
    if (!(batches.end() == Batches.End.PARTIAL && theirs.remove("bad"))) {
      assertEquals(theirs, ours, () -> "seed " + seed);
    }
  }

  @Property(tries = 6000)
  void recordsAreValidWhereKafkaSaysSo(@ForAll long seed, @ForAll @IntRange(max = 4) int codec) {
    Random r = new Random(seed);
    byte[] bytes = batch(r, Compression.forId(codec));
    damage(bytes, r.nextInt(4) == 0 ? BatchHeader.LAST_OFFSET_DELTA : BatchHeader.SIZE, r);
    ByteBuf in = Unpooled.wrappedBuffer(bytes);
    RecordBatch ours = new RecordBatch(in, 0);
    MutableRecordBatch damaged = KafkaClients.batch(in);
    assertEquals(damaged.isValid(), ours.isValid());
    ours.writeCrc();
    MutableRecordBatch theirs = KafkaClients.batch(in);
    assertTrue(theirs.isValid());
    assertTrue(ours.isValid());
    String expected = recordsOf(theirs);
    String hex = HexFormat.of().formatHex(bytes);
    assertEquals(expected, recordsOf(ours::records), () -> hex);
    String bare = recordsOf(ours::recordsWithoutContent);
    assertEquals(expected.equals("invalid"), bare.equals("invalid"), () -> hex);
  }

  private static String recordsOf(MutableRecordBatch theirs) {
    StringBuilder s = new StringBuilder();
    try {
      for (var t : theirs) {
        s.append(t.offset()).append(' ').append(t.timestamp()).append(' ');
        s.append(t.hasKey() ? Arrays.toString(Utils.toArray(t.key())) : "null");
        s.append(t.hasValue() ? Arrays.toString(Utils.toArray(t.value())) : "null");
        for (var h : t.headers()) {
          s.append(h.key()).append(Arrays.toString(h.value()));
        }
      }
    } catch (RuntimeException | SnappyError | OutOfMemoryError e) {
      // snappy-java's stream believes every length.
      return "invalid";
    }
    return s.toString();
  }

  private static String recordsOf(Supplier<RecordIterator> records) {
    StringBuilder s = new StringBuilder();
    try (RecordIterator it = records.get()) {
      while (it.next()) {
        Record o = it.record();
        s.append(o.offset()).append(' ').append(o.timestamp()).append(' ');
        if (o.buffer == null) {
          continue;
        }
        s.append(Arrays.toString(o.keyBytes())).append(Arrays.toString(o.valueBytes()));
        for (RecordHeader h : o.headers()) {
          byte[] v = h.value() == null ? null : new byte[h.value().readableBytes()];
          if (v != null) {
            h.value().getBytes(h.value().readerIndex(), v);
          }
          s.append(h.key()).append(Arrays.toString(v));
        }
      }
    } catch (InvalidRecordException | CorruptRecordException e) {
      return "invalid";
    }
    return s.toString();
  }

  @Property(tries = 300)
  void everyTruncationIsRefused(@ForAll long seed, @ForAll @IntRange(max = 4) int codec) {
    Random r = new Random(seed);
    byte[] bytes = batch(r, Compression.forId(codec));
    int cut = BatchHeader.SIZE + r.nextInt(bytes.length - BatchHeader.SIZE);
    assertFalse(new Batches(Unpooled.wrappedBuffer(bytes, 0, cut)).next());
    // With a length and a CRC that agree with what is left.
    ByteBuf in = Unpooled.wrappedBuffer(Arrays.copyOf(bytes, cut));
    in.setInt(BatchHeader.LENGTH, cut - BatchHeader.LOG_OVERHEAD);
    RecordBatch b = new RecordBatch(in, 0);
    b.writeCrc();
    String theirs = recordsOf(KafkaClients.batch(in));
    assertEquals(theirs, recordsOf(b::records));
  }

  @Property(tries = 100)
  void directAndCompositeBuffersReadAlike(@ForAll long seed, @ForAll @IntRange(max = 4) int codec) {
    byte[] bytes = batch(new Random(seed), Compression.forId(codec));
    String heap = recordsOf(new RecordBatch(Unpooled.wrappedBuffer(bytes), 0)::records);
    ByteBuf direct = Unpooled.directBuffer(3 + bytes.length).writeZero(3).writeBytes(bytes);
    RecordBatch d = new RecordBatch(direct, 3);
    ByteBuf composite =
        Unpooled.wrappedBuffer(
            Unpooled.copiedBuffer(bytes, 0, 40),
            Unpooled.copiedBuffer(bytes, 40, bytes.length - 40));
    RecordBatch c = new RecordBatch(composite, 0);
    assertTrue(d.isValid());
    assertTrue(c.isValid());
    assertEquals(heap, recordsOf(d::records));
    assertEquals(heap, recordsOf(c::records));
    assertArrayEquals(bytes, io.netty.buffer.ByteBufUtil.getBytes(d.slice()));
    direct.release();
  }
}
