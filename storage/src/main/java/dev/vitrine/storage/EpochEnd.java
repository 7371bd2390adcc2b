package dev.vitrine.storage;

/**
 * The answer to "where does this leader epoch end in your log": the largest epoch not above the one
 * asked for, and the offset after its last record; -1 and -1 if unknown (KIP-101, KIP-279).
 */
public record EpochEnd(int leaderEpoch, long endOffset) {
  public static final EpochEnd UNKNOWN = new EpochEnd(-1, -1);
}
