package dev.vitrine.storage;

import dev.vitrine.protocol.record.Records;

/**
 * What a read found. The records begin with the batch that holds the offset that was asked for (a
 * consumer skips what is before it within the batch) and may end within a batch. Whoever gets it
 * releases the records.
 *
 * @param segmentBaseOffset and
 * @param position where the first batch lies; -1 if there are no records
 * @param outOfRange the offset is not in the log: OFFSET_OUT_OF_RANGE
 * @param firstBatchCut the first batch is larger than was allowed and is not whole
 */
public record LogSlice(
    Records records,
    long segmentBaseOffset,
    int position,
    boolean outOfRange,
    boolean firstBatchCut) {
  public static final LogSlice EMPTY = new LogSlice(Records.EMPTY, -1, -1, false, false);
  public static final LogSlice OUT_OF_RANGE = new LogSlice(Records.EMPTY, -1, -1, true, false);
}
