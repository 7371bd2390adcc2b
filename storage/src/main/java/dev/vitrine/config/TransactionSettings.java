package dev.vitrine.config;

/**
 * Idempotent and transactional producers, and {@code __transaction_state}. Times in milliseconds.
 */
public record TransactionSettings(
    int maxTimeoutMs,
    int transactionalIdExpirationMs,
    int producerIdExpirationMs,
    int producerIdExpirationCheckIntervalMs,
    StateTopic topic) {

  /** {@code __transaction_state}. */
  public record StateTopic(
      int numPartitions, int replicationFactor, int minInsyncReplicas, int segmentBytes) {}

  static TransactionSettings of(ConfigValues v) {
    return new TransactionSettings(
        v.int32("transaction.max.timeout.ms"),
        v.int32("transactional.id.expiration.ms"),
        v.int32("producer.id.expiration.ms"),
        v.int32("producer.id.expiration.check.interval.ms"),
        new StateTopic(
            v.int32("transaction.state.log.num.partitions"),
            v.int32("transaction.state.log.replication.factor"),
            v.int32("transaction.state.log.min.isr"),
            v.int32("transaction.state.log.segment.bytes")));
  }
}
