package dev.vitrine.compat.sim;

import dev.vitrine.broker.partition.Partition;
import dev.vitrine.protocol.record.Batches;
import dev.vitrine.protocol.record.Record;
import dev.vitrine.protocol.record.RecordBatch;
import dev.vitrine.protocol.record.RecordIterator;
import dev.vitrine.storage.LogSlice;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What is in a replica's log, whatever its high watermark says. */
final class LogBytes {
  private LogBytes() {}

  /** The values of the records from one offset on and before the other. */
  static List<String> read(Partition p, long from, long to) {
    List<String> out = new ArrayList<>();
    while (from < to && from < p.logEndOffset()) {
      ByteBuf bytes = some(p, from);
      long before = from;
      Batches batches = new Batches(bytes);
      while (batches.next()) {
        try (RecordIterator it = batches.batch().records()) {
          while (it.next()) {
            if (it.record().offset() >= from && it.record().offset() < to) {
              out.add(value(it.record()));
            }
          }
        }
        from = Math.max(from, batches.batch().nextOffset());
        if (from >= to) {
          break;
        }
      }
      if (from == before) {
        break;
      }
    }
    return out;
  }

  /** All batches from the one that holds this offset on, as they are in the log. */
  static ByteBuf all(Partition p, long from) {
    ByteBuf all = Unpooled.buffer();
    while (from < p.logEndOffset()) {
      Batches batches = new Batches(some(p, from));
      while (batches.next()) {
        all.writeBytes(batches.batch().slice());
        from = batches.batch().nextOffset();
      }
    }
    return all;
  }

  /** Where two logs part, in words: the batches there. */
  static String difference(ByteBuf one, ByteBuf other) {
    Batches a = new Batches(one);
    Batches b = new Batches(other);
    while (a.next()) {
      if (!b.next()) {
        return "ends before " + described(a);
      }
      if (!a.batch().slice().equals(b.batch().slice())) {
        return described(b) + " instead of " + described(a);
      }
    }
    return b.next() ? "goes on with " + described(b) : "no difference";
  }

  private static String described(Batches at) {
    RecordBatch x = at.batch();
    return "offsets %d to %d of epoch %d, producer %d, %d bytes, time %d"
        .formatted(
            x.baseOffset(),
            x.lastOffset(),
            x.partitionLeaderEpoch(),
            x.producerId(),
            x.slice().readableBytes(),
            x.maxTimestamp());
  }

  private static ByteBuf some(Partition p, long from) {
    LogSlice slice = p.log().read(from, 1 << 20, p.logEndOffset(), true);
    ByteBuf bytes = Unpooled.buffer(slice.records().sizeInBytes());
    slice.records().writeTo(bytes);
    slice.records().release();
    return bytes;
  }

  /** What a record says, without what fills it up; of records with a key, only a hash. */
  static String value(Record r) {
    byte[] v = r.hasValue() ? r.valueBytes() : null;
    if (r.hasKey()) {
      return "r" + Arrays.hashCode(r.keyBytes()) + ":" + Arrays.hashCode(v);
    }
    int end = 0;
    while (end < v.length && v[end] != ' ') {
      end++;
    }
    return new String(v, 0, end, StandardCharsets.UTF_8);
  }
}
