package dev.vitrine.config;

import static dev.vitrine.config.ConfigRule.anyList;
import static dev.vitrine.config.ConfigRule.atLeast;
import static dev.vitrine.config.ConfigRule.between;
import static dev.vitrine.config.ConfigRule.nonEmptyList;
import static dev.vitrine.config.ConfigRule.nonEmptyListOf;
import static dev.vitrine.config.ConfigRule.oneOfIgnoringCase;
import static dev.vitrine.config.Mark.INTERNAL;
import static dev.vitrine.config.Mark.NO_EFFECT;
import static dev.vitrine.config.UpdateMode.CLUSTER_WIDE;

/**
 * The broker's side of groups: the coordinator, committed offsets, and the bounds and defaults of
 * what a group may set.
 */
final class GroupCoordinatorKeys {
  private GroupCoordinatorKeys() {}

  static void define(ConfigTable.Builder t) {
    t.int32("group.min.session.timeout.ms", 6000)
        .doc("The shortest session timeout that a classic member may ask for.");
    t.int32("group.max.session.timeout.ms", 1_800_000)
        .doc("The longest session timeout that a classic member may ask for.");
    t.int32("group.initial.rebalance.delay.ms", 3000)
        .doc("How long the first rebalance of an empty classic group waits for more members.");
    t.int32("group.max.size", Integer.MAX_VALUE, atLeast(1))
        .doc("The most members of a classic group.");
    t.list(
            "group.coordinator.rebalance.protocols",
            "classic,consumer,streams",
            nonEmptyListOf("consumer", "classic", "share", "streams"))
        .doc("The kinds of groups that are served.");
    t.int32("group.coordinator.threads", 4, atLeast(1), NO_EFFECT)
        .doc("Threads that run coordinators in Apache Kafka.");
    t.int32("group.coordinator.background.threads", 2, atLeast(1), NO_EFFECT)
        .doc("Threads for the coordinators' work in the background.");
    t.int32("group.coordinator.append.linger.ms", -1, atLeast(-1), NO_EFFECT)
        .doc("How long a coordinator gathers records before it writes them; -1 lets it decide.");
    t.int32(
            "group.coordinator.cached.buffer.max.bytes",
            1_048_588,
            atLeast(524_288),
            CLUSTER_WIDE,
            NO_EFFECT)
        .doc("The largest buffer that a coordinator keeps for reuse.");
    t.int32("offset.metadata.max.bytes", 4096)
        .doc("The longest text that may go with a committed offset.");
    t.int32("offsets.commit.timeout.ms", 5000, atLeast(1))
        .doc("How long a commit of offsets waits for its replication.");
    t.int32("offsets.load.buffer.size", 5_242_880, atLeast(1))
        .doc("How many bytes are read at a time when committed offsets are loaded.");
    t.int32("offsets.retention.minutes", 10_080, atLeast(1))
        .doc("How long the offsets of a group without members are kept.");
    t.int64("offsets.retention.check.interval.ms", 600_000L, atLeast(1))
        .doc("How often committed offsets are searched for what has expired.");
    t.int32("offsets.topic.compression.codec", 0)
        .doc("The codec of the batches of __consumer_offsets, by its number.");
    t.int32("offsets.topic.num.partitions", 50, atLeast(1))
        .doc("Partitions of __consumer_offsets; not to be changed later.");
    t.int16("offsets.topic.replication.factor", 3, atLeast(1))
        .doc("Replicas of __consumer_offsets; it is not created while there are fewer brokers.");
    t.int32("offsets.topic.segment.bytes", 104_857_600, atLeast(1))
        .doc("The segment size of __consumer_offsets.");
    t.list("group.consumer.assignors", "uniform,range", nonEmptyList())
        .doc("The assignors for consumer groups; the first is the default.");
    t.string(
            "group.consumer.migration.policy",
            "bidirectional",
            oneOfIgnoringCase("DISABLED", "DOWNGRADE", "UPGRADE", "BIDIRECTIONAL"))
        .doc("Which way a group may change between the classic and the consumer protocol.");
    t.int32("group.consumer.regex.refresh.interval.ms", 600_000, atLeast(10_000), INTERNAL)
        .doc("How often subscribed patterns are matched against the topics again.");
    t.list("group.streams.assignors", "sticky", nonEmptyList(), NO_EFFECT)
        .doc("The task assignors for streams groups; the first is the default.");
    t.int32("group.streams.max.standby.replicas", 2, atLeast(0), NO_EFFECT)
        .doc("The most standby replicas that a streams group may ask for.");
    t.int32("group.streams.max.warmup.replicas", 20, atLeast(0), INTERNAL, NO_EFFECT)
        .doc("The most warm-up replicas that a streams group may ask for.");
    t.int32("group.streams.num.standby.replicas", 0, atLeast(0), NO_EFFECT)
        .doc("Standby replicas of each task, where the group has no number of its own.");
    t.int32("group.streams.num.warmup.replicas", 2, atLeast(0), INTERNAL, NO_EFFECT)
        .doc("Warm-up replicas of a group, where it has no number of its own.");
    t.int32("group.streams.initial.rebalance.delay.ms", 3000, atLeast(0), NO_EFFECT)
        .doc("How long the first rebalance of an empty streams group waits for more members.");
    t.int64("group.streams.acceptable.recovery.lag", 10_000L, atLeast(0), INTERNAL, NO_EFFECT)
        .doc("The lag at which a streams task counts as caught up.");
    t.int32("group.streams.task.offset.interval.ms", 60_000, atLeast(1), INTERNAL, NO_EFFECT)
        .doc("How often streams members tell their tasks' offsets.");
    t.int32("group.streams.min.task.offset.interval.ms", 15_000, atLeast(1), INTERNAL, NO_EFFECT)
        .doc("The least that a group may set streams.task.offset.interval.ms to.");
    t.list("group.streams.rack.aware.assignment.tags", "", anyList(), NO_EFFECT)
        .doc("Client tags over which standby replicas are spread.");
    t.className("group.streams.topology.description.plugin.class", null, NO_EFFECT)
        .doc("A class that keeps the descriptions of streams topologies.");
    t.int32("group.consumer.session.timeout.ms", 45_000, atLeast(1))
        .doc("A member of a consumer group that is silent for so long is removed.");
    t.int32("group.consumer.min.session.timeout.ms", 45_000, atLeast(1))
        .doc("The least that a group may set consumer.session.timeout.ms to.");
    t.int32("group.consumer.max.session.timeout.ms", 60_000, atLeast(1))
        .doc("The most that a group may set consumer.session.timeout.ms to.");
    t.int32("group.consumer.heartbeat.interval.ms", 5000, atLeast(1))
        .doc("How often members of a consumer group send heartbeats.");
    t.int32("group.consumer.min.heartbeat.interval.ms", 5000, atLeast(1))
        .doc("The least that a group may set consumer.heartbeat.interval.ms to.");
    t.int32("group.consumer.max.heartbeat.interval.ms", 15_000, atLeast(1))
        .doc("The most that a group may set consumer.heartbeat.interval.ms to.");
    t.int32("group.consumer.assignment.interval.ms", 1000, atLeast(0), CLUSTER_WIDE)
        .doc("The least time between two assignments of a consumer group.");
    t.int32("group.consumer.min.assignment.interval.ms", 0, atLeast(0))
        .doc("The least that a group may set consumer.assignment.interval.ms to.");
    t.int32("group.consumer.max.assignment.interval.ms", 15_000, atLeast(0))
        .doc("The most that a group may set consumer.assignment.interval.ms to.");
    t.bool("group.consumer.assignor.offload.enable", true, CLUSTER_WIDE, INTERNAL, NO_EFFECT)
        .doc("Whether the assignment of a consumer group is computed on another thread.");
    t.int32("group.consumer.max.size", Integer.MAX_VALUE, atLeast(1))
        .doc("The most members of a consumer group.");
    t.int32("group.share.session.timeout.ms", 45_000, atLeast(1), NO_EFFECT)
        .doc("A member of a share group that is silent for so long is removed.");
    t.int32("group.share.min.session.timeout.ms", 45_000, atLeast(1), NO_EFFECT)
        .doc("The least that a group may set share.session.timeout.ms to.");
    t.int32("group.share.max.session.timeout.ms", 60_000, atLeast(1), NO_EFFECT)
        .doc("The most that a group may set share.session.timeout.ms to.");
    t.int32("group.share.heartbeat.interval.ms", 5000, atLeast(1), NO_EFFECT)
        .doc("How often members of a share group send heartbeats.");
    t.int32("group.share.min.heartbeat.interval.ms", 5000, atLeast(1), NO_EFFECT)
        .doc("The least that a group may set share.heartbeat.interval.ms to.");
    t.int32("group.share.max.heartbeat.interval.ms", 15_000, atLeast(1), NO_EFFECT)
        .doc("The most that a group may set share.heartbeat.interval.ms to.");
    t.int32("group.share.assignment.interval.ms", 1000, atLeast(0), CLUSTER_WIDE, NO_EFFECT)
        .doc("The least time between two assignments of a share group.");
    t.int32("group.share.min.assignment.interval.ms", 0, atLeast(0), NO_EFFECT)
        .doc("The least that a group may set share.assignment.interval.ms to.");
    t.int32("group.share.max.assignment.interval.ms", 15_000, atLeast(0), NO_EFFECT)
        .doc("The most that a group may set share.assignment.interval.ms to.");
    t.bool("group.share.assignor.offload.enable", true, CLUSTER_WIDE, INTERNAL, NO_EFFECT)
        .doc("Whether the assignment of a share group is computed on another thread.");
    t.int32("group.share.max.size", 200, between(1, 1000), NO_EFFECT)
        .doc("The most members of a share group.");
    t.int32("group.streams.session.timeout.ms", 45_000, atLeast(1), NO_EFFECT)
        .doc("A member of a streams group that is silent for so long is removed.");
    t.int32("group.streams.min.session.timeout.ms", 45_000, atLeast(1), NO_EFFECT)
        .doc("The least that a group may set streams.session.timeout.ms to.");
    t.int32("group.streams.max.session.timeout.ms", 60_000, atLeast(1), NO_EFFECT)
        .doc("The most that a group may set streams.session.timeout.ms to.");
    t.int32("group.streams.heartbeat.interval.ms", 5000, atLeast(1), NO_EFFECT)
        .doc("How often members of a streams group send heartbeats.");
    t.int32("group.streams.min.heartbeat.interval.ms", 5000, atLeast(1), NO_EFFECT)
        .doc("The least that a group may set streams.heartbeat.interval.ms to.");
    t.int32("group.streams.max.heartbeat.interval.ms", 15_000, atLeast(1), NO_EFFECT)
        .doc("The most that a group may set streams.heartbeat.interval.ms to.");
    t.int32("group.streams.assignment.interval.ms", 1000, atLeast(0), CLUSTER_WIDE, NO_EFFECT)
        .doc("The least time between two assignments of a streams group.");
    t.int32("group.streams.min.assignment.interval.ms", 0, atLeast(0), NO_EFFECT)
        .doc("The least that a group may set streams.assignment.interval.ms to.");
    t.int32("group.streams.max.assignment.interval.ms", 15_000, atLeast(0), NO_EFFECT)
        .doc("The most that a group may set streams.assignment.interval.ms to.");
    t.bool("group.streams.assignor.offload.enable", true, CLUSTER_WIDE, INTERNAL, NO_EFFECT)
        .doc("Whether the assignment of a streams group is computed on another thread.");
    t.int32("group.streams.max.size", Integer.MAX_VALUE, atLeast(1), NO_EFFECT)
        .doc("The most members of a streams group.");
  }
}
