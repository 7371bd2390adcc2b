package dev.vitrine.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ConsumerGroupTermsTest {
  private static KafkaConfig config(String... more) {
    Map<String, String> properties = new TreeMap<>();
    properties.put("process.roles", "broker");
    properties.put("node.id", "1");
    properties.put("controller.quorum.voters", "2@127.0.0.1:9093");
    properties.put("listeners", "PLAINTEXT://127.0.0.1:9092");
    properties.put("controller.listener.names", "CONTROLLER");
    for (int i = 0; i < more.length; i += 2) {
      properties.put(more[i], more[i + 1]);
    }
    return KafkaConfig.parse(properties);
  }

  @Test
  void theGroupComesBeforeTheBroker() {
    KafkaConfig config = config("group.consumer.session.timeout.ms", "50000");
    assertEquals(
        new ConsumerGroupTerms(50_000, 5_000, 1_000), ConsumerGroupTerms.of(Map.of(), config));
    assertEquals(
        new ConsumerGroupTerms(46_000, 7_000, 0),
        ConsumerGroupTerms.of(
            Map.of(
                "consumer.session.timeout.ms", "46000",
                "consumer.heartbeat.interval.ms", "7000",
                "consumer.assignment.interval.ms", "0"),
            config));
  }

  @Test
  void theBrokersBoundsHoldWhenTheyChangeLater() {
    KafkaConfig config = config("group.consumer.max.session.timeout.ms", "55000");
    assertEquals(
        55_000,
        ConsumerGroupTerms.of(Map.of("consumer.session.timeout.ms", "60000"), config)
            .sessionTimeoutMs());
    assertEquals(
        45_000,
        ConsumerGroupTerms.of(Map.of("consumer.session.timeout.ms", "100"), config)
            .sessionTimeoutMs());
  }

  @Test
  void whatIsSetWhileItRunsCounts() {
    KafkaConfig config =
        config().withDynamic(Map.of(), Map.of("group.consumer.assignment.interval.ms", "7"));
    assertEquals(7, ConsumerGroupTerms.of(Map.of(), config).assignmentIntervalMs());
  }
}
