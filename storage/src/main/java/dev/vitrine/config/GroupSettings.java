package dev.vitrine.config;

/** The group coordinator and {@code __consumer_offsets}. All times in milliseconds. */
public record GroupSettings(
    int minSessionTimeoutMs,
    int maxSessionTimeoutMs,
    int initialRebalanceDelayMs,
    int maxSize,
    Offsets offsets) {

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
