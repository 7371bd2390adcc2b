package dev.vitrine.broker.partition;

/** How far a reader may see. */
public enum ReadLimit {
  /** Followers: everything. */
  LOG_END,
  /** Consumers that read uncommitted: what all in-sync replicas have. */
  HIGH_WATERMARK,
  /** Consumers that read committed: what no open transaction touches. */
  LAST_STABLE_OFFSET
}
