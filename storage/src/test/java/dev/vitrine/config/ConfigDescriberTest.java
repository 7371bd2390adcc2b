package dev.vitrine.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Collectors;
import kafka.server.ConfigHelper;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResourceResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResult;
import org.apache.kafka.metadata.KafkaConfigSchema;
import org.apache.kafka.metadata.MetadataCache;
import org.apache.kafka.server.config.ServerTopicConfigSynonyms;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Our descriptions against those of Kafka's own DescribeConfigs, asked within this JVM. */
class ConfigDescriberTest {
  private final Map<String, String> fromFile = new TreeMap<>(KafkaConfigTest.COMBINED);
  private final Map<String, String> ofAllBrokers = new TreeMap<>();
  private final Map<String, String> ofBroker = new TreeMap<>();
  private final Map<String, String> overrides = new TreeMap<>();

  @BeforeAll
  static void quieten() {
    KafkaConfigTest.quieten();
    ((Logger) LoggerFactory.getLogger("state.change.logger")).setLevel(Level.OFF);
  }

  @Test
  void nothingSet() {
    compareBroker();
    compareTopic();
    compareGroup();
    compareClientMetrics();
  }

  @Test
  void setInServerProperties() {
    set(
        fromFile,
        "log.retention.hours=5 log.roll.ms=7000 log.roll.jitter.hours=1 log.flush.interval.ms=9"
            + " log.cleanup.policy=compact,delete,compact compression.type=gzip"
            + " group.consumer.session.timeout.ms=50000 group.streams.num.standby.replicas=1"
            + " min.insync.replicas=2 unknown.key=secret ssl.key.password=secret"
            + " log.segment.bytes=2000000 log.retention.bytes=17 offsets.topic.num.partitions=3"
            + " log.dirs=/a,/b");
    compareBroker();
    compareTopic();
    compareGroup();
  }

  @Test
  void retentionInEveryUnit() {
    for (String set :
        List.of(
            "log.retention.ms=5",
            "log.retention.minutes=5",
            "log.retention.ms=-5 log.retention.hours=3",
            "log.retention.minutes=5 log.retention.hours=3",
            "log.retention.ms=5 log.retention.minutes=5 log.retention.hours=3",
            "log.roll.hours=3",
            "log.roll.ms=3 log.roll.hours=3",
            "log.roll.jitter.ms=3",
            "log.flush.scheduler.interval.ms=3",
            "log.flush.interval.ms=4 log.flush.scheduler.interval.ms=3")) {
      fromFile.clear();
      fromFile.putAll(KafkaConfigTest.COMBINED);
      set(fromFile, set);
      compareBroker();
      compareTopic();
    }
  }

  @Test
  void setWhileRunning() {
    set(fromFile, "log.retention.ms=1000 log.segment.bytes=3000000 min.insync.replicas=2");
    set(
        ofAllBrokers,
        "log.retention.ms=2000 compression.type=lz4 min.insync.replicas=3 unknown.too=x"
            + " log.flush.interval.ms=77 leader.replication.throttled.rate=5"
            + " group.consumer.assignment.interval.ms=900");
    set(ofBroker, "log.retention.ms=3000 log.roll.ms=8000 follower.replication.throttled.rate=6");
    compareBroker();
    compareAllBrokers();
    compareTopic();
    compareGroup();
  }

  @Test
  void setForTheListener() {
    set(
        ofBroker,
        "listener.name.plaintext.max.connections=7 listener.name.plaintext.ssl.keystore.type=PKCS12"
            + " listener.name.plaintext.ssl.keystore.password=secret max.connections=9");
    compareBroker();
  }

  @Test
  void overridden() {
    set(
        overrides,
        "retention.ms=1000 segment.bytes=2000000 cleanup.policy=compact,compact"
            + " min.cleanable.dirty.ratio=0.1 flush.ms=5 segment.ms=9 preallocate=TRUE"
            + " leader.replication.throttled.replicas=0:1,1:2 retention.bytes=-1");
    compareTopic();
    overrides.clear();
    set(
        overrides,
        "consumer.session.timeout.ms=46000 share.auto.offset.reset=earliest"
            + " streams.assignor.name=sticky errors.deadletterqueue.topic.name=dlq");
    compareGroup();
    overrides.clear();
    set(overrides, "interval.ms=1000 metrics=*");
    compareClientMetrics();
  }

  private static void set(Map<String, String> to, String text) {
    for (String one : text.split(" ")) {
      String[] keyAndValue = one.split("=", 2);
      to.put(keyAndValue[0], keyAndValue[1]);
    }
  }

  private void compareBroker() {
    assertEquals(theirs(ConfigResource.Type.BROKER, "1"), ours(describer().broker()));
  }

