package dev.vitrine.config;

import static dev.vitrine.config.ConfigRule.atLeast;
import static dev.vitrine.config.ConfigRule.oneOf;
import static dev.vitrine.config.Mark.INTERNAL;
import static dev.vitrine.config.Mark.NO_EFFECT;
import static dev.vitrine.config.UpdateMode.CLUSTER_WIDE;

/** Replicas: who is in sync, who leads, how followers fetch. */
final class ReplicationKeys {
  private ReplicationKeys() {}

  static void define(ConfigTable.Builder t) {
    t.int32("min.insync.replicas", 1, atLeast(1), CLUSTER_WIDE)
        .doc("How many replicas must be in sync for a write with acks=all to be taken.");
    t.bool("unclean.leader.election.enable", false, CLUSTER_WIDE)
        .doc(
            "Whether a replica that is not in sync may lead when no other is left; may lose records.");
    t.int64("unclean.leader.election.interval.ms", 300_000L, atLeast(1), INTERNAL, NO_EFFECT)
        .doc("How often partitions without a leader are searched for one that may lead uncleanly.");
    t.bool("auto.leader.rebalance.enable", true)
        .doc("Whether leadership moves back to the preferred replicas by itself.");
    t.int64("leader.imbalance.check.interval.seconds", 300L, atLeast(1))
        .doc("How often leadership is looked at for its return to the preferred replicas.");
    t.int64("replica.lag.time.max.ms", 30_000L)
        .doc("A follower that was not at the leader's end for so long leaves the in-sync set.");
    t.int32("replica.fetch.max.bytes", 1_048_576, atLeast(0))
        .doc("The most bytes of one partition in a follower's fetch.");
    t.int32("replica.fetch.min.bytes", 1)
        .doc("A follower's fetch waits until there are so many bytes.");
    t.int32("replica.fetch.wait.max.ms", 500).doc("The longest that a follower's fetch waits.");
    t.int32("replica.fetch.response.max.bytes", 10_485_760, atLeast(0))
        .doc("The most bytes in the answer to a follower's fetch.");
    t.int32("replica.fetch.backoff.ms", 1000, atLeast(0))
        .doc("The pause of a follower after a failed fetch.");
    t.int32("replica.socket.timeout.ms", 30_000)
        .doc(
            "How long a follower waits for the leader's answer; at least replica.fetch.wait.max.ms.");
    t.int32("replica.socket.receive.buffer.bytes", 65_536, NO_EFFECT)
        .doc("SO_RCVBUF of a follower's connection to a leader.");
    t.int64("replica.high.watermark.checkpoint.interval.ms", 5000L)
        .doc("How often high watermarks are written down.");
    t.int32("num.replica.fetchers", 1, atLeast(1), CLUSTER_WIDE, NO_EFFECT)
        .doc("Connections from a follower to each leader.");
    t.string("replica.selector.class", null)
        .doc(
            "What chooses the replica from which a consumer fetches: nothing (the leader), or Kafka's"
                + " RackAwareReplicaSelector.");
    t.string("inter.broker.listener.name", null)
        .doc("The listener by which brokers reach one another.");
    t.string(
            "security.inter.broker.protocol",
            "PLAINTEXT",
            oneOf("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"))
        .doc("The security protocol among brokers, if inter.broker.listener.name is not set.");
    t.bool("follower.fetch.last.tiered.offset.enable", false, CLUSTER_WIDE, NO_EFFECT)
        .doc("Whether a new follower starts at the end of what is in remote storage.");
  }
}
