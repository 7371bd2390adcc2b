package dev.vitrine.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.coordinator.group.GroupConfig;
import org.apache.kafka.server.config.AbstractKafkaConfig;
import org.apache.kafka.server.config.DynamicBrokerConfig;
import org.apache.kafka.server.config.QuotaConfig;
import org.apache.kafka.server.config.ServerTopicConfigSynonyms;
import org.apache.kafka.server.metrics.ClientMetricsConfigs;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.slf4j.LoggerFactory;

/** Our tables against Kafka's own definitions: names, types, defaults, and what each key takes. */
class ConfigTablesTest {
  /** Text that some key takes and another refuses, and everything between. */
  private static final List<String> VALUES =
      List.of(
          "",
          " ",
          "0",
          "1",
          "-1",
          "-2",
          "-3",
          " 5 ",
          "2",
          "3",
          "4",
          "9",
          "10",
          "11",
          "17",
          "18",
          "22",
          "23",
          "99",
          "100",
          "101",
          "500",
          "501",
          "999",
          "1000",
          "1001",
          "2000",
          "4000",
          "9999",
          "10000",
          "10001",
          "30000",
          "3600000",
          "3600001",
          "86400",
          "86401",
          "524287",
          "524288",
          "1048575",
          "1048576",
          "8388607",
          "8388608",
          "2147483639",
          "2147483640",
          "2147483647",
          "2147483648",
          "-2147483649",
          "9223372036854775807",
          "9223372036854775808",
          "32767",
          "32768",
          "0.0",
          "0.2",
          "0.5",
          "0.51",
          "1.0",
          "1.1",
          "1e3",
          "NaN",
          "0x10",
          "+7",
          "1_000",
          "1L",
          "1d",
          "true",
          "TRUE",
          "False",
          "yes",
          "a",
          "a,b",
          "a, b ,c",
          "a,a",
          ",",
          "a,,b",
          "delete",
          "compact",
          "compact,delete",
          "delete,compact",
          "Delete",
          "none",
          "gzip",
          "producer",
          "uncompressed",
          "snappy",
          "lz4",
          "zstd",
          "GZIP",
          "CreateTime",
          "LogAppendTime",
          "broker",
          "broker,controller",
          "controller,broker,broker",
          "classic",
          "classic,consumer",
          "disabled",
          "Upgrade",
          "required",
          "none",
          "PLAINTEXT",
          "SASL_SSL",
          "es256",
          "RS256",
          "*",
          "0:1",
          "0:1,1:2",
          "0:1, 1:2",
          "0:1,*",
          "0:x",
          "1@h:1",
          "1@h:1,2@h:2",
          "1@h",
          "x@h:1",
          "1@h:x",
          "1@2@h:1",
          "1@[::1]:9",
          "h:1",
          "h:1,i:2",
          "h",
          "[::1]:9",
          "earliest",
          "latest",
          "LATEST",
          "by_duration:PT1H",
          "by_duration:-PT1H",
          "by_duration:",
          "by_duration:1",
          "read_committed",
          "read_uncommitted",
          "org.Foo");

  @BeforeAll
  static void quieten() {
    ((Logger) LoggerFactory.getLogger(ConfigDef.class)).setLevel(Level.ERROR);
  }

  @TestFactory
  List<DynamicTest> broker() {
    return compare(AbstractKafkaConfig.CONFIG_DEF, BrokerKeys.STATIC);
  }

  @TestFactory
  List<DynamicTest> dynamicBroker() {
    List<DynamicTest> tests = new ArrayList<>();
    for (ConfigDef.ConfigKey theirs : QuotaConfig.brokerQuotaConfigs().configKeys().values()) {
      tests.add(
          DynamicTest.dynamicTest(
              theirs.name, () -> compare(theirs, BrokerKeys.ALL.key(theirs.name))));
    }
    return tests;
  }

  @TestFactory
  List<DynamicTest> topic() {
    return compare(LogConfig.configDefCopy(), TopicKeys.TABLE);
  }

  @TestFactory
  List<DynamicTest> group() {
    return compare(GroupConfig.CONFIG_DEF, GroupKeys.TABLE);
  }

  @TestFactory
  List<DynamicTest> clientMetrics() {
    return compare(ClientMetricsConfigs.configDef(), ClientMetricsKeys.TABLE);
  }

