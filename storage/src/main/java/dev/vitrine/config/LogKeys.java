package dev.vitrine.config;

import static dev.vitrine.config.ConfigRule.anyList;
import static dev.vitrine.config.ConfigRule.atLeast;
import static dev.vitrine.config.ConfigRule.between;
import static dev.vitrine.config.ConfigRule.gzipLevel;
import static dev.vitrine.config.ConfigRule.listOf;
import static dev.vitrine.config.ConfigRule.nonEmptyList;
import static dev.vitrine.config.ConfigRule.oneOf;
import static dev.vitrine.config.Mark.INTERNAL;
import static dev.vitrine.config.Mark.NO_EFFECT;
import static dev.vitrine.config.UpdateMode.CLUSTER_WIDE;
import static dev.vitrine.config.UpdateMode.PER_BROKER;

/** The logs of a broker: segments, retention, syncing, compression, compaction. */
final class LogKeys {
  private LogKeys() {}

  static void define(ConfigTable.Builder t) {
    t.list("log.dir", "/tmp/kafka-logs", nonEmptyList())
        .doc("The directories of the partitions' data, if log.dirs is not set.");
    t.list("log.dirs", null, nonEmptyList())
        .doc("The directories of the partitions' data, comma-separated.");
    t.list("cordoned.log.dirs", "", anyList(), PER_BROKER, NO_EFFECT)
        .doc("Directories that get no new partitions.");
    t.int32("log.segment.bytes", 1_073_741_824, atLeast(1_048_576), CLUSTER_WIDE)
        .doc("A segment that reaches this size is closed and a new one begun.");
    t.int64("log.roll.ms", null, CLUSTER_WIDE)
        .doc(
            "A segment that reaches this age is closed and a new one begun; before log.roll.hours.");
    t.int32("log.roll.hours", 168, atLeast(1))
        .doc("A segment that reaches this age is closed and a new one begun.");
    t.int64("log.roll.jitter.ms", null, CLUSTER_WIDE)
        .doc(
            "The most by which the age of a segment is randomly shortened; before log.roll.jitter.hours.");
    t.int32("log.roll.jitter.hours", 0, atLeast(0))
        .doc("The most by which the age of a segment is randomly shortened.");
    t.int64("log.retention.ms", null, CLUSTER_WIDE)
        .doc("How long records are kept; -1 is for ever; before log.retention.minutes.");
    t.int32("log.retention.minutes", null)
        .doc("How long records are kept; before log.retention.hours.");
    t.int32("log.retention.hours", 168).doc("How long records are kept.");
    t.int64("log.retention.bytes", -1L, CLUSTER_WIDE)
        .doc("How many bytes of a partition are kept; -1 is all.");
    t.int64("log.retention.check.interval.ms", 300_000L, atLeast(1))
        .doc("How often logs are searched for segments to delete.");
    t.list("log.cleanup.policy", "delete", listOf("compact", "delete"), CLUSTER_WIDE)
        .doc("What happens to old records: delete, compact, or both; none of them keeps all.");
    t.int32("log.index.size.max.bytes", 10_485_760, atLeast(4), CLUSTER_WIDE)
        .doc("The largest index of a segment; a full one closes its segment.");
    t.int32("log.index.interval.bytes", 4096, atLeast(0), CLUSTER_WIDE)
        .doc("The distance, in bytes of the log, between two entries of the index.");
    t.int64("log.flush.interval.messages", Long.MAX_VALUE, atLeast(1), CLUSTER_WIDE)
        .doc("A log is synced after so many records.");
    t.int64("log.flush.interval.ms", null, CLUSTER_WIDE)
        .doc(
            "A log is synced when it was not for so long; log.flush.scheduler.interval.ms when not set.");
    t.int64("log.flush.scheduler.interval.ms", Long.MAX_VALUE)
        .doc("How often logs are searched for what must be synced.");
    t.int32("log.flush.offset.checkpoint.interval.ms", 60_000, atLeast(0))
        .doc("How often the recovery points are written down.");
    t.int32("log.flush.start.offset.checkpoint.interval.ms", 60_000, atLeast(0), NO_EFFECT)
        .doc("How often the log start offsets are written down.");
    t.int64("log.segment.delete.delay.ms", 60_000L, atLeast(0), CLUSTER_WIDE)
        .doc("The time between the renaming of a deleted segment and its deletion.");
    t.bool("log.preallocate", false, CLUSTER_WIDE, NO_EFFECT)
        .doc("Whether a new segment's file is given its full size at once.");
    t.int64("log.initial.task.delay.ms", 30_000L, atLeast(0), INTERNAL)
        .doc("The time from the start to the first of the periodic tasks of the logs.");
    t.string(
            "log.message.timestamp.type",
            "CreateTime",
            oneOf("CreateTime", "LogAppendTime"),
            CLUSTER_WIDE)
        .doc("Whether a record's timestamp is the producer's or the time of its append.");
    t.int64("log.message.timestamp.before.max.ms", Long.MAX_VALUE, atLeast(0), CLUSTER_WIDE)
        .doc("How far a record's timestamp may lie before the broker's clock.");
    t.int64("log.message.timestamp.after.max.ms", 3_600_000L, atLeast(0), CLUSTER_WIDE)
        .doc("How far a record's timestamp may lie after the broker's clock.");
    t.int64("log.dir.failure.timeout.ms", 30_000L, atLeast(1))
        .doc("A broker that can't tell the controller of a failed directory for so long stops.");
    t.int32("num.recovery.threads.per.data.dir", 2, atLeast(1), CLUSTER_WIDE, NO_EFFECT)
        .doc("How many logs of a directory are recovered at a time.");
    t.int32("num.replica.alter.log.dirs.threads", null, NO_EFFECT)
        .doc("Threads that move replicas between directories.");
    t.int32("message.max.bytes", 1_048_588, atLeast(0), CLUSTER_WIDE)
        .doc("The largest batch of records, as it is stored.");
    t.int32(
            "max.decompressed.message.bytes",
            Integer.MAX_VALUE - 8,
            between(1, Integer.MAX_VALUE - 8),
            CLUSTER_WIDE)
        .doc("The largest size to which a batch may be decompressed.");
    t.string(
            "compression.type",
            "producer",
            oneOf("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"),
            CLUSTER_WIDE)
        .doc(
            "How stored batches are compressed: as the producer did, not at all, or by the named codec.");
    t.int32("compression.gzip.level", -1, gzipLevel(), CLUSTER_WIDE)
        .doc("The level of gzip, 1 to 9; -1 is the codec's own.");
    t.int32("compression.lz4.level", 9, between(1, 17), CLUSTER_WIDE).doc("The level of lz4.");
    t.int32("compression.zstd.level", 3, between(-131_072, 22), CLUSTER_WIDE)
        .doc("The level of zstd.");
    t.bool("log.cleaner.enable", true, NO_EFFECT).doc("Whether compacted logs are compacted.");
    t.int32("log.cleaner.threads", 1, atLeast(0), CLUSTER_WIDE, NO_EFFECT)
        .doc("Threads that compact.");
    t.float64("log.cleaner.io.max.bytes.per.second", Double.MAX_VALUE, CLUSTER_WIDE, NO_EFFECT)
        .doc("The most bytes that compaction reads and writes in a second.");
    t.int64("log.cleaner.dedupe.buffer.size", 134_217_728L, CLUSTER_WIDE, NO_EFFECT)
        .doc("Memory for the table of keys, for all compaction threads together.");
    t.int32("log.cleaner.io.buffer.size", 524_288, atLeast(0), CLUSTER_WIDE, NO_EFFECT)
        .doc("Memory for compaction's buffers, for all compaction threads together.");
    t.float64("log.cleaner.io.buffer.load.factor", 0.9, CLUSTER_WIDE, NO_EFFECT)
        .doc("How full the table of keys may get.");
    t.int64("log.cleaner.backoff.ms", 15_000L, atLeast(0), CLUSTER_WIDE, NO_EFFECT)
        .doc("The pause of compaction when nothing is to do.");
    t.float64("log.cleaner.min.cleanable.ratio", 0.5, between(0, 1), CLUSTER_WIDE)
        .doc("The share of a log that must be uncompacted before it is compacted.");
    t.int64("log.cleaner.delete.retention.ms", 86_400_000L, atLeast(0), CLUSTER_WIDE)
        .doc("How long tombstones are kept in compacted logs.");
    t.int64("log.cleaner.min.compaction.lag.ms", 0L, atLeast(0), CLUSTER_WIDE)
        .doc("The shortest time for which a record stays uncompacted.");
    t.int64("log.cleaner.max.compaction.lag.ms", Long.MAX_VALUE, atLeast(1), CLUSTER_WIDE)
        .doc("The longest time for which a record stays uncompacted.");
  }
}
