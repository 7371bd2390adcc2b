package dev.vitrine.broker.partition;

import dev.vitrine.protocol.Errors;
import dev.vitrine.storage.Log;
import dev.vitrine.storage.OffsetAndTimestamp;

/**
 * The answer to ListOffsets for one partition. An offset of -1 without an error says that no record
 * is late enough.
 */
public record OffsetLookup(Errors error, long offset, long timestamp, int leaderEpoch) {
  /** The end of what the reader may see. */
  public static final long LATEST = -1;

  /** The log start. */
  public static final long EARLIEST = -2;

  /** The record with the largest timestamp (KIP-734). */
  public static final long MAX_TIMESTAMP = -3;

  /** The log start on this broker's disk (KIP-405). */
  public static final long EARLIEST_LOCAL = -4;

  public static final OffsetLookup NONE = new OffsetLookup(Errors.NONE, -1, -1, -1);

  public static OffsetLookup failed(Errors error) {
    return new OffsetLookup(error, -1, -1, -1);
  }

  /**
   * @param end the first offset that the reader may not see
   * @param unsure the leader does not know yet whether more is committed (KIP-207): the end must
   *     not be told
   */
  static OffsetLookup of(Log log, long end, boolean unsure, long timestamp, int leaderEpoch) {
    if (timestamp == LATEST) {
      return unsure
          ? failed(Errors.OFFSET_NOT_AVAILABLE)
          : new OffsetLookup(Errors.NONE, end, -1, leaderEpoch);
    }
    if (timestamp == EARLIEST || timestamp == EARLIEST_LOCAL) {
      return of(log.earliest());
    }
    if (timestamp < 0 && timestamp != MAX_TIMESTAMP) {
      return NONE; // asks for tiered storage, of which there is none
    }
    OffsetAndTimestamp found =
        timestamp == MAX_TIMESTAMP ? log.maxTimestamp() : log.offsetForTimestamp(timestamp);
    if (found.offset() >= 0 && found.offset() < end) {
      return of(found);
    }
    return unsure ? failed(Errors.OFFSET_NOT_AVAILABLE) : NONE;
  }

  private static OffsetLookup of(OffsetAndTimestamp found) {
    return new OffsetLookup(Errors.NONE, found.offset(), found.timestamp(), found.leaderEpoch());
  }
}
