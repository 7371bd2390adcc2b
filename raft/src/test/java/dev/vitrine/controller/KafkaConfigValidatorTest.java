package dev.vitrine.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.config.ConfigException;
import dev.vitrine.config.ConfigException.Kind;
import dev.vitrine.config.KafkaConfig;
import dev.vitrine.metadata.ConfigResource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KafkaConfigValidatorTest {
  private final ConfigValidator validator =
      new KafkaConfigValidator(
          KafkaConfig.parse(
              Map.of(
                  "process.roles", "controller",
                  "node.id", "1",
                  "controller.quorum.voters", "1@localhost:9093",
                  "listeners", "CONTROLLER://localhost:9093",
                  "controller.listener.names", "CONTROLLER",
                  "log.retention.hours", "2")));

  @Test
  void refusesByResource() {
    ConfigResource topic = ConfigResource.topic("t");
    assertNull(validator.refusal(topic, Map.of("retention.ms", "1")));
    assertRefused(Kind.INVALID_CONFIG, topic, "retention.ms", "x");
    assertRefused(Kind.INVALID_CONFIG, topic, "foo", "1");
    assertRefused(Kind.INVALID_REQUEST, ConfigResource.broker(1), "node.id", "3");
    assertRefused(
        Kind.INVALID_REQUEST, ConfigResource.defaultBroker(), "listeners", "PLAINTEXT://:1");
    ConfigResource group = new ConfigResource(ConfigResource.GROUP, "g");
    assertRefused(Kind.INVALID_CONFIG, group, "consumer.session.timeout.ms", "1");
    ConfigResource metrics = new ConfigResource(ConfigResource.CLIENT_METRICS, "m");
    assertRefused(Kind.INVALID_REQUEST, metrics, "foo", "1");
  }

  private void assertRefused(Kind kind, ConfigResource resource, String name, String value) {
    ConfigException e = validator.refusal(resource, Map.of(name, value));
    assertEquals(kind, e.kind(), e.getMessage());
  }

  @Test
  void knowsListsAndDefaults() {
    assertTrue(validator.isList(ConfigResource.TOPIC, "cleanup.policy"));
    assertFalse(validator.isList(ConfigResource.TOPIC, "retention.ms"));
    assertFalse(validator.isList(ConfigResource.BROKER_LOGGER, "root"));
    assertTrue(validator.isList(ConfigResource.BROKER, "log.cleanup.policy"));
    assertFalse(validator.isList(ConfigResource.CLIENT_METRICS, "metrics"));
    assertEquals("delete", validator.defaultValue(ConfigResource.TOPIC, "cleanup.policy"));
    assertNull(validator.defaultValue(ConfigResource.TOPIC, "foo"));
  }

  @Test
  void describesANewTopic() {
    List<ConfigValidator.Entry> entries =
        validator.describeTopic(
            Map.of("segment.ms", "5"), Map.of(), Map.of("compression.type", "gzip"));
    assertEquals(37, entries.size());
    assertTrue(
        entries.contains(new ConfigValidator.Entry("segment.ms", "5", false, (byte) 1, false)));
    assertTrue(
        entries.contains(
            new ConfigValidator.Entry("compression.type", "gzip", false, (byte) 3, false)));
    assertTrue(
        entries.contains(
            new ConfigValidator.Entry("retention.ms", "7200000", false, (byte) 4, false)));
  }
}
