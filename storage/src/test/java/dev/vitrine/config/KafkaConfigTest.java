package dev.vitrine.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.slf4j.LoggerFactory;

/** {@code server.properties}: what Kafka takes we take, what it refuses we refuse in its words. */
class KafkaConfigTest {
  static final Map<String, String> COMBINED =
      Map.of(
          "process.roles", "broker,controller",
          "node.id", "1",
          "controller.quorum.voters", "1@localhost:9093",
          "listeners", "PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093",
          "controller.listener.names", "CONTROLLER");

  private static final String MAP =
      "listener.security.protocol.map="
          + "PLAINTEXT:PLAINTEXT,INTERNAL:PLAINTEXT,EXTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT";

  /** Changes to {@link #COMBINED}: key=value, or -key to take it out, separated by blanks. */
  private static final List<String> CHANGES =
      List.of(
          "",
          "-node.id",
          "node.id=-1",
          "-node.id broker.id=1",
          "node.id=2",
          "node.id=1 broker.id=2",
          "-process.roles",
          "process.roles=",
          "process.roles=foo",
          "process.roles=broker",
          "process.roles=broker,broker",
          "process.roles=broker,controller,broker",
          "process.roles=controller",
          "process.roles=controller listeners=CONTROLLER://localhost:9093",
          "process.roles=controller listeners=CONTROLLER://localhost:9093"
              + " advertised.listeners=CONTROLLER://x:9093",
          "process.roles=broker node.id=2",
          "process.roles=broker node.id=2 listeners=PLAINTEXT://localhost:9092",
          "process.roles=broker node.id=2 listeners=PLAINTEXT://localhost:9092"
              + " -controller.quorum.voters",
          "controller.quorum.voters=",
          "controller.quorum.voters=1",
          "controller.quorum.voters=x@localhost:1",
          "controller.quorum.voters=1@localhost",
          "controller.quorum.voters=2@localhost:9093",
          "controller.quorum.voters=1@localhost:9093,1@localhost:9094",
          "controller.quorum.voters=1@localhost:9093,2@[::1]:9094",
          "-controller.quorum.voters",
          "-controller.quorum.voters controller.quorum.bootstrap.servers=localhost:9093",
          "-controller.quorum.voters controller.quorum.bootstrap.servers=localhost",
          "-controller.listener.names",
          "controller.listener.names=",
          "controller.listener.names=FOO",
          "controller.listener.names=CONTROLLER,FOO",
          "-listeners",
          "listeners=",
          "listeners=PLAINTEXT://localhost:9092",
          "listeners=CONTROLLER://localhost:9092",
          "listeners=plaintext://localhost:9092,controller://localhost:9093",
          "listeners=PLAINTEXT:/localhost:9092,CONTROLLER://localhost:9093",
          "listeners=PLAINTEXT://localhost,CONTROLLER://localhost:9093",
          "listeners=FOO://localhost:9092,CONTROLLER://localhost:9093",
          "listeners=CONTROLLER://localhost:9093,FOO://localhost:9092",
          "listeners=PLAINTEXT://localhost:9092,PLAINTEXT://localhost:9094,CONTROLLER://:9093",
          "listeners=PLAINTEXT://localhost:9093,CONTROLLER://localhost:9093",
          "listeners=PLAINTEXT://127.0.0.1:9093,CONTROLLER://[::1]:9093",
          "listeners=PLAINTEXT://localhost:0,CONTROLLER://localhost:0",
          "listeners=PLAINTEXT://:9092,CONTROLLER://:9093",
          "listeners=PLAINTEXT://:9092,CONTROLLER://0.0.0.0:9093",
          "listeners=PLAINTEXT://0.0.0.0:9092,CONTROLLER://:9093",
          "listeners=PLAINTEXT://0.0.0.0:9092,CONTROLLER://:9093"
              + " advertised.listeners=PLAINTEXT://foo:9092",
          "listeners=PLAINTEXT://[::]:9092,CONTROLLER://:9093",
          "listeners=PLAINTEXT://[::1]:9092,CONTROLLER://localhost:9093",
          "listeners=PLAINTEXT://:9092,CONTROLLER://:9093 controller.quorum.voters=1@foo:7777",
          "listeners=PLAINTEXT://localhost:9092,SSL://localhost:9094,CONTROLLER://localhost:9093",
          "advertised.listeners=PLAINTEXT://foo:9092",
          "advertised.listeners=PLAINTEXT://foo:0",
          "advertised.listeners=PLAINTEXT://:9092",
          "advertised.listeners=FOO://foo:9092",
          "advertised.listeners=PLAINTEXT://0.0.0.0:9092",
          "advertised.listeners=CONTROLLER://foo:9093",
          "advertised.listeners=PLAINTEXT://foo:9092,CONTROLLER://bar:9093",
          "advertised.listeners=PLAINTEXT://foo:9092,PLAINTEXT://foo:9094",
          "advertised.listeners=PLAINTEXT://foo:1,EXTERNAL://bar:2 " + MAP,
          "listeners=PLAINTEXT://:9092,EXTERNAL://:9094,CONTROLLER://:9093 "
              + "advertised.listeners=PLAINTEXT://foo:9092,EXTERNAL://foo:9092 "
              + MAP,
          "listeners=PLAINTEXT://:9092,EXTERNAL://:9094,CONTROLLER://:9093 "
              + "advertised.listeners=EXTERNAL://foo:9092 "
              + MAP,
          "listeners=INTERNAL://localhost:9094,CONTROLLER://localhost:9093 " + MAP,
          "listeners=INTERNAL://localhost:9094,CONTROLLER://localhost:9093"
              + " inter.broker.listener.name=INTERNAL "
              + MAP,
          "listeners=INTERNAL://localhost:9094,CONTROLLER://localhost:9093"
              + " inter.broker.listener.name=internal "
              + MAP,
          "listener.security.protocol.map=PLAINTEXT:PLAINTEXT",
          "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:FOO",
          "listener.security.protocol.map=plaintext:plaintext,controller:plaintext",
          "inter.broker.listener.name=FOO",
          "inter.broker.listener.name=CONTROLLER",
          "inter.broker.listener.name=PLAINTEXT security.inter.broker.protocol=PLAINTEXT",
          "security.inter.broker.protocol=PLAINTEXT",
          "security.inter.broker.protocol=SSL",
          "security.inter.broker.protocol=x",
          "log.dirs=",
          "log.dir= -log.dirs",
          "log.dir=/a,/b",
          "log.dir=/a log.dirs=/b,/c",
          "log.dirs=/a,/a",
          "log.dirs=/a metadata.log.dir=/x",
          "cordoned.log.dirs=/zz",
          "cordoned.log.dirs=*",
          "log.dirs=/a cordoned.log.dirs=/a",
          "log.roll.ms=0",
          "log.roll.hours=0",
          "log.roll.jitter.ms=-1",
          "log.retention.ms=0",
          "log.retention.ms=-5",
          "log.retention.minutes=0",
          "log.retention.hours=0",
          "log.retention.hours=0 log.retention.minutes=5",
          "log.retention.bytes=0",
          "log.cleaner.dedupe.buffer.size=5",
          "log.cleaner.threads=2 log.cleaner.dedupe.buffer.size=2097152",
          "log.cleaner.threads=2 log.cleaner.dedupe.buffer.size=2097154",
          "offsets.topic.compression.codec=9",
          "offsets.topic.compression.codec=4",
          "replica.fetch.wait.max.ms=50000",
          "replica.socket.timeout.ms=5",
          "replica.lag.time.max.ms=5",
          "max.connections.per.ip=0",
          "max.connections.per.ip=0 max.connections.per.ip.overrides=127.0.0.1:3",
          "max.connections.per.ip.overrides=127.0.0.1:5,localhost:6",
          "queued.max.request.bytes=100",
          "queued.max.request.bytes=0",
          "num.network.threads=0",
          "num.network.threads=x",
          "broker.heartbeat.interval.ms=5000 broker.session.timeout.ms=5000",
          "default.replication.factor=0",
          "foo.bar=x",
          "group.coordinator.rebalance.protocols=consumer",
          "group.coordinator.rebalance.protocols=classic,share",
          "group.consumer.assignors=range",
          "group.consumer.assignors=foo",
          "group.share.assignors=foo",
          "group.streams.assignors=foo",
          "group.streams.rack.aware.assignment.tags=a,a",
          "group.share.max.share.sessions=5",
          "group.share.delivery.count.limit=2 group.share.min.delivery.count.limit=3",
          "group.share.delivery.count.limit=10 group.share.max.delivery.count.limit=9",
          "group.share.record.lock.duration.ms=1000",
          "group.share.record.lock.duration.ms=99999",
          "group.share.partition.max.record.locks=9000",
          "group.streams.num.standby.replicas=3",
          "group.streams.num.warmup.replicas=30",
          "group.streams.task.offset.interval.ms=1",
          "group.consumer.heartbeat.interval.ms=45000"
              + " group.consumer.max.heartbeat.interval.ms=45000");

