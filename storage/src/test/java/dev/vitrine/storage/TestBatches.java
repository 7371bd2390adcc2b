package dev.vitrine.storage;

import dev.vitrine.protocol.record.BatchBuilder;
import dev.vitrine.protocol.record.Batches;
import dev.vitrine.protocol.record.Record;
import dev.vitrine.protocol.record.RecordIterator;
import dev.vitrine.protocol.record.Records;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Makes batches and reads them back, for the tests of this package. */
public final class TestBatches {
  private TestBatches() {}

  /** A record as a reader sees it. */
  record Seen(long offset, long timestamp, String value, int epoch) {}

  static byte[] bytes(String s) {
    return s == null ? null : s.getBytes(StandardCharsets.UTF_8);
  }

  /** One batch as a leader gets it, its records a millisecond apart. */
  static ByteBuf batch(long timestamp, String... values) {
    return batchAt(0, -1, timestamp, values);
  }

  /** One batch as a follower gets it. */
  public static ByteBuf batchAt(long baseOffset, int epoch, long timestamp, String... values) {
    ByteBuf out = Unpooled.buffer();
    BatchBuilder b = new BatchBuilder(out).baseOffset(baseOffset).partitionLeaderEpoch(epoch);
    for (int i = 0; i < values.length; i++) {
      b.append(timestamp < 0 ? timestamp : timestamp + i, null, bytes(values[i]));
    }
    b.build();
    return out;
  }

  static ByteBuf produced(long producerId, int epoch, int sequence, boolean txn, int records) {
    return produced(1000, producerId, epoch, sequence, txn, records);
  }

  static ByteBuf produced(
      long timestamp, long producerId, int epoch, int sequence, boolean txn, int records) {
    ByteBuf out = Unpooled.buffer();
    BatchBuilder b =
        new BatchBuilder(out).producer(producerId, (short) epoch, sequence).transactional(txn);
    for (int i = 0; i < records; i++) {
      b.append(timestamp + sequence + i, null, bytes("p" + (sequence + i)));
    }
    b.build();
    return out;
  }

  static ByteBuf marker(long producerId, int epoch, boolean commit, int coordinatorEpoch) {
    return marker(2000, producerId, epoch, commit, coordinatorEpoch);
  }

  static ByteBuf marker(
      long timestamp, long producerId, int epoch, boolean commit, int coordinatorEpoch) {
    ByteBuf out = Unpooled.buffer();
    byte[] key = {0, 0, 0, (byte) (commit ? 1 : 0)};
    byte[] value = {0, 0, 0, 0, 0, (byte) coordinatorEpoch};
    new BatchBuilder(out)
        .producer(producerId, (short) epoch, -1)
        .transactional(true)
        .control(true)
        .append(timestamp, key, value)
        .build();
    return out;
  }

  /** All whole batches' records; releases. */
  static List<Seen> read(Records records) {
    ByteBuf b = Unpooled.buffer();
    records.writeTo(b);
    records.release();
    return read(b);
  }

  static List<Seen> read(ByteBuf b) {
    List<Seen> out = new ArrayList<>();
    Batches batches = new Batches(b);
    while (batches.next()) {
      batches.batch().ensureValid();
      try (RecordIterator it = batches.batch().records()) {
        while (it.next()) {
          Record r = it.record();
          String value = r.hasValue() ? new String(r.valueBytes(), StandardCharsets.UTF_8) : null;
          out.add(
              new Seen(r.offset(), r.timestamp(), value, batches.batch().partitionLeaderEpoch()));
        }
      }
    }
    return out;
  }

  /** All records of a log, read as a consumer would. */
  static List<Seen> all(Log log) {
    List<Seen> out = new ArrayList<>();
    long at = log.logStartOffset();
    while (true) {
      LogSlice s = log.read(at, 1000, log.logEndOffset(), true);
      if (s.outOfRange()) {
        throw new AssertionError(at + " is out of range");
      }
      if (s.records().sizeInBytes() == 0) {
        return out;
      }
      for (Seen r : read(s.records())) {
        if (r.offset >= at) {
          out.add(r);
          at = r.offset + 1;
        }
      }
    }
  }
}
