package dev.vitrine.storage;

/** A record's offset and time, and the leader epoch of its batch; the answer of ListOffsets. */
public record OffsetAndTimestamp(long offset, long timestamp, int leaderEpoch) {
  /** No record is late enough. */
  public static final OffsetAndTimestamp NONE = new OffsetAndTimestamp(-1, -1, -1);
}
