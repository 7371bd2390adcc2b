package dev.vitrine.config;

import dev.vitrine.protocol.record.Compression;
import dev.vitrine.protocol.record.TimestampType;
import java.util.Map;

/**
 * What holds for a topic's partitions beyond their log: what a leader checks of a produced batch,
 * and when it may acknowledge. Immutable.
 *
 * @param compression the codec of stored batches; null for as the producer did
 * @param compressionLevel of that codec
 * @param timestampBeforeMaxMs how far a timestamp may lie before the clock
 * @param timestampAfterMaxMs how far a timestamp may lie after the clock
 */
public record TopicSettings(
    boolean compacted,
    int maxMessageBytes,
    int maxDecompressedBytes,
    Compression compression,
    int compressionLevel,
    TimestampType timestampType,
    long timestampBeforeMaxMs,
    long timestampAfterMaxMs,
    int minInsyncReplicas,
    boolean uncleanLeaderElection) {

  /**
   * @param overrides what was set for the topic
   * @throws ConfigException if an override has a value that its key doesn't take
   */
  public static TopicSettings of(Map<String, String> overrides, KafkaConfig config) {
    ConfigValues v = TopicConfigs.effective(overrides, config);
    Compression compression = compression(v.string("compression.type"));
    return new TopicSettings(
        v.list("cleanup.policy").contains("compact"),
        v.int32("max.message.bytes"),
        v.int32("max.decompressed.message.bytes"),
        compression,
        compressionLevel(compression, v),
        TimestampType.forConfigName(v.string("message.timestamp.type")),
        v.int64("message.timestamp.before.max.ms"),
        v.int64("message.timestamp.after.max.ms"),
        v.int32("min.insync.replicas"),
        v.bool("unclean.leader.election.enable"));
  }

  private static Compression compression(String name) {
    return switch (name) {
      case "producer" -> null;
      case "uncompressed" -> Compression.NONE;
      case "gzip" -> Compression.GZIP;
      case "snappy" -> Compression.SNAPPY;
      case "lz4" -> Compression.LZ4;
      case "zstd" -> Compression.ZSTD;
      default -> throw new ConfigException("Unknown compression type " + name);
    };
  }

  private static int compressionLevel(Compression compression, ConfigValues v) {
    if (compression == Compression.GZIP
        || compression == Compression.LZ4
        || compression == Compression.ZSTD) {
      return v.int32("compression." + compression.configName() + ".level");
    }
    return 0;
  }
}
