package dev.vitrine.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import kafka.server.ControllerConfigurationValidator;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * What may be set for topics, groups, subscriptions and running brokers, against Kafka's checks.
 */
class ConfigValidationTest {
  private static final String TOPIC =
      "foo=1;retention.ms=abc;retention.ms=-2;retention.ms=;cleanup.policy=x;cleanup.policy=;"
          + "cleanup.policy=compact,compact;cleanup.policy=compact,,delete;compression.type=foo;"
          + "min.compaction.lag.ms=5 max.compaction.lag.ms=4;"
          + "min.compaction.lag.ms=4 max.compaction.lag.ms=4;compression.gzip.level=0;"
          + "preallocate=yes;segment.bytes=10;segment.bytes=1048576;min.cleanable.dirty.ratio=2;"
          + "leader.replication.throttled.replicas=x;leader.replication.throttled.replicas=*;"
          + "remote.storage.enable=true;remote.storage.enable=false;remote.log.copy.disable=true;"
          + "local.retention.ms=-3;local.retention.bytes=5 retention.bytes=4;"
          + "internal.segment.bytes=100;max.message.bytes=99999999999;segment.ms=0;flush.ms=-1;"
          + "min.insync.replicas=0;message.format.version=2;message.timestamp.type=createtime;"
          + "foo=1 retention.ms=x;retention.ms=1000 segment.ms=5";

  private static final String GROUP =
      "foo=1;consumer.session.timeout.ms=1;consumer.session.timeout.ms=0;"
          + "consumer.session.timeout.ms=100000;consumer.session.timeout.ms=45000;"
          + "consumer.heartbeat.interval.ms=1;consumer.heartbeat.interval.ms=100000;"
          + "consumer.session.timeout.ms=x;share.record.lock.duration.ms=5000;"
          + "share.record.lock.duration.ms=500000;share.delivery.count.limit=20;"
          + "share.auto.offset.reset=foo;share.auto.offset.reset=by_duration:PT1H;"
          + "share.isolation.level=foo;streams.num.standby.replicas=5;streams.assignor.name=foo;"
          + "streams.assignor.name=sticky;streams.session.timeout.ms=1;share.session.timeout.ms=1;"
          + "share.heartbeat.interval.ms=1;share.partition.max.record.locks=99999;"
          + "share.partition.max.record.locks=1;errors.deadletterqueue.topic.name=__x;"
          + "errors.deadletterqueue.topic.name=dlq.x;consumer.assignment.interval.ms=99999;"
          + "streams.rack.aware.assignment.tags=a,a;streams.rack.aware.assignment.tags=a,b;"
          + "streams.initial.rebalance.delay.ms=-1;streams.num.warmup.replicas=99;"
          + "streams.task.offset.interval.ms=1;streams.acceptable.recovery.lag=-1;"
          + "consumer.heartbeat.interval.ms=15000 consumer.session.timeout.ms=15000;"
          + "consumer.heartbeat.interval.ms=50000;share.heartbeat.interval.ms=50000;"
          + "streams.heartbeat.interval.ms=45000 streams.session.timeout.ms=45000";

  /** Bounds so wide that a heartbeat interval may reach the session timeout. */
  private static final Map<String, String> PROPERTIES = new TreeMap<>(KafkaConfigTest.COMBINED);

  static {
    for (String kind : List.of("consumer", "share", "streams")) {
      PROPERTIES.put("group." + kind + ".max.heartbeat.interval.ms", "60000");
    }
  }

  private static final String CLIENT_METRICS =
      "foo=1;interval.ms=1;interval.ms=99;interval.ms=100;interval.ms=99999999;interval.ms=x;"
          + "match=x;match=client_id=a;match=client_id=[;match=foo=a;match=;metrics=a,b;metrics=*;"
          + "match=client_id=a,client_id=b;match=client_id=a,client_source_port=12.*;"
          + "match=client_id=a=b;match==a;match=client_id=;metrics=";

