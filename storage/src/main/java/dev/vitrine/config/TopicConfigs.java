package dev.vitrine.config;

import dev.vitrine.protocol.record.AppendRules;
import dev.vitrine.protocol.record.Compression;
import dev.vitrine.protocol.record.TimestampType;
import dev.vitrine.storage.LogConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A topic's configuration: what may be set for it, and what holds when only some of it is set. The
 * override comes first, then the broker's keys (dynamic before static), then the default. Pure.
 */
public final class TopicConfigs {
  private TopicConfigs() {}

  /**
   * Refuses what Kafka's controller refuses, in its words.
   *
   * @param overrides everything that would be set for the topic; a value may be null
   * @param config of this node
   * @throws ConfigException if the overrides can't be set
   */
  public static void validate(Map<String, String> overrides, KafkaConfig config) {
    requireNoNulls("topic", overrides);
    for (String name : overrides.keySet()) {
      if (TopicKeys.TABLE.key(name) == null) {
        throw new ConfigException("Unknown topic config name: " + name);
      }
    }
    ConfigValues values = effective(overrides, config);
    long minLag = values.int64("min.compaction.lag.ms");
    long maxLag = values.int64("max.compaction.lag.ms");
    if (minLag > maxLag) {
      throw new ConfigException(
          "conflict topic config setting min.compaction.lag.ms ("
              + minLag
              + ") > max.compaction.lag.ms ("
              + maxLag
              + ")");
    }
    if (values.bool("remote.storage.enable")) {
      throw new ConfigException(
          "Tiered Storage functionality is disabled in the broker. Topic cannot be configured with"
              + " remote log storage.");
    }
  }

  static void requireNoNulls(String what, Map<String, String> overrides) {
    List<String> nulls = new ArrayList<>();
    overrides.forEach(
        (name, value) -> {
          if (value == null) {
            nulls.add(name);
          }
        });
    if (!nulls.isEmpty()) {
      throw new ConfigException(
          "Null value not supported for " + what + " configs: " + String.join(",", nulls));
    }
  }

  /**
   * What a topic's logs need to know.
   *
   * @param overrides what was set for the topic
   * @throws ConfigException if an override has a value that its key doesn't take
   */
  public static LogConfig logConfig(Map<String, String> overrides, KafkaConfig config) {
    ConfigValues v = effective(overrides, config);
    List<String> cleanup = v.list("cleanup.policy");
    Object smallSegment = v.get("internal.segment.bytes");
    return LogConfig.builder()
        .segmentBytes(smallSegment == null ? v.int32("segment.bytes") : (Integer) smallSegment)
        .segmentMs(v.int64("segment.ms"))
        .segmentJitterMs(v.int64("segment.jitter.ms"))
        .segmentIndexBytes(v.int32("segment.index.bytes"))
        .indexIntervalBytes(v.int32("index.interval.bytes"))
        .retentionMs(v.int64("retention.ms"))
        .retentionBytes(v.int64("retention.bytes"))
        .cleanupPolicy(cleanup.contains("compact"), cleanup.contains("delete"))
        .maxMessageBytes(v.int32("max.message.bytes"))
        .flushMessages(v.int64("flush.messages"))
        .flushMs(v.int64("flush.ms"))
        .fileDeleteDelayMs(v.int64("file.delete.delay.ms"))
        .deleteRetentionMs(v.int64("delete.retention.ms"))
        .minCompactionLagMs(v.int64("min.compaction.lag.ms"))
        .maxCompactionLagMs(v.int64("max.compaction.lag.ms"))
        .minCleanableDirtyRatio(v.float64("min.cleanable.dirty.ratio"))
        .producerIdExpirationMs(config.transactions().producerIdExpirationMs())
        .build();
  }

  /**
   * What a topic's leaders check of what they append.
   *
   * @param overrides what was set for the topic
   * @throws ConfigException if an override has a value that its key doesn't take
   */
  public static AppendRules appendRules(Map<String, String> overrides, KafkaConfig config) {
    ConfigValues v = effective(overrides, config);
    Compression compression = compression(v.string("compression.type"));
    return new AppendRules(
        v.list("cleanup.policy").contains("compact"),
        TimestampType.forConfigName(v.string("message.timestamp.type")),
        v.int64("message.timestamp.before.max.ms"),
        v.int64("message.timestamp.after.max.ms"),
        compression,
        compressionLevel(compression, v),
        v.int32("max.message.bytes"),
        v.int32("max.decompressed.message.bytes"));
  }

  /** {@code leader.replication.throttled.replicas} of a topic, as far as this broker has them. */
  public static ThrottledReplicas throttledLeaders(
      Map<String, String> overrides, KafkaConfig config) {
    return throttled("leader.replication.throttled.replicas", overrides, config);
  }

  /** {@code follower.replication.throttled.replicas} of a topic, in the same way. */
  public static ThrottledReplicas throttledFollowers(
      Map<String, String> overrides, KafkaConfig config) {
    return throttled("follower.replication.throttled.replicas", overrides, config);
  }

  private static ThrottledReplicas throttled(
      String key, Map<String, String> overrides, KafkaConfig config) {
    return ThrottledReplicas.of(effective(overrides, config).list(key), config.node().nodeId());
  }

  /** {@code min.insync.replicas} of a topic. */
  public static int minInsyncReplicas(Map<String, String> overrides, KafkaConfig config) {
    return effective(overrides, config).int32("min.insync.replicas");
  }

  /** {@code unclean.leader.election.enable} of a topic. */
  public static boolean uncleanLeaderElection(Map<String, String> overrides, KafkaConfig config) {
    return effective(overrides, config).bool("unclean.leader.election.enable");
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

  /**
   * Every key's value in force.
   *
   * @throws ConfigException if an override has a value that its key doesn't take
   */
  static ConfigValues effective(Map<String, String> overrides, KafkaConfig config) {
    ConfigValues set = ConfigValues.parse(TopicKeys.TABLE, overrides);
    Map<String, Object> fromBroker = new TreeMap<>();
    for (ConfigKey key : TopicKeys.TABLE.keys()) {
      Object value = brokerValue(key, config.values());
      if (value != null) {
        fromBroker.put(key.name(), value);
      }
    }
    return set.over(fromBroker);
  }

  /** The first of the broker's keys that has a value, in the topic's unit; null if none has. */
  private static Object brokerValue(ConfigKey key, ConfigValues broker) {
    for (ConfigKey.ServerKey serverKey : key.serverKeys()) {
      Object value = broker.get(serverKey.name());
      if (value != null) {
        if (key.name().equals("retention.ms")) {
          long ms = ((Number) value).longValue() * serverKey.factor();
          return ms < 0 ? -1L : ms;
        }
        return serverKey.factor() == 1 ? value : ((Number) value).longValue() * serverKey.factor();
      }
    }
    return null;
  }
}
