package dev.vitrine.storage;

import dev.vitrine.protocol.record.Record;
import dev.vitrine.protocol.record.RecordBatch;
import dev.vitrine.protocol.record.RecordIterator;
import dev.vitrine.seam.DiskFile;
import java.util.concurrent.Callable;

/**
 * Looks through a region of a segment for the first record that is not earlier than a timestamp,
 * within batches too. A value with a file of its own: it may run on a disk worker, once.
 *
 * @param startOffset no record before it is an answer
 */
record TimestampSearch(DiskFile file, int from, int to, long timestamp, long startOffset)
    implements Callable<OffsetAndTimestamp> {
  @Override
  public OffsetAndTimestamp call() {
    try (BatchScan scan = new BatchScan(file, from, to, BatchScan.HEADERS)) {
      while (scan.next()) {
        RecordBatch batch = scan.batch();
        if (batch.maxTimestamp() >= timestamp && batch.lastOffset() >= startOffset) {
          OffsetAndTimestamp found = within(scan.whole());
          if (found != null) {
            return found;
          }
        }
      }
      return OffsetAndTimestamp.NONE;
    } finally {
      file.release();
    }
  }

  private OffsetAndTimestamp within(RecordBatch batch) {
    try (RecordIterator records = batch.recordsWithoutContent()) {
      while (records.next()) {
        Record r = records.record();
        if (r.timestamp() >= timestamp && r.offset() >= startOffset) {
          return new OffsetAndTimestamp(r.offset(), r.timestamp(), batch.partitionLeaderEpoch());
        }
      }
      return null;
    }
  }
}
