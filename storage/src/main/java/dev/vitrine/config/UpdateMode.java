package dev.vitrine.config;

/** Whether a broker's key can change while the broker runs, and for whom (KIP-226). */
public enum UpdateMode implements Trait {
  READ_ONLY,
  /** Only for one broker by name. */
  PER_BROKER,
  /** For one broker, or as the default of all. */
  CLUSTER_WIDE
}
