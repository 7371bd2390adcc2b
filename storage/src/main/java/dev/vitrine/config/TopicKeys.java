package dev.vitrine.config;

import static dev.vitrine.config.ConfigRule.atLeast;
import static dev.vitrine.config.ConfigRule.between;
import static dev.vitrine.config.ConfigRule.gzipLevel;
import static dev.vitrine.config.ConfigRule.listOf;
import static dev.vitrine.config.ConfigRule.oneOf;
import static dev.vitrine.config.Mark.INTERNAL;
import static dev.vitrine.config.Mark.NO_EFFECT;

/** What a topic can override, and the broker's keys that hold the defaults. */
final class TopicKeys {
  static final ConfigTable TABLE = table();

  private TopicKeys() {}

  private static ConfigTable table() {
    ConfigTable.Builder t = new ConfigTable.Builder();
    define(t);
    return t.build();
  }

  private static void define(ConfigTable.Builder t) {
    t.list("cleanup.policy", "delete", listOf("compact", "delete"))
        .from("log.cleanup.policy")
        .doc("What happens to old records: delete, compact, or both; none of them keeps all.");
    t.string(
            "compression.type",
            "producer",
            oneOf("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"))
        .from("compression.type")
        .doc(
            "How stored batches are compressed: as the producer did, not at all, or by the named codec.");
    t.int32("compression.gzip.level", -1, gzipLevel())
        .from("compression.gzip.level")
        .doc("The level of gzip, 1 to 9; -1 is the codec's own.");
    t.int32("compression.lz4.level", 9, between(1, 17))
        .from("compression.lz4.level")
        .doc("The level of lz4.");
    t.int32("compression.zstd.level", 3, between(-131_072, 22))
        .from("compression.zstd.level")
        .doc("The level of zstd.");
    t.int64("delete.retention.ms", 86_400_000L, atLeast(0))
        .from("log.cleaner.delete.retention.ms")
        .doc("How long tombstones are kept in a compacted topic.");
    t.bool("errors.deadletterqueue.group.enable", false, NO_EFFECT)
        .doc("Whether share groups may use this topic for dead letters.");
    t.int64("file.delete.delay.ms", 60_000L, atLeast(0))
        .from("log.segment.delete.delay.ms")
        .doc("The time between the renaming of a deleted segment and its deletion.");
    t.int64("flush.messages", Long.MAX_VALUE, atLeast(1))
        .from("log.flush.interval.messages")
        .doc("A log is synced after so many records.");
    t.int64("flush.ms", Long.MAX_VALUE, atLeast(0))
        .from("log.flush.interval.ms")
        .from("log.flush.scheduler.interval.ms")
        .doc("A log is synced when it was not for so long.");
    t.list("follower.replication.throttled.replicas", "", ThrottledReplicas.RULE)
        .doc("Replicas that are throttled as followers: partition:broker, comma-separated, or *.");
    t.list("leader.replication.throttled.replicas", "", ThrottledReplicas.RULE)
        .doc("Replicas that are throttled as leaders: partition:broker, comma-separated, or *.");
    t.int32("index.interval.bytes", 4096, atLeast(0))
        .from("log.index.interval.bytes")
        .doc("The distance, in bytes of the log, between two entries of the index.");
    t.int32("internal.segment.bytes", null, INTERNAL).doc("A smaller segment size, for tests.");
    t.int64("local.retention.bytes", -2L, atLeast(-2), NO_EFFECT)
        .from("log.local.retention.bytes")
        .doc(
            "How many bytes of a tiered partition stay on the broker's disk; -2 is what retention.bytes says.");
    t.int64("local.retention.ms", -2L, atLeast(-2), NO_EFFECT)
        .from("log.local.retention.ms")
        .doc(
            "How long the records of a tiered partition stay on the broker's disk; -2 is what retention.ms says.");
    t.int64("max.compaction.lag.ms", Long.MAX_VALUE, atLeast(1))
        .from("log.cleaner.max.compaction.lag.ms")
        .doc("The longest time for which a record stays uncompacted.");
    t.int64("min.compaction.lag.ms", 0L, atLeast(0))
        .from("log.cleaner.min.compaction.lag.ms")
        .doc("The shortest time for which a record stays uncompacted.");
    t.int32(
            "max.decompressed.message.bytes",
            Integer.MAX_VALUE - 8,
            between(1, Integer.MAX_VALUE - 8))
        .from("max.decompressed.message.bytes")
        .doc("The largest size to which a batch may be decompressed.");
    t.int32("max.message.bytes", 1_048_588, atLeast(0))
        .from("message.max.bytes")
        .doc("The largest batch of records, as it is stored.");
    t.string("message.timestamp.type", "CreateTime", oneOf("CreateTime", "LogAppendTime"))
        .from("log.message.timestamp.type")
        .doc("Whether a record's timestamp is the producer's or the time of its append.");
    t.int64("message.timestamp.before.max.ms", Long.MAX_VALUE, atLeast(0))
        .from("log.message.timestamp.before.max.ms")
        .doc("How far a record's timestamp may lie before the broker's clock.");
    t.int64("message.timestamp.after.max.ms", 3_600_000L, atLeast(0))
        .from("log.message.timestamp.after.max.ms")
        .doc("How far a record's timestamp may lie after the broker's clock.");
    t.float64("min.cleanable.dirty.ratio", 0.5, between(0, 1))
        .from("log.cleaner.min.cleanable.ratio")
        .doc("The share of a log that must be uncompacted before it is compacted.");
    t.int32("min.insync.replicas", 1, atLeast(1))
        .from("min.insync.replicas")
        .doc("How many replicas must be in sync for a write with acks=all to be taken.");
    t.bool("preallocate", false, NO_EFFECT)
        .from("log.preallocate")
        .doc("Whether a new segment's file is given its full size at once.");
    t.bool("remote.storage.enable", false, NO_EFFECT)
        .doc("Whether closed segments are kept in remote storage.");
    t.bool("remote.log.copy.disable", false, NO_EFFECT)
        .doc("Whether the copying to remote storage is halted.");
    t.bool("remote.log.delete.on.disable", false, NO_EFFECT)
        .doc("Whether switching remote storage off deletes what is there.");
    t.int64("remote.copy.lag.bytes", -1L, atLeast(-1), NO_EFFECT)
        .from("log.remote.copy.lag.bytes")
        .doc(
            "How far the copying to remote storage may stay behind the end; -1 is as the local retention.");
    t.int64("remote.copy.lag.ms", 0L, atLeast(-1), NO_EFFECT)
        .from("log.remote.copy.lag.ms")
        .doc(
            "For how long a closed segment may wait for its copying; -1 is as the local retention.");
    t.int64("retention.bytes", -1L)
        .from("log.retention.bytes")
        .doc("How many bytes of a partition are kept; -1 is all.");
    t.int64("retention.ms", 604_800_000L, atLeast(-1))
        .from("log.retention.ms")
        .fromMinutes("log.retention.minutes")
        .fromHours("log.retention.hours")
        .doc("How long records are kept; -1 is for ever.");
    t.int32("segment.bytes", 1_073_741_824, atLeast(1_048_576))
        .from("log.segment.bytes")
        .doc("A segment that reaches this size is closed and a new one begun.");
    t.int32("segment.index.bytes", 10_485_760, atLeast(4))
        .from("log.index.size.max.bytes")
        .doc("The largest index of a segment; a full one closes its segment.");
    t.int64("segment.jitter.ms", 0L, atLeast(0))
        .from("log.roll.jitter.ms")
        .fromHours("log.roll.jitter.hours")
        .doc("The most by which the age of a segment is randomly shortened.");
    t.int64("segment.ms", 604_800_000L, atLeast(1))
        .from("log.roll.ms")
        .fromHours("log.roll.hours")
        .doc("A segment that reaches this age is closed and a new one begun.");
    t.bool("unclean.leader.election.enable", false)
        .from("unclean.leader.election.enable")
        .doc(
            "Whether a replica that is not in sync may lead when no other is left; may lose records.");
  }
}