  private void compareAllBrokers() {
    assertEquals(theirs(ConfigResource.Type.BROKER, ""), ours(describer().allBrokers()));
  }

  private void compareTopic() {
    assertEquals(theirCreatedTopic(), ourCreatedTopic());
    assertEquals(theirs(ConfigResource.Type.TOPIC, "t"), ours(describer().topic(overrides)));
  }

  private String ourCreatedTopic() {
    return describer().createdTopic(overrides).stream()
        .map(e -> e.name() + "=" + e.value() + " source " + e.source().id())
        .collect(Collectors.joining("\n"));
  }

  private String theirCreatedTopic() {
    KafkaConfigSchema schema =
        new KafkaConfigSchema(
            Map.of(ConfigResource.Type.TOPIC, LogConfig.configDefCopy()),
            ServerTopicConfigSynonyms.ALL_TOPIC_CONFIG_SYNONYMS);
    Map<String, ConfigEntry> entries =
        schema.resolveEffectiveTopicConfigs(fromFile, ofAllBrokers, ofBroker, overrides);
    return new TreeMap<>(entries)
        .values().stream()
            .map(
                e ->
                    e.name()
                        + "="
                        + e.value()
                        + " source "
                        + KafkaConfigSchema.translateConfigSource(e.source()).id())
            .collect(Collectors.joining("\n"));
  }

  private void compareGroup() {
    assertEquals(theirs(ConfigResource.Type.GROUP, "g"), ours(describer().group(overrides)));
  }

  private void compareClientMetrics() {
    assertEquals(
        theirs(ConfigResource.Type.CLIENT_METRICS, "m"),
        ours(describer().clientMetrics(overrides)));
  }

  private ConfigDescriber describer() {
    return new ConfigDescriber(KafkaConfig.parse(fromFile).withDynamic(ofBroker, ofAllBrokers));
  }

  private static String ours(List<ConfigEntryView> entries) {
    return entries.stream()
        .filter(e -> !e.name().startsWith("vitrine."))
        .map(
            e ->
                line(
                    e.name(),
                    e.value(),
                    e.source().id(),
                    e.readOnly(),
                    e.sensitive(),
                    e.type().id(),
                    e.synonyms().stream()
                        .map(s -> s.name() + "=" + s.value() + "@" + s.source().id())
                        .toList()))
        .collect(Collectors.joining("\n"));
  }

  private String theirs(ConfigResource.Type type, String name) {
    kafka.server.KafkaConfig config = new kafka.server.KafkaConfig(properties(fromFile), false);
    config.dynamicConfig().initialize(scala.Option.empty());
    config.dynamicConfig().updateDefaultConfig(properties(ofAllBrokers), false);
    config.dynamicConfig().updateBrokerConfig(1, properties(ofBroker), false);
    MetadataCache metadata = metadata();
    ConfigHelper helper = new ConfigHelper(metadata, config, metadata);
    DescribeConfigsResource resource =
        new DescribeConfigsResource()
            .setResourceType(type.id())
            .setResourceName(name)
            .setConfigurationKeys(null);
    DescribeConfigsResult result =
        helper
            .describeConfigs(
                scala.jdk.javaapi.CollectionConverters.asScala(List.of(resource)).toList(),
                true,
                false)
            .head();
    assertEquals(0, result.errorCode(), result.errorMessage());
    Map<String, String> sorted = new TreeMap<>();
    for (DescribeConfigsResourceResult e : result.configs()) {
      List<String> synonyms = new ArrayList<>();
      e.synonyms().forEach(s -> synonyms.add(s.name() + "=" + s.value() + "@" + s.source()));
      sorted.put(
          e.name(),
          line(
              e.name(),
              e.value(),
              e.configSource(),
              e.readOnly(),
              e.isSensitive(),
              e.configType(),
              synonyms));
    }
    return String.join("\n", sorted.values());
  }

  private static String line(
      String name,
      String value,
      byte source,
      boolean readOnly,
      boolean sensitive,
      byte type,
      List<String> synonyms) {
    return name
        + "="
        + value
        + " source "
        + source
        + (readOnly ? " read-only" : "")
        + (sensitive ? " sensitive" : "")
        + " type "
        + type
        + " "
        + synonyms;
  }

  private static Properties properties(Map<String, String> map) {
    Properties properties = new Properties();
    properties.putAll(map);
    return properties;
  }

  /** A cluster in which everything exists and has {@link #overrides}. */
  private MetadataCache metadata() {
    Class<?>[] type = {MetadataCache.class};
    return (MetadataCache)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            type,
            (proxy, method, args) ->
                switch (method.getName()) {
                  case "contains" -> true;
                  case "config", "topicConfig", "groupConfig" -> properties(overrides);
                  default -> throw new UnsupportedOperationException(Objects.toString(method));
                });
  }
}
