package dev.vitrine.config;

import static dev.vitrine.config.ConfigRule.anyList;
import static dev.vitrine.config.ConfigRule.atLeast;
import static dev.vitrine.config.ConfigRule.oneOf;
import static dev.vitrine.config.Mark.INTERNAL;
import static dev.vitrine.config.Mark.NO_EFFECT;

/** What a group can override, and the broker's keys that hold the defaults. */
final class GroupKeys {
  static final ConfigTable TABLE = table();

  private GroupKeys() {}

  private static ConfigTable table() {
    ConfigTable.Builder t = new ConfigTable.Builder();
    define(t);
    return t.build();
  }

  private static void define(ConfigTable.Builder t) {
    t.bool("errors.deadletterqueue.copy.record.enable", false, NO_EFFECT)
        .doc("Whether a dead letter holds the record itself.");
    t.string("errors.deadletterqueue.topic.name", "", NO_EFFECT)
        .doc("The topic for a share group's dead letters; none when empty.");
    t.string("share.auto.offset.reset", "latest", OffsetReset.RULE, NO_EFFECT)
        .doc(
            "Where a share group begins: earliest, latest, or by_duration: and a duration back from now.");
    t.int32("share.delivery.count.limit", 5, atLeast(2), NO_EFFECT)
        .from("group.share.delivery.count.limit")
        .doc("How often a record is delivered at most.");
    t.string(
            "share.isolation.level",
            "read_uncommitted",
            oneOf("read_committed", "read_uncommitted"),
            NO_EFFECT)
        .doc("Whether records of open or aborted transactions are delivered.");
    t.int32("share.partition.max.record.locks", 2000, atLeast(100), NO_EFFECT)
        .from("group.share.partition.max.record.locks")
        .doc("How many records of a partition may be locked at a time.");
    t.int32("share.record.lock.duration.ms", 30_000, atLeast(1000), NO_EFFECT)
        .from("group.share.record.lock.duration.ms")
        .doc("How long a delivered record is locked.");
    t.bool("share.renew.acknowledge.enable", true, NO_EFFECT)
        .doc("Whether a consumer may renew its lock on a record.");
    t.int64("streams.acceptable.recovery.lag", 10_000L, atLeast(0), INTERNAL, NO_EFFECT)
        .from("group.streams.acceptable.recovery.lag")
        .doc("The lag at which a task counts as caught up.");
    t.string("streams.assignor.name", null, NO_EFFECT)
        .from("group.streams.assignors")
        .doc("The task assignor of the group.");
    t.int32("streams.initial.rebalance.delay.ms", 3000, atLeast(0), NO_EFFECT)
        .from("group.streams.initial.rebalance.delay.ms")
        .doc("How long the first rebalance of the empty group waits for more members.");
    t.int32("streams.num.standby.replicas", 0, atLeast(0), NO_EFFECT)
        .from("group.streams.num.standby.replicas")
        .doc("Standby replicas of each task.");
    t.int32("streams.num.warmup.replicas", 2, atLeast(0), INTERNAL, NO_EFFECT)
        .from("group.streams.num.warmup.replicas")
        .doc("Warm-up replicas of the group.");
    t.list("streams.rack.aware.assignment.tags", "", anyList(), NO_EFFECT)
        .from("group.streams.rack.aware.assignment.tags")
        .doc("Client tags over which standby replicas are spread.");
    t.int32("streams.task.offset.interval.ms", 60_000, atLeast(1), INTERNAL, NO_EFFECT)
        .from("group.streams.task.offset.interval.ms")
        .doc("How often members tell their tasks' offsets.");
    t.int32("consumer.session.timeout.ms", 45_000, atLeast(1))
        .from("group.consumer.session.timeout.ms")
        .doc("A member that is silent for so long is removed.");
    t.int32("consumer.heartbeat.interval.ms", 5000, atLeast(1))
        .from("group.consumer.heartbeat.interval.ms")
        .doc("How often members send heartbeats.");
    t.int32("consumer.assignment.interval.ms", 1000, atLeast(0))
        .from("group.consumer.assignment.interval.ms")
        .doc("The least time between two assignments.");
    t.bool("consumer.assignor.offload.enable", true, INTERNAL, NO_EFFECT)
        .from("group.consumer.assignor.offload.enable")
        .doc("Whether the assignment is computed on another thread.");
    t.int32("share.session.timeout.ms", 45_000, atLeast(1), NO_EFFECT)
        .from("group.share.session.timeout.ms")
        .doc("A member that is silent for so long is removed.");
    t.int32("share.heartbeat.interval.ms", 5000, atLeast(1), NO_EFFECT)
        .from("group.share.heartbeat.interval.ms")
        .doc("How often members send heartbeats.");
    t.int32("share.assignment.interval.ms", 1000, atLeast(0), NO_EFFECT)
        .from("group.share.assignment.interval.ms")
        .doc("The least time between two assignments.");
    t.bool("share.assignor.offload.enable", true, INTERNAL, NO_EFFECT)
        .from("group.share.assignor.offload.enable")
        .doc("Whether the assignment is computed on another thread.");
    t.int32("streams.session.timeout.ms", 45_000, atLeast(1), NO_EFFECT)
        .from("group.streams.session.timeout.ms")
        .doc("A member that is silent for so long is removed.");
    t.int32("streams.heartbeat.interval.ms", 5000, atLeast(1), NO_EFFECT)
        .from("group.streams.heartbeat.interval.ms")
        .doc("How often members send heartbeats.");
    t.int32("streams.assignment.interval.ms", 1000, atLeast(0), NO_EFFECT)
        .from("group.streams.assignment.interval.ms")
        .doc("The least time between two assignments.");
    t.bool("streams.assignor.offload.enable", true, INTERNAL, NO_EFFECT)
        .from("group.streams.assignor.offload.enable")
        .doc("Whether the assignment is computed on another thread.");
  }
}
