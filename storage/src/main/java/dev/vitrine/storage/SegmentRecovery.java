package dev.vitrine.storage;

import dev.vitrine.protocol.record.RecordBatch;
import dev.vitrine.seam.DiskFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a segment from its first byte to its last and makes everything that depends on it anew: the
 * indexes, and with {@link #recover} the aborted transactions, producers and leader epochs. Cuts at
 * the first bad byte.
 */
final class SegmentRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentRecovery.class);

  /**
   * What was found.
   *
   * @param nextOffset after the last good batch
   * @param cutBytes 0 if all was good
   * @param why in words, null if all was good
   */
  record Result(long nextOffset, int cutBytes, String why) {}

  private final ProducerState producers;
  private final LeaderEpochCache epochs;

  SegmentRecovery(ProducerState producers, LeaderEpochCache epochs) {
    this.producers = producers;
    this.epochs = epochs;
  }

  /**
   * The producers must be as they were at the segment's base offset.
   *
   * @param until where the next segment begins: what is there or later was truncated once
   * @param syncedUpTo batches before this offset were synced: their CRC is not computed
   */
  Result recover(Segment segment, long until, long syncedUpTo) {
    int before = segment.size();
    segment.transactionIndex().truncateTo(segment.baseOffset());
    segment.beginReindex();
    long next = segment.baseOffset();
    int epoch = epochs.epochAt(next - 1);
    String why;
    DiskFile file = segment.use();
    try (BatchScan scan = new BatchScan(file, 0, before, BatchScan.SEQUENTIAL)) {
      why = null;
      while (why == null && scan.next()) {
        RecordBatch batch = scan.whole();
        if (batch.lastOffset() >= until) {
          LOG.info("{}: offset {} on was truncated once, again now", segment, batch.baseOffset());
          break;
        }
        why = fault(batch, next, segment.baseOffset(), syncedUpTo);
        if (why == null
            && batch.nextOffset() > syncedUpTo
            && batch.partitionLeaderEpoch() < epoch) {
          // From before a truncation that the power cut has undone.
          why = "leader epoch %d follows %d".formatted(batch.partitionLeaderEpoch(), epoch);
        }
        if (why == null) {
          epoch = batch.partitionLeaderEpoch();
          take(segment, batch);
          next = batch.nextOffset();
        }
      }
      why = why == null ? scan.problem() : why;
    } finally {
      file.release();
    }
    if (segment.size() < before) {
      segment.cutToIndexed();
    }
    producers.endOffset(next);
    return new Result(next, before - segment.size(), why);
  }

  private static String fault(RecordBatch batch, long next, long base, long syncedUpTo) {
    if (batch.baseOffset() < next || batch.lastOffsetDelta() < 0) {
      return "a batch of offsets %d to %d stands where %d comes next"
          .formatted(batch.baseOffset(), batch.lastOffset(), next);
    }
    if (batch.lastOffset() - base > Integer.MAX_VALUE) {
      return "the offset " + batch.lastOffset() + " is too far from the base offset";
    }
    if (batch.nextOffset() > syncedUpTo && !batch.isValid()) {
      return "the batch of offset " + batch.baseOffset() + " has a wrong CRC";
    }
    return null;
  }

  private void take(Segment segment, RecordBatch batch) {
    if (batch.partitionLeaderEpoch() > epochs.latestEpoch()) {
      epochs.assign(batch.partitionLeaderEpoch(), batch.baseOffset());
    }
    segment.index(batch);
    replay(segment, batch, producers);
  }

  /** Lets the producers, and the segment's aborted transactions, know of a batch. */
  static void replay(Segment segment, RecordBatch batch, ProducerState producers) {
    ProducerState.EndedTransaction ended = producers.appended(batch);
    if (ended != null && ended.aborted()) {
      segment
          .transactionIndex()
          .append(
              new AbortedTransaction(
                  ended.producerId(),
                  ended.firstOffset(),
                  ended.lastOffset(),
                  producers.lastStableOffsetAfter(ended)));
    }
  }

  /**
   * Makes the offset and time index of a closed segment anew; its batches are not doubted. Only
   * when the index files are damaged or missing: it reads every batch header.
   */
  static void rebuildIndexes(Segment segment, String fault) {
    LOG.warn("The indexes of {} are made anew: {}", segment, fault);
    int size = segment.size();
    segment.beginReindex();
    DiskFile file = segment.use();
    try (BatchScan scan = new BatchScan(file, 0, size, BatchScan.SEQUENTIAL)) {
      while (scan.next()) {
        segment.index(scan.batch());
      }
    } finally {
      file.release();
      segment.endReindex(size);
      segment.seal();
    }
  }
}
