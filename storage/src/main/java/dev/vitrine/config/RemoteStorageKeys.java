package dev.vitrine.config;

import static dev.vitrine.config.ConfigRule.atLeast;
import static dev.vitrine.config.ConfigRule.between;
import static dev.vitrine.config.ConfigRule.nonEmpty;
import static dev.vitrine.config.Mark.INTERNAL;
import static dev.vitrine.config.Mark.NO_EFFECT;
import static dev.vitrine.config.UpdateMode.CLUSTER_WIDE;

/** Tiered storage, which Vitrine doesn't have. */
final class RemoteStorageKeys {
  private RemoteStorageKeys() {}

  static void define(ConfigTable.Builder t) {
    t.bool("remote.log.storage.system.enable", false, NO_EFFECT)
        .doc("Whether closed segments can be kept in remote storage.");
    t.string("remote.log.storage.manager.class.name", null, nonEmpty(), NO_EFFECT)
        .doc("The class that writes to remote storage.");
    t.string("remote.log.storage.manager.class.path", null, NO_EFFECT)
        .doc("Where that class is found.");
    t.string("remote.log.storage.manager.impl.prefix", "rsm.config.", nonEmpty(), NO_EFFECT)
        .doc("The prefix of the keys that are handed to that class.");
    t.string(
            "remote.log.metadata.manager.class.name",
            "org.apache.kafka.server.log.remote.metadata.storage.TopicBasedRemoteLogMetadataManager",
            nonEmpty(),
            NO_EFFECT)
        .doc("The class that keeps what is known of remote segments.");
    t.string("remote.log.metadata.manager.class.path", null, NO_EFFECT)
        .doc("Where that class is found.");
    t.string("remote.log.metadata.manager.impl.prefix", "rlmm.config.", nonEmpty(), NO_EFFECT)
        .doc("The prefix of the keys that are handed to that class.");
    t.string("remote.log.metadata.manager.listener.name", null, nonEmpty(), NO_EFFECT)
        .doc("The listener by which that class reaches the brokers.");
    t.int32("remote.log.metadata.custom.metadata.max.bytes", 128, atLeast(0), NO_EFFECT)
        .doc("The most bytes that a storage class may add to what is known of a segment.");
    t.int64(
            "remote.log.index.file.cache.total.size.bytes",
            1_073_741_824L,
            atLeast(1),
            CLUSTER_WIDE,
            NO_EFFECT)
        .doc("The space for indexes fetched from remote storage.");
    t.int64("remote.log.index.file.cache.ttl.ms", 900_000L, atLeast(-1), INTERNAL, NO_EFFECT)
        .doc("How long indexes fetched from remote storage are kept.");
    t.int32("remote.log.manager.thread.pool.size", 2, atLeast(1), NO_EFFECT)
        .doc("Threads of the remote log tasks.");
    t.int32("remote.log.manager.copier.thread.pool.size", 10, atLeast(1), CLUSTER_WIDE, NO_EFFECT)
        .doc("Threads that copy segments to remote storage.");
    t.int32(
            "remote.log.manager.expiration.thread.pool.size",
            10,
            atLeast(1),
            CLUSTER_WIDE,
            NO_EFFECT)
        .doc("Threads that delete remote segments.");
    t.int32("remote.log.manager.follower.thread.pool.size", 2, atLeast(1), CLUSTER_WIDE, NO_EFFECT)
        .doc("Threads that follow remote storage on followers.");
    t.int64("remote.log.manager.task.interval.ms", 30_000L, atLeast(1), NO_EFFECT)
        .doc("How often the remote log tasks run.");
    t.int64("remote.log.manager.task.retry.backoff.ms", 500L, atLeast(1), INTERNAL, NO_EFFECT)
        .doc("The first pause of a remote log task after a failure.");
    t.int64(
            "remote.log.manager.task.retry.backoff.max.ms",
            30_000L,
            atLeast(1),
            INTERNAL,
            NO_EFFECT)
        .doc("The longest pause of a remote log task after a failure.");
    t.float64("remote.log.manager.task.retry.jitter", 0.2, between(0, 0.5), INTERNAL, NO_EFFECT)
        .doc("The share by which these pauses vary at random.");
    t.int64(
            "remote.log.manager.copy.max.bytes.per.second",
            Long.MAX_VALUE,
            atLeast(1),
            CLUSTER_WIDE,
            NO_EFFECT)
        .doc("The most bytes copied to remote storage in a second.");
    t.int32("remote.log.manager.copy.quota.window.num", 11, atLeast(1), NO_EFFECT)
        .doc("How many past windows that quota looks at.");
    t.int32("remote.log.manager.copy.quota.window.size.seconds", 1, atLeast(1), NO_EFFECT)
        .doc("The length of a window of that quota.");
    t.int64(
            "remote.log.manager.fetch.max.bytes.per.second",
            Long.MAX_VALUE,
            atLeast(1),
            CLUSTER_WIDE,
            NO_EFFECT)
        .doc("The most bytes fetched from remote storage in a second.");
    t.int32("remote.log.manager.fetch.quota.window.num", 11, atLeast(1), NO_EFFECT)
        .doc("How many past windows that quota looks at.");
    t.int32("remote.log.manager.fetch.quota.window.size.seconds", 1, atLeast(1), NO_EFFECT)
        .doc("The length of a window of that quota.");
    t.int32("remote.log.reader.threads", 10, atLeast(1), CLUSTER_WIDE, NO_EFFECT)
        .doc("Threads that read from remote storage.");
    t.int32("remote.log.reader.max.pending.tasks", 100, atLeast(1), NO_EFFECT)
        .doc("How many reads from remote storage may wait.");
    t.int32("remote.fetch.max.wait.ms", 500, atLeast(1), CLUSTER_WIDE, NO_EFFECT)
        .doc("How long a Fetch waits for remote storage.");
    t.int64("remote.list.offsets.request.timeout.ms", 30_000L, atLeast(1), CLUSTER_WIDE, NO_EFFECT)
        .doc("How long a ListOffsets waits for remote storage.");
    t.int64("log.local.retention.bytes", -2L, atLeast(-2), CLUSTER_WIDE, NO_EFFECT)
        .doc(
            "How many bytes of a tiered partition stay on this disk; -2 is what log.retention.bytes says.");
    t.int64("log.local.retention.ms", -2L, atLeast(-2), CLUSTER_WIDE, NO_EFFECT)
        .doc(
            "How long the records of a tiered partition stay on this disk; -2 is what log.retention.ms says.");
    t.int64("log.remote.copy.lag.bytes", -1L, atLeast(-1), CLUSTER_WIDE, NO_EFFECT)
        .doc(
            "How far the copying to remote storage may stay behind the end; -1 is as the local retention.");
    t.int64("log.remote.copy.lag.ms", 0L, atLeast(-1), CLUSTER_WIDE, NO_EFFECT)
        .doc(
            "For how long a closed segment may wait for its copying; -1 is as the local retention.");
  }
}
