package dev.vitrine.config;

import static dev.vitrine.config.ConfigRule.atLeast;
import static dev.vitrine.config.Mark.INTERNAL;
import static dev.vitrine.config.Mark.NO_EFFECT;
import static dev.vitrine.config.UpdateMode.CLUSTER_WIDE;

/** Transactions, idempotent producers, and the transaction coordinator. */
final class TransactionKeys {
  private TransactionKeys() {}

  static void define(ConfigTable.Builder t) {
    t.int32("transaction.max.timeout.ms", 900_000, atLeast(1))
        .doc("The longest transaction timeout that a producer may ask for.");
    t.int32("transactional.id.expiration.ms", 604_800_000, atLeast(1))
        .doc("A transactional id that was not used for so long is forgotten.");
    t.int32(
            "transaction.abort.timed.out.transaction.cleanup.interval.ms",
            10_000,
            atLeast(1),
            NO_EFFECT)
        .doc("How often transactions are searched for those over their timeout.");
    t.int32(
            "transaction.remove.expired.transaction.cleanup.interval.ms",
            3_600_000,
            atLeast(1),
            NO_EFFECT)
        .doc("How often transactional ids are searched for those that have expired.");
    t.bool("transaction.two.phase.commit.enable", false, NO_EFFECT)
        .doc("Whether producers may use transactions without a timeout, for two-phase commit.");
    t.bool("transaction.partition.verification.enable", true, CLUSTER_WIDE, NO_EFFECT)
        .doc("Whether a transactional write is checked with the coordinator before it is taken.");
    t.int32("transaction.state.log.load.buffer.size", 5_242_880, atLeast(1), NO_EFFECT)
        .doc("How many bytes are read at a time when transactions are loaded.");
    t.int32("transaction.state.log.min.isr", 2, atLeast(1))
        .doc("min.insync.replicas of __transaction_state.");
    t.int32("transaction.state.log.num.partitions", 50, atLeast(1))
        .doc("Partitions of __transaction_state; not to be changed later.");
    t.int16("transaction.state.log.replication.factor", 3, atLeast(1))
        .doc("Replicas of __transaction_state; it is not created while there are fewer brokers.");
    t.int32("transaction.state.log.segment.bytes", 104_857_600, atLeast(1))
        .doc("The segment size of __transaction_state.");
    t.int32("producer.id.expiration.ms", 86_400_000, atLeast(1), CLUSTER_WIDE)
        .doc("A producer's sequence numbers are forgotten when it wrote nothing for so long.");
    t.int32("producer.id.expiration.check.interval.ms", 600_000, atLeast(1), INTERNAL)
        .doc("How often producers are searched for those to forget.");
    t.int32("add.partitions.to.txn.retry.backoff.ms", 20, atLeast(1), NO_EFFECT)
        .doc("The first pause before a partition is added to a transaction again.");
    t.int32("add.partitions.to.txn.retry.backoff.max.ms", 100, atLeast(0), NO_EFFECT)
        .doc(
            "The longest time for which a broker tries again by itself to add a partition to a transaction.");
  }
}