  private static final String BROKER =
      "foo=x;listeners=PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093;"
          + "listeners=PLAINTEXT://localhost:1;num.io.threads=0;num.io.threads=x;node.id=3;"
          + "num.io.threads=9;log.retention.ms=50;log.retention.ms=-9;log.retention.ms=0;"
          + "log.retention.hours=3;log.roll.ms=0;log.retention.bytes=0;"
          + "log.cleaner.min.cleanable.ratio=3;log.segment.bytes=3;ssl.keystore.location=3;"
          + "listener.name.foo.ssl.keystore.location=3;leader.replication.throttled.rate=-1;"
          + "leader.replication.throttled.rate=5;min.insync.replicas=3;min.insync.replicas=0;"
          + "connections.max.reauth.ms=3;listener.name.foo.connections.max.reauth.ms=3;"
          + "listener.name.foo.max.connections=3;listener.name.foo.max.connections=x;"
          + "listener.name.foo.num.network.threads=3;max.connections=-3;max.connections.per.ip=0;"
          + "max.connections.per.ip.overrides=127.0.0.1:3;unclean.leader.election.enable=true;"
          + "message.max.bytes=x;compression.type=foo;background.threads=20;foo=x node.id=2;"
          + "log.cleaner.dedupe.buffer.size=1;log.cleanup.policy=compact,delete;"
          + "log.cleanup.policy=foo;cordoned.log.dirs=/x;cordoned.log.dirs=/tmp/kafka-logs;"
          + "group.consumer.assignment.interval.ms=7;group.consumer.assignment.interval.ms=700000;"
          + "follower.replication.throttled.rate=x;log.message.timestamp.type=x;"
          + "log.roll.jitter.ms=-1;log.flush.interval.ms=-1;producer.id.expiration.ms=0;"
          + "inter.broker.listener.name=x;advertised.listeners=PLAINTEXT://foo:1;"
          + "internal.metadata.log.segment.bytes=5;listener.name.foo.bar=1;"
          + "sasl.enabled.mechanisms=PLAIN";

  @BeforeAll
  static void quieten() {
    KafkaConfigTest.quieten();
  }

  @TestFactory
  List<DynamicTest> topic() {
    return tests(
        TOPIC,
        set -> theirs(ConfigResource.Type.TOPIC, set),
        set -> TopicConfigs.validate(set, config()));
  }

  @TestFactory
  List<DynamicTest> group() {
    return tests(
        GROUP,
        set -> theirs(ConfigResource.Type.GROUP, set),
        set -> GroupConfigs.validate(set, config()));
  }

  @TestFactory
  List<DynamicTest> clientMetrics() {
    return tests(
        CLIENT_METRICS,
        set -> theirs(ConfigResource.Type.CLIENT_METRICS, set),
        set -> ClientMetricsConfigs.validate("r", set));
  }

  @TestFactory
  List<DynamicTest> oneBroker() {
    return tests(
        BROKER, set -> theirDynamic(set, true), set -> BrokerConfigs.validate(set, true, config()));
  }

  @TestFactory
  List<DynamicTest> allBrokers() {
    return tests(
        BROKER,
        set -> theirDynamic(set, false),
        set -> BrokerConfigs.validate(set, false, config()));
  }

  @Test
  void nulls() {
    Map<String, String> set = new TreeMap<>();
    set.put("retention.ms", null);
    set.put("segment.ms", null);
    assertEquals(
        outcome(() -> theirs(ConfigResource.Type.TOPIC, set)),
        outcome(() -> TopicConfigs.validate(set, config())));
    set.clear();
    set.put("consumer.session.timeout.ms", null);
    assertEquals(
        outcome(() -> theirs(ConfigResource.Type.GROUP, set)),
        outcome(() -> GroupConfigs.validate(set, config())));
    set.clear();
    set.put("match", null);
    assertEquals(
        outcome(() -> theirs(ConfigResource.Type.CLIENT_METRICS, set)),
        outcome(() -> ClientMetricsConfigs.validate("r", set)));
  }

  @Test
  void passesOverWhatAnotherVersionMayHaveSet() {
    List<String> ignored = new ArrayList<>();
    KafkaConfig config =
        BrokerConfigs.apply(
            config(),
            Map.of("log.roll.ms", "7", "num.io.threads", "x", "node.id", "9"),
            Map.of("listeners", "PLAINTEXT://:1", "log.roll.ms", "8"),
            ignored::add);
    assertEquals(7, config.values().int64("log.roll.ms"));
    assertEquals(1, config.node().nodeId());
    assertEquals(3, ignored.size(), ignored.toString());
  }

