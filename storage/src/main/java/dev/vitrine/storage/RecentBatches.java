package dev.vitrine.storage;

import java.util.Arrays;

/**
 * Where the last few appended batches are: readers at the tail and the high watermark find their
 * position without touching the file. A ring; empty until the first append.
 */
final class RecentBatches {
  private static final int SIZE = 64;

  private long[] lastOffsets = {};
  private int[] positions;
  private int[] sizes;
  private int next;
  private int count;

  void add(long lastOffset, int position, int size) {
    if (lastOffsets.length == 0) {
      lastOffsets = new long[SIZE];
      positions = new int[SIZE];
      sizes = new int[SIZE];
    }
    lastOffsets[next] = lastOffset;
    positions[next] = position;
    sizes[next] = size;
    next = (next + 1) % SIZE;
    count = Math.min(count + 1, SIZE);
  }

  /**
   * The batch that holds the offset, or the first one after it; null if that may be one from before
   * those in the ring, or is none.
   */
  Segment.Found find(long offset) {
    if (count == 0 || lastOffsets[(next - count + SIZE) % SIZE] >= offset) {
      return null;
    }
    int low = 1;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (lastOffsets[slot(middle)] >= offset) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low == count ? null : new Segment.Found(positions[slot(low)], sizes[slot(low)]);
  }

  void clear() {
    lastOffsets = Arrays.copyOf(lastOffsets, 0);
    positions = null;
    sizes = null;
    next = 0;
    count = 0;
  }

  private int slot(int fromOldest) {
    return (next - count + fromOldest + SIZE) % SIZE;
  }
}
