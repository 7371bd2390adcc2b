package dev.vitrine.config;

import static dev.vitrine.config.ConfigRule.atLeast;
import static dev.vitrine.config.ConfigRule.between;
import static dev.vitrine.config.ConfigRule.nonEmptyList;
import static dev.vitrine.config.Mark.INTERNAL;
import static dev.vitrine.config.Mark.NO_EFFECT;
import static dev.vitrine.config.UpdateMode.CLUSTER_WIDE;

/** Share groups on the broker's side, and the coordinator of their state. */
final class ShareKeys {
  private ShareKeys() {}

  static void define(ConfigTable.Builder t) {
    t.list("group.share.assignors", "simple", nonEmptyList(), NO_EFFECT)
        .doc("The assignors for share groups.");
    t.int32("group.share.delivery.count.limit", 5, between(2, 10), NO_EFFECT)
        .doc("How often a record is delivered at most, where the group has no number of its own.");
    t.int32("group.share.min.delivery.count.limit", 2, between(2, 5), NO_EFFECT)
        .doc("The least that a group may set share.delivery.count.limit to.");
    t.int32("group.share.max.delivery.count.limit", 10, between(5, 25), NO_EFFECT)
        .doc("The most that a group may set share.delivery.count.limit to.");
    t.int32("group.share.record.lock.duration.ms", 30_000, between(1000, 3_600_000), NO_EFFECT)
        .doc("How long a delivered record is locked, where the group has no time of its own.");
    t.int32("group.share.min.record.lock.duration.ms", 15_000, between(1000, 30_000), NO_EFFECT)
        .doc("The least that a group may set share.record.lock.duration.ms to.");
    t.int32(
            "group.share.max.record.lock.duration.ms",
            60_000,
            between(30_000, 3_600_000),
            NO_EFFECT)
        .doc("The most that a group may set share.record.lock.duration.ms to.");
    t.int32("group.share.partition.max.record.locks", 2000, between(100, 10_000), NO_EFFECT)
        .doc(
            "How many records of a partition may be locked, where the group has no number of its own.");
    t.int32("group.share.min.partition.max.record.locks", 100, between(100, 2000), NO_EFFECT)
        .doc("The least that a group may set share.partition.max.record.locks to.");
    t.int32("group.share.max.partition.max.record.locks", 4000, between(2000, 10_000), NO_EFFECT)
        .doc("The most that a group may set share.partition.max.record.locks to.");
    t.int32("group.share.max.share.sessions", 2000, atLeast(1), NO_EFFECT)
        .doc("How many share sessions a broker keeps.");
    t.int32("group.share.initialize.retry.interval.ms", 30_000, atLeast(1), INTERNAL, NO_EFFECT)
        .doc("The pause before the initialisation of a share partition is tried again.");
    t.string(
            "group.share.persister.class.name",
            "org.apache.kafka.server.share.persister.DefaultStatePersister",
            INTERNAL,
            NO_EFFECT)
        .doc("The class that keeps the state of share partitions.");
    t.string(
            "group.share.dlq.manager.class.name",
            "org.apache.kafka.server.share.dlq.DefaultShareGroupDLQManager",
            INTERNAL,
            NO_EFFECT)
        .doc("The class that writes to dead letter topics.");
    t.int32("share.fetch.purgatory.purge.interval.requests", 1000, NO_EFFECT)
        .doc("How many finished share fetches may linger before they are cleared.");
    t.int32("share.coordinator.append.linger.ms", -1, atLeast(-1), NO_EFFECT)
        .doc(
            "How long a share coordinator gathers records before it writes them; -1 lets it decide.");
    t.int32(
            "share.coordinator.cached.buffer.max.bytes",
            1_048_588,
            atLeast(524_288),
            CLUSTER_WIDE,
            NO_EFFECT)
        .doc("The largest buffer that a share coordinator keeps for reuse.");
    t.int32(
            "share.coordinator.cold.partition.snapshot.interval.ms",
            300_000,
            atLeast(1),
            INTERNAL,
            NO_EFFECT)
        .doc("How often idle share partitions are written as snapshots.");
    t.int32("share.coordinator.load.buffer.size", 5_242_880, atLeast(1), NO_EFFECT)
        .doc("How many bytes are read at a time when share state is loaded.");
    t.int32(
            "share.coordinator.snapshot.update.records.per.snapshot",
            500,
            between(0, 500),
            NO_EFFECT)
        .doc("Updates of a share partition's state between two snapshots of it.");
    t.int32("share.coordinator.state.topic.compression.codec", 0, NO_EFFECT)
        .doc("The codec of the batches of __share_group_state, by its number.");
    t.int16("share.coordinator.state.topic.min.isr", 2, atLeast(1), NO_EFFECT)
        .doc("min.insync.replicas of __share_group_state.");
    t.int32("share.coordinator.state.topic.num.partitions", 50, atLeast(1), NO_EFFECT)
        .doc("Partitions of __share_group_state; not to be changed later.");
    t.int32(
            "share.coordinator.state.topic.prune.interval.ms",
            300_000,
            atLeast(1),
            INTERNAL,
            NO_EFFECT)
        .doc("How often share state that was replaced is deleted.");
    t.int16("share.coordinator.state.topic.replication.factor", 3, atLeast(1), NO_EFFECT)
        .doc("Replicas of __share_group_state.");
    t.int32("share.coordinator.state.topic.segment.bytes", 104_857_600, atLeast(1), NO_EFFECT)
        .doc("The segment size of __share_group_state.");
    t.int32("share.coordinator.threads", 1, atLeast(1), NO_EFFECT)
        .doc("Threads that run share coordinators in Apache Kafka.");
    t.int32("share.coordinator.write.timeout.ms", 5000, atLeast(1), NO_EFFECT)
        .doc("How long a write of share state waits for its replication.");
    t.bool("errors.deadletterqueue.auto.create.topics.enable", false, CLUSTER_WIDE, NO_EFFECT)
        .doc("Whether a dead letter topic that doesn't exist is created.");
    t.string("errors.deadletterqueue.topic.name.prefix", "dlq.", CLUSTER_WIDE, NO_EFFECT)
        .doc("What the name of a dead letter topic begins with.");
  }
}
