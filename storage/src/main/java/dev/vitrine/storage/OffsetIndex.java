package dev.vitrine.storage;

import dev.vitrine.seam.Disk;
import java.nio.file.Path;

/**
 * {@code .index}: for a batch now and then, its last offset relative to the segment's base (4
 * bytes) and the position of its first byte (4 bytes). Both ascend.
 */
final class OffsetIndex extends IndexFile {
  private static final int ENTRY_SIZE = 8;

  private final long baseOffset;

  OffsetIndex(Disk disk, Path path, long baseOffset, int maxBytes) {
    super(disk, path, ENTRY_SIZE, maxBytes / ENTRY_SIZE);
    this.baseOffset = baseOffset;
  }

  void append(long lastOffset, int position) {
    add(lastOffset - baseOffset, position);
  }

  /** Where to start looking for the offset: at the last entry not above it, or at 0. */
  int lookup(long offset) {
    Entry e = floor(offset - baseOffset);
    return e == null ? 0 : e.second();
  }

  /** Drops the entries of this offset and later. */
  void truncateTo(long offset) {
    keep(countNotAbove(offset - baseOffset - 1, false));
  }

  /** Why the file cannot be what this broker or Kafka has left; null if it can. */
  String fault(long segmentSize) {
    if (hasPartialEntry()) {
      return "its size is not a multiple of " + ENTRY_SIZE;
    }
    Entry last = lastEntry();
    if (last != null && (last.first() <= 0 || last.second() < 0 || last.second() >= segmentSize)) {
      return "its last entry is offset " + (baseOffset + last.first()) + " at " + last.second();
    }
    return null;
  }
}
