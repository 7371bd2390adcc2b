package dev.vitrine.storage;

import dev.vitrine.seam.Disk;
import java.nio.file.Path;

/**
 * {@code .timeindex}: a timestamp in milliseconds (8 bytes), and the last offset, relative to the
 * segment's base, of the batch that has it as its maximum (4 bytes). Up to that offset no record is
 * later. Both ascend.
 */
final class TimeIndex extends IndexFile {
  private static final int ENTRY_SIZE = 12;

  private final long baseOffset;

  TimeIndex(Disk disk, Path path, long baseOffset, int maxBytes) {
    // As in Kafka, the last slot is for the entry that is added when the segment is rolled.
    super(disk, path, ENTRY_SIZE, maxBytes / ENTRY_SIZE - 1);
    this.baseOffset = baseOffset;
  }

  /** Adds the entry if its timestamp is later than all before. */
  void maybeAppend(long timestamp, long offset) {
    Entry last = lastEntry();
    if (last == null
        ? timestamp >= 0
        : timestamp > last.first() && offset - baseOffset >= last.second()) {
      add(timestamp, (int) (offset - baseOffset));
    }
  }

  /** The offset up to which all records are earlier than the timestamp, or the base offset. */
  long lookup(long timestamp) {
    Entry e = floor(timestamp);
    return e == null ? baseOffset : baseOffset + e.second();
  }

  /** The latest timestamp in it and its offset; null if it is empty. */
  TimestampAndOffset last() {
    Entry last = lastEntry();
    return last == null ? null : new TimestampAndOffset(last.first(), baseOffset + last.second());
  }

  /** Drops the entries of this offset and later. */
  void truncateTo(long offset) {
    keep(countNotAbove(offset - baseOffset - 1, true));
  }

  /** Why the file cannot be what this broker or Kafka has left; null if it can. */
  String fault() {
    if (hasPartialEntry()) {
      return "its size is not a multiple of " + ENTRY_SIZE;
    }
    Entry last = lastEntry();
    if (last != null && (last.first() < entry(0).first() || last.second() < entry(0).second())) {
      return "its last entry is before its first";
    }
    return last != null && last.first() <= 0 ? "its last entry is of time " + last.first() : null;
  }

  /** A time and the offset that has it. */
  record TimestampAndOffset(long timestamp, long offset) {}
}