  @Test
  void sameNames() {
    assertEquals(names(AbstractKafkaConfig.CONFIG_DEF), kafkas(BrokerKeys.STATIC));
    assertEquals(names(LogConfig.configDefCopy()), kafkas(TopicKeys.TABLE));
    assertEquals(names(GroupConfig.CONFIG_DEF), kafkas(GroupKeys.TABLE));
    assertEquals(names(ClientMetricsConfigs.configDef()), kafkas(ClientMetricsKeys.TABLE));
    System.out.printf(
        "keys compared with Kafka's: broker %d and %d dynamic, topic %d, group %d, client metrics"
            + " %d; %d values each%n",
        kafkas(BrokerKeys.STATIC).size(),
        BrokerKeys.ALL.names().size() - BrokerKeys.STATIC.names().size(),
        TopicKeys.TABLE.names().size(),
        GroupKeys.TABLE.names().size(),
        ClientMetricsKeys.TABLE.names().size(),
        VALUES.size());
  }

  @Test
  void sameUpdateModes() {
    Map<String, String> ours = new TreeMap<>();
    for (ConfigKey key : BrokerKeys.ALL.keys()) {
      switch (key.updateMode()) {
        case PER_BROKER -> ours.put(key.name(), "per-broker");
        case CLUSTER_WIDE -> ours.put(key.name(), "cluster-wide");
        case READ_ONLY -> {}
      }
    }
    assertEquals(new TreeMap<>(DynamicBrokerConfig.dynamicConfigUpdateModes()), ours);
  }

  @Test
  void sameServerKeysOfTopics() {
    Map<String, String> theirs = new TreeMap<>();
    ServerTopicConfigSynonyms.ALL_TOPIC_CONFIG_SYNONYMS.forEach(
        (name, synonyms) -> {
          StringBuilder all = new StringBuilder();
          synonyms.forEach(s -> all.append(s.name() + "=" + s.converter().apply("3") + " "));
          theirs.put(name, all.toString());
        });
    Map<String, String> ours = new TreeMap<>();
    for (ConfigKey key : TopicKeys.TABLE.keys()) {
      if (!key.serverKeys().isEmpty()) {
        StringBuilder all = new StringBuilder();
        key.serverKeys().forEach(s -> all.append(s.name() + "=" + s.convert("3") + " "));
        ours.put(key.name(), all.toString());
      }
    }
    assertEquals(theirs, ours);
  }

  @Test
  void everyKeyIsDescribed() {
    List<ConfigKey> all = new ArrayList<>(BrokerKeys.ALL.keys());
    all.addAll(TopicKeys.TABLE.keys());
    all.addAll(GroupKeys.TABLE.keys());
    all.addAll(ClientMetricsKeys.TABLE.keys());
    for (ConfigKey key : all) {
      assertFalse(key.documentation().isBlank(), key.name());
    }
  }

  private static List<DynamicTest> compare(ConfigDef theirs, ConfigTable ours) {
    List<DynamicTest> tests = new ArrayList<>();
    new TreeMap<>(theirs.configKeys())
        .forEach(
            (name, key) ->
                tests.add(DynamicTest.dynamicTest(name, () -> compare(key, ours.key(name)))));
    return tests;
  }

  private static void compare(ConfigDef.ConfigKey theirs, ConfigKey ours) {
    assertEquals(theirs.type.name(), ours.type().name(), "type");
    assertEquals(theirs.hasDefault(), !ours.required(), "has a default");
    assertEquals(theirs.internalConfig, ours.internal(), "internal");
    Object theirDefault = theirs.hasDefault() ? theirs.defaultValue : null;
    assertEquals(
        ConfigDef.convertToString(theirDefault, theirs.type),
        ours.format(ours.defaultValue()),
        "default");
    if (theirs.type == ConfigDef.Type.CLASS) {
      return; // We don't load classes: any name will do, see CrossChecks for what is refused.
    }
    for (String text : VALUES) {
      if (text.equals(",") && ours.name().endsWith("replication.throttled.replicas")) {
        continue; // Kafka takes a list of nothing but commas for a list of no replicas.
      }
      assertEquals(theirAnswer(theirs, text), ourAnswer(ours, text), () -> "'" + text + "'");
    }
  }

  private static String theirAnswer(ConfigDef.ConfigKey key, String text) {
    try {
      Map<String, Object> parsed = new ConfigDef().define(key).parse(Map.of(key.name, text));
      Object value = parsed.get(key.name);
      if (value instanceof org.apache.kafka.common.config.types.Password password) {
        return password.value();
      }
      return ConfigDef.convertToString(value, key.type);
    } catch (org.apache.kafka.common.config.ConfigException e) {
      return e.getMessage();
    }
  }

  private static String ourAnswer(ConfigKey key, String text) {
    try {
      return key.format(key.parse(text));
    } catch (ConfigException e) {
      return e.getMessage();
    }
  }

  private static Set<String> names(ConfigDef def) {
    return new TreeSet<>(def.names());
  }

  private static Set<String> kafkas(ConfigTable table) {
    Collection<String> names = new TreeSet<>(table.names());
    names.removeIf(name -> name.startsWith("vitrine."));
    return new TreeSet<>(names);
  }
}
