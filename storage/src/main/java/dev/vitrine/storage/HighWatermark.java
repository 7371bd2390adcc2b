package dev.vitrine.storage;

/**
 * What its owner said of a log: up to where it is committed.
 *
 * @param truncations how often the log had been cut by then: what it said before counts no more
 */
public record HighWatermark(Log log, int truncations, long offset) {
  /**
   * As of now, and no more than would be true after a power cut of what lies in the log then. On
   * the log's shard.
   */
  public static HighWatermark of(Log log, long offset) {
    return new HighWatermark(log, log.truncations(), Math.min(offset, log.surelyOwn()));
  }

  /** Whether the log has not been cut since. Any thread. */
  boolean holds() {
    return log.truncations() == truncations;
  }
}
