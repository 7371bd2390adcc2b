package dev.vitrine.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.vitrine.protocol.record.AppendRules;
import dev.vitrine.protocol.record.Compression;
import dev.vitrine.storage.LogConfig;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What holds for a topic when the topic, the brokers and the file each set some of it. */
class TopicConfigsTest {
  private final Map<String, String> properties = new TreeMap<>(KafkaConfigTest.COMBINED);

  @Test
  void kafkasDefaults() {
    assertEquals(LogConfig.DEFAULT, TopicConfigs.logConfig(Map.of(), config()));
    assertEquals(AppendRules.DEFAULTS, TopicConfigs.appendRules(Map.of(), config()));
    assertEquals(1, TopicConfigs.minInsyncReplicas(Map.of(), config()));
    assertFalse(TopicConfigs.uncleanLeaderElection(Map.of(), config()));
  }

  @Test
  void theTopicComesBeforeTheBrokerBeforeTheFile() {
    properties.put("log.segment.bytes", "2000000");
    properties.put("log.retention.hours", "2");
    properties.put("min.insync.replicas", "2");
    properties.put("producer.id.expiration.ms", "77");
    KafkaConfig config =
        config()
            .withDynamic(
                Map.of("log.segment.bytes", "4000000"),
                Map.of("log.segment.bytes", "3000000", "compression.type", "gzip"));
    LogConfig log =
        TopicConfigs.logConfig(Map.of("cleanup.policy", "compact", "segment.ms", "5"), config);
    assertEquals(4_000_000, log.segmentBytes());
    assertEquals(7_200_000, log.retentionMs());
    assertEquals(5, log.segmentMs());
    assertEquals(true, log.compact());
    assertEquals(false, log.delete());
    assertEquals(77, log.producerIdExpirationMs());
    assertEquals(
        100,
        TopicConfigs.logConfig(Map.of("internal.segment.bytes", "100"), config).segmentBytes());
    AppendRules rules = TopicConfigs.appendRules(Map.of("compression.gzip.level", "3"), config);
    assertEquals(Compression.GZIP, rules.compression());
    assertEquals(3, rules.compressionLevel());
    assertEquals(2, TopicConfigs.minInsyncReplicas(Map.of(), config));
  }

  /** A key that no record reads has no effect, and the table says so; and the other way round. */
  @Test
  void theTablesSayWhatHasAnEffect() {
    KafkaConfig config = config();
    Set<String> read = new TreeSet<>();
    ConfigValues recording = recording(config.values(), read);
    NodeSettings.of(recording);
    ListenerSettings.of(recording);
    QuorumSettings.of(recording);
    LogSettings.of(recording);
    BrokerSettings.of(recording);
    SocketSettings.of(recording);
    ConnectionSettings.of(recording, Map.of(), List.of());
    QuotaSettings.of(recording);
    TopicDefaults.of(recording);
    ReplicationSettings.of(recording);
    GroupSettings.of(recording);
    ConsumerGroupTerms.of(Map.of(), recording);
    ConsumerGroupTerms.of(
        Map.of(
            "consumer.session.timeout.ms", "50000",
            "consumer.heartbeat.interval.ms", "6000",
            "consumer.assignment.interval.ms", "0"),
        recording);
    TransactionSettings.of(recording);
    TelemetrySettings.of(recording);
    VitrineSettings.of(recording);
    for (ConfigKey key : TopicKeys.TABLE.keys()) {
      if (key.hasEffect()) {
        key.serverKeys().forEach(serverKey -> read.add(serverKey.name()));
      }
    }
    read.add("broker.id"); // read as node.id
    read.add("vitrine.shards"); // read if set
    Set<String> withEffect = new TreeSet<>();
    for (ConfigKey key : BrokerKeys.ALL.keys()) {
      if (key.hasEffect()) {
        withEffect.add(key.name());
      }
    }
    assertEquals(read, withEffect);
  }

  private static ConfigValues recording(ConfigValues values, Set<String> read) {
    return new ConfigValues(values) {
      @Override
      Object get(String name) {
        read.add(name);
        return super.get(name);
      }

      @Override
      boolean isSet(String name) {
        read.add(name);
        return super.isSet(name);
      }
    };
  }

  private KafkaConfig config() {
    return KafkaConfig.parse(properties);
  }
}
