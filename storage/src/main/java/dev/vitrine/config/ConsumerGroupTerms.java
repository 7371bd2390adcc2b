package dev.vitrine.config;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What holds for one consumer group: its own configuration or, where it has none, the broker's. All
 * in milliseconds. Immutable.
 *
 * @param sessionTimeoutMs a member that is silent for so long is removed
 * @param heartbeatIntervalMs how often members are to send heartbeats
 * @param assignmentIntervalMs the least time between two assignments (KIP-1263)
 */
public record ConsumerGroupTerms(
    int sessionTimeoutMs, int heartbeatIntervalMs, int assignmentIntervalMs) {
  /**
   * As Kafka does it, a value that is outside of the broker's bounds by now counts as the bound.
   *
   * @param ofGroup what was set for the group, all of it valid when it was
   */
  public static ConsumerGroupTerms of(Map<String, String> ofGroup, KafkaConfig config) {
    return of(ofGroup, config.values());
  }

  static ConsumerGroupTerms of(Map<String, String> ofGroup, ConfigValues broker) {
    return new ConsumerGroupTerms(
        value("session.timeout.ms", ofGroup, broker),
        value("heartbeat.interval.ms", ofGroup, broker),
        value("assignment.interval.ms", ofGroup, broker));
  }

  private static int value(String key, Map<String, String> ofGroup, ConfigValues broker) {
    String text = ofGroup.get("consumer." + key);
    if (text == null) {
      return broker.int32("group.consumer." + key);
    }
    Map<String, String> one = new LinkedHashMap<>();
    one.put("consumer." + key, text);
    int value = ConfigValues.parse(GroupKeys.TABLE, one).int32("consumer." + key);
    int min = broker.int32("group.consumer.min." + key);
    int max = broker.int32("group.consumer.max." + key);
    return Math.max(min, Math.min(max, value));
  }
}
