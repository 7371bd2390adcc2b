package dev.vitrine.storage;

import dev.vitrine.protocol.record.Record;
import dev.vitrine.protocol.record.RecordBatch;
import dev.vitrine.protocol.record.RecordIterator;
import io.netty.buffer.ByteBuf;

/** The end of a transaction, as its control record tells it. */
record EndMarker(short type, int coordinatorEpoch) {
  static final short ABORT = 0;
  static final short COMMIT = 1;

  /** Null if the control batch is of another kind, or empty. */
  static EndMarker of(RecordBatch batch) {
    try (RecordIterator records = batch.records()) {
      if (!records.next()) {
        return null;
      }
      Record r = records.record();
      ByteBuf key = r.key();
      ByteBuf value = r.value();
      if (key == null || key.readableBytes() < 4 || value == null || value.readableBytes() < 6) {
        return null;
      }
      short type = key.getShort(key.readerIndex() + 2);
      return type == ABORT || type == COMMIT
          ? new EndMarker(type, value.getInt(value.readerIndex() + 2))
          : null;
    }
  }
}
