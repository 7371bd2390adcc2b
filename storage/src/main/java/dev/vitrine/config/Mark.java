package dev.vitrine.config;

/** A yes or no about a key. */
enum Mark implements Trait {
  /** Must be set: there is no default. */
  REQUIRED,
  /** For Kafka's own tests; not shown by DescribeConfigs. */
  INTERNAL,
  /** Taken and shown as Kafka does, but nothing in Vitrine looks at it yet. */
  NO_EFFECT
}
