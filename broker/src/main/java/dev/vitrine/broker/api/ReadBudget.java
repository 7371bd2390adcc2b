package dev.vitrine.broker.api;

/**
 * The bytes that one fetch may still take: {@code max.bytes}, except that the first batch found is
 * always whole. Confined to the fetch.
 */
final class ReadBudget {
  private final int maxBytes;
  private int used;

  ReadBudget(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Whether the next partition's first batch may go beyond the limit. */
  boolean firstBatchWhole() {
    return used == 0;
  }

  int left() {
    return Math.max(0, maxBytes - used);
  }

  /** False if these bytes are too many: another partition of the fetch was faster. */
  boolean take(int bytes) {
    if (used > 0 && bytes > left()) {
      return false;
    }
    used += bytes;
    return true;
  }

  int used() {
    return used;
  }
}
