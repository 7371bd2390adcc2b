package dev.vitrine.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.vitrine.config.ConnectionSettings.Limit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Limits of connections, as they are configured; refusals in the words of Apache Kafka 4.4. */
class ConnectionSettingsTest {
  private static KafkaConfig config(Map<String, String> keys) {
    Map<String, String> all =
        new TreeMap<>(
            Map.of(
                "process.roles", "broker",
                "node.id", "1",
                "controller.quorum.voters", "9@localhost:9093",
                "controller.listener.names", "CONTROLLER",
                "listeners", "PLAINTEXT://localhost:9092"));
    all.putAll(keys);
    return KafkaConfig.parse(all);
  }

  private static void assertRefused(String message, Map<String, String> dynamic) {
    ConfigException e =
        assertThrows(
            ConfigException.class, () -> BrokerConfigs.validate(dynamic, true, config(Map.of())));
    assertEquals(message, e.getMessage());
  }

  @Test
  void listenersHaveTheLimitsOfTheNodeUnlessTheyHaveTheirOwn() {
    Limit none = new Limit(Integer.MAX_VALUE, Integer.MAX_VALUE);
    ConnectionSettings byDefault = config(Map.of()).connections();
    assertEquals(none, byDefault.whole());
    assertEquals(none, byDefault.ofListener("PLAINTEXT"));
    ConnectionSettings set =
        config(
                Map.of(
                    "max.connections", "10",
                    "max.connection.creation.rate", "5",
                    "listener.name.plaintext.max.connections", "7"))
            .connections();
    assertEquals(new Limit(10, 5), set.whole());
    assertEquals(new Limit(7, 5), set.ofListener("PLAINTEXT"));
    assertEquals(new Limit(10, 5), set.ofListener("OTHER"));
  }

  @Test
  void addressesMayHaveLimitsOfTheirOwn() {
    ConnectionSettings set =
        config(
                Map.of(
                    "max.connections.per.ip",
                    "3",
                    "max.connections.per.ip.overrides",
                    "127.0.0.1:5, host.example:0,::1:9"))
            .connections();
    assertEquals(3, set.perAddress());
    assertEquals(Map.of("127.0.0.1", 5, "host.example", 0, "::1", 9), set.overrides());
  }

  @Test
  void theyChangeWhileTheNodeRuns() {
    KafkaConfig base = config(Map.of("max.connections", "10"));
    KafkaConfig now =
        base.withDynamic(
            Map.of("listener.name.plaintext.max.connections", "4"), Map.of("max.connections", "8"));
    assertEquals(8, now.connections().whole().max());
    assertEquals(4, now.connections().ofListener("PLAINTEXT").max());
  }

  @Test
  void aRunningNodeTakesNoLimitOfNothing() {
    String refusal =
        "Invalid value org.apache.kafka.common.config.ConfigException: Invalid %s 0 for"
            + " configuration Invalid dynamic configuration";
    String max = "max.connections";
    String rate = "max.connection.creation.rate";
    assertRefused(refusal.formatted(max), Map.of(max, "0"));
    assertRefused(refusal.formatted(rate), Map.of(rate, "0"));
    assertRefused(refusal.formatted(max), Map.of("listener.name.plaintext." + max, "0"));
    BrokerConfigs.validate(
        Map.of("listener.name.foo." + max, "0", rate, "1"), true, config(Map.of()));
    // No listener has it from there.
    BrokerConfigs.validate(
        Map.of("listener.name.plaintext." + max, "5", max, "0"), true, config(Map.of()));
    assertEquals(0, config(Map.of(max, "0")).connections().whole().max());
  }

  @Test
  void onlyLimitsOfListenersHaveAnEffect() {
    KafkaConfig config =
        config(
            Map.of(
                "listener.name.plaintext.max.connections", "4",
                "listener.name.plaintext.ssl.protocol", "TLS"));
    assertEquals(
        List.of(
            "These configuration keys have no effect in Vitrine yet:"
                + " [listener.name.plaintext.ssl.protocol]"),
        config.warnings());
  }
}