  /** Kafka's words, as a running broker says them: its checks of pools are not made here. */
  @Test
  void threadsAreAtMostDoubledOrHalved() {
    String invalid =
        "Invalid value org.apache.kafka.common.config.ConfigException: %s for configuration Invalid"
            + " dynamic configuration";
    for (boolean perBroker : List.of(true, false)) {
      BrokerConfigs.validate(Map.of("num.io.threads", "16"), perBroker, config());
      BrokerConfigs.validate(Map.of("num.io.threads", "4"), perBroker, config());
      refused(
          invalid.formatted(
              "Dynamic thread count update validation failed for num.io.threads=17, value should"
                  + " not be greater than double the current value 8"),
          Map.of("num.io.threads", "17"),
          perBroker);
      refused(
          invalid.formatted(
              "Dynamic thread count update validation failed for num.io.threads=3, value should be"
                  + " at least half the current value 8"),
          Map.of("num.io.threads", "3"),
          perBroker);
      refused(
          invalid.formatted("Log cleaner threads should be at least 1"),
          Map.of("log.cleaner.threads", "0"),
          perBroker);
      refused(
          invalid.formatted(
              "Log cleaner threads cannot be increased to more than double the current value 1"),
          Map.of("log.cleaner.threads", "3"),
          perBroker);
      refused(
          "requirement failed: log.roll.ms must be greater than or equal to 1",
          Map.of("log.roll.ms", "0"),
          perBroker);
    }
    BrokerConfigs.validate(
        Map.of("num.io.threads", "32"),
        true,
        config().withDynamic(Map.of("num.io.threads", "16"), Map.of()));
  }

  /** A file may have no cleaners; that keeps nobody from changing something else, or this. */
  @Test
  void noCleanersAreNoTrap() {
    KafkaConfig none = config().withDynamic(Map.of("log.cleaner.threads", "0"), Map.of());
    BrokerConfigs.validate(Map.of(), true, none);
    BrokerConfigs.validate(Map.of("log.cleaner.threads", "2"), true, none);
    BrokerConfigs.validate(Map.of("log.cleaner.threads", "0", "num.io.threads", "9"), true, none);
  }

  private static void refused(String why, Map<String, String> set, boolean perBroker) {
    assertEquals(
        why,
        assertThrows(ConfigException.class, () -> BrokerConfigs.validate(set, perBroker, config()))
            .getMessage());
  }

  @Test
  void whatHasNoEffectIsNamed() {
    assertEquals(
        List.of("no.such.key", "num.io.threads"),
        BrokerConfigs.withoutEffect(
            List.of("num.io.threads", "log.retention.ms", "no.such.key", "message.max.bytes")));
  }

  private interface Check {
    void on(Map<String, String> set);
  }

  private static List<DynamicTest> tests(String sets, Check theirs, Check ours) {
    List<DynamicTest> tests = new ArrayList<>();
    for (String text : sets.split(";")) {
      Map<String, String> set = new TreeMap<>();
      for (String one : text.split(" ")) {
        set.put(one.split("=", 2)[0], one.split("=", 2)[1]);
      }
      tests.add(
          DynamicTest.dynamicTest(
              text,
              () -> assertEquals(outcome(() -> theirs.on(set)), outcome(() -> ours.on(set)))));
    }
    return tests;
  }

  private static String outcome(Runnable check) {
    try {
      check.run();
      return "fine";
    } catch (ConfigException e) {
      return e.kind() + ": " + e.getMessage().replace("requirement failed: ", "");
    } catch (InvalidRequestException e) {
      return "INVALID_REQUEST: " + e.getMessage();
    } catch (ApiException
        | IllegalArgumentException
        | org.apache.kafka.common.config.ConfigException e) {
      return "INVALID_CONFIG: " + e.getMessage().replace("requirement failed: ", "");
    }
  }

  private static KafkaConfig config() {
    return KafkaConfig.parse(PROPERTIES);
  }

  private static kafka.server.KafkaConfig theirConfig() {
    Properties properties = new Properties();
    properties.putAll(PROPERTIES);
    return new kafka.server.KafkaConfig(properties, false);
  }

  private static void theirs(ConfigResource.Type type, Map<String, String> set) {
    new ControllerConfigurationValidator(theirConfig())
        .validate(new ConfigResource(type, "r"), set, Map.of());
  }

  private static void theirDynamic(Map<String, String> set, boolean perBroker) {
    kafka.server.KafkaConfig config = theirConfig();
    config.dynamicConfig().initialize(scala.Option.empty());
    Properties properties = new Properties();
    properties.putAll(set);
    config.dynamicConfig().validate(properties, perBroker);
  }
}
