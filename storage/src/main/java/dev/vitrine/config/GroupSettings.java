package dev.vitrine.config;

import java.util.List;
import java.util.Locale;

/** The group coordinator and {@code __consumer_offsets}. All times in milliseconds. */
public record GroupSettings(
    int minSessionTimeoutMs,
    int maxSessionTimeoutMs,
    int initialRebalanceDelayMs,
    int maxSize,
    Consumer consumer,
    Offsets offsets) {

  /** Which way a group may change between the classic and the consumer protocol. */
  public enum Migration {
    DISABLED,
    DOWNGRADE,
    UPGRADE,
    BIDIRECTIONAL;

    /** To the consumer protocol. */
    public boolean upgrades() {
      return this == UPGRADE || this == BIDIRECTIONAL;
    }

    /** To the classic protocol. */
    public boolean downgrades() {
      return this == DOWNGRADE || this == BIDIRECTIONAL;
    }
  }

  /**
   * Groups of the consumer protocol (KIP-848).
   *
   * @param enabled whether {@code group.coordinator.rebalance.protocols} has them
   * @param assignors names, the first is the default
   */
  public record Consumer(
      boolean enabled,
      int maxSize,
      List<String> assignors,
      Migration migration,
      int regexRefreshIntervalMs) {
    static Consumer of(ConfigValues v) {
      return new Consumer(
          v.list("group.coordinator.rebalance.protocols").contains("consumer"),
          v.int32("group.consumer.max.size"),
          v.list("group.consumer.assignors"),
          Migration.valueOf(v.string("group.consumer.migration.policy").toUpperCase(Locale.ROOT)),
          v.int32("group.consumer.regex.refresh.interval.ms"));
    }
  }

  /**
   * Committed offsets and their topic.
   *
   * @param compressionCodec Kafka's number of the codec, 0 for none
   */
  public record Offsets(
      int metadataMaxBytes,
      int commitTimeoutMs,
      int loadBufferBytes,
      long retentionMs,
      long retentionCheckIntervalMs,
      int compressionCodec,
      int numPartitions,
      int replicationFactor,
      int segmentBytes) {}

  static GroupSettings of(ConfigValues v) {
    return new GroupSettings(
        v.int32("group.min.session.timeout.ms"),
        v.int32("group.max.session.timeout.ms"),
        v.int32("group.initial.rebalance.delay.ms"),
        v.int32("group.max.size"),
        Consumer.of(v),
        new Offsets(
            v.int32("offset.metadata.max.bytes"),
            v.int32("offsets.commit.timeout.ms"),
            v.int32("offsets.load.buffer.size"),
            v.int32("offsets.retention.minutes") * 60_000L,
            v.int64("offsets.retention.check.interval.ms"),
            v.int32("offsets.topic.compression.codec"),
            v.int32("offsets.topic.num.partitions"),
            v.int32("offsets.topic.replication.factor"),
            v.int32("offsets.topic.segment.bytes")));
  }
}