  @BeforeAll
  static void quieten() {
    for (String name : List.of("kafka", "org.apache.kafka")) {
      ((Logger) LoggerFactory.getLogger(name)).setLevel(Level.OFF);
    }
  }

  @TestFactory
  List<DynamicTest> asKafka() {
    List<String> changes = new ArrayList<>(CHANGES);
    for (String kind : List.of("consumer", "share", "streams")) {
      for (String time :
          List.of("session.timeout.ms", "heartbeat.interval.ms", "assignment.interval.ms")) {
        changes.add("group." + kind + ".min." + time + "=90000");
        changes.add("group." + kind + ".max." + time + "=1");
        changes.add("group." + kind + "." + time + "=90000");
        changes.add("group." + kind + "." + time + "=1");
      }
    }
    return changes.stream()
        .map(c -> DynamicTest.dynamicTest("[" + c + "]", () -> assertEquals(theirs(c), ours(c))))
        .toList();
  }

  private static Map<String, String> with(String changes) {
    Map<String, String> properties = new TreeMap<>(COMBINED);
    for (String change : changes.split(" ")) {
      if (change.startsWith("-")) {
        properties.remove(change.substring(1));
      } else if (!change.isEmpty()) {
        String[] keyAndValue = change.split("=", 2);
        properties.put(keyAndValue[0], keyAndValue[1]);
      }
    }
    return properties;
  }

  private static String theirs(String changes) {
    Properties properties = new Properties();
    properties.putAll(with(changes));
    try {
      kafka.server.KafkaConfig config = new kafka.server.KafkaConfig(properties, false);
      StringBuilder text = new StringBuilder();
      text.append("node " + config.nodeId() + " roles " + config.processRoles().size());
      text.append(" listeners " + endpoints(config.listeners()));
      text.append(" advertised " + endpoints(config.effectiveAdvertisedBrokerListeners()));
      text.append(" controllers " + endpoints(config.effectiveAdvertisedControllerListeners()));
      text.append(" between " + config.interBrokerListenerName().value());
      text.append(" dirs " + config.logDirs() + " " + config.metadataLogDir());
      return text.toString();
    } catch (IllegalArgumentException | org.apache.kafka.common.config.ConfigException e) {
      return e.getMessage()
          .replace("requirement failed: ", "")
          .replaceAll("Set\\((.*?)\\)", "[$1]");
    }
  }

  private static List<String> endpoints(
      scala.collection.Seq<org.apache.kafka.common.Endpoint> endpoints) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < endpoints.size(); i++) {
      org.apache.kafka.common.Endpoint e = endpoints.apply(i);
      SecurityProtocol protocol = SecurityProtocol.valueOf(e.securityProtocol().name());
      String host = e.host() == null ? "" : e.host();
      texts.add(new Listener(e.listener(), protocol, host, e.port()).toString());
    }
    return texts;
  }

  private static String ours(String changes) {
    try {
      KafkaConfig config = KafkaConfig.parse(with(changes));
      NodeSettings node = config.node();
      ListenerSettings listeners = config.listeners();
      Voter self = config.quorum().voters().get(node.nodeId());
      StringBuilder text = new StringBuilder();
      int roles = (node.isBroker() ? 1 : 0) + (node.isController() ? 1 : 0);
      text.append("node " + node.nodeId() + " roles " + roles);
      text.append(" listeners " + listeners.all());
      text.append(" advertised " + (node.isBroker() ? listeners.advertisedBrokers() : List.of()));
      text.append(" controllers " + listeners.advertisedControllers(self));
      text.append(" between " + listeners.interBroker());
      text.append(" dirs " + node.logDirs() + " " + node.metadataLogDir());
      return text.toString();
    } catch (ConfigException e) {
      return e.getMessage();
    }
  }

  @Test
  void refusesWhatItWouldNotDo() {
    for (String change :
        List.of(
            "listener.security.protocol.map=PLAINTEXT:SSL,CONTROLLER:PLAINTEXT",
            "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "create.topic.policy.class.name=x",
            "principal.builder.class=x",
            "config.providers=file",
            "replica.selector.class=com.example.MySelector",
            "remote.log.storage.system.enable=true",
            "listeners=PLAINTEXT://localhost:99999,CONTROLLER://localhost:9093",
            "vitrine.shards=0",
            "vitrine.truncation=never")) {
      ConfigException e =
          assertThrows(ConfigException.class, () -> KafkaConfig.parse(with(change)), change);
      String key = change.split("=", 2)[0];
      boolean namesIt = e.getMessage().contains(key) || e.getMessage().contains("99999");
      assertTrue(namesIt, e.getMessage());
    }
  }

  @Test
  void knowsTheSelectorThatGoesByRacks() {
    String rackAware = "org.apache.kafka.common.replica.RackAwareReplicaSelector";
    assertFalse(KafkaConfig.parse(COMBINED).replication().rackAware());
    assertFalse(KafkaConfig.parse(with("replica.selector.class=")).replication().rackAware());
    KafkaConfig config = KafkaConfig.parse(with("replica.selector.class=" + rackAware));
    assertTrue(config.replication().rackAware());
    assertEquals(List.of(), config.warnings());
  }

  @Test
  void saysWhatHasNoEffect() {
    KafkaConfig config =
        KafkaConfig.parse(
            with(
                "foo.bar=x ssl.protocol=TLSv1.3 num.io.threads=8 listener.name.a.b=c"
                    + " broker.session.timeout.ms=3000 vitrine.truncation=high-watermark"));
    List<String> warnings = config.warnings();
    assertEquals(4, warnings.size(), warnings.toString());
    assertEquals("Unknown configuration key foo.bar: it has no effect", warnings.get(0));
    assertEquals(
        "These configuration keys have no effect in Vitrine yet:"
            + " [listener.name.a.b, num.io.threads, ssl.protocol]",
        warnings.get(1));
  }

  @Test
  void shards() {
    assertEquals(1, KafkaConfig.parse(COMBINED).vitrine().shards(1));
    assertEquals(4, KafkaConfig.parse(COMBINED).vitrine().shards(8));
    assertEquals(3, KafkaConfig.parse(with("vitrine.shards=3")).vitrine().shards(8));
  }
}
