package dev.vitrine.controller;

import dev.vitrine.config.ConfigException;
import dev.vitrine.metadata.ConfigResource;
import java.util.List;
import java.util.Map;

/** What the controller must know about configuration keys. Called on the quorum loop; pure. */
public interface ConfigValidator {
  /**
   * Looks at the values that a resource would have after a change.
   *
   * @param configs all values set for this very resource, sorted by key
   * @return null if they are fine, otherwise why they are refused
   */
  ConfigException refusal(ConfigResource resource, Map<String, String> configs);

  /** Whether one may append to the key: Kafka lets only lists of topics and brokers grow so. */
  boolean isList(byte resourceType, String key);

  /** What the key is worth when nobody set it; null if it has no default or is unknown. */
  String defaultValue(byte resourceType, String key);

  /**
   * Every topic key with its value in force, as CreateTopics answers it.
   *
   * @param topic what is set for the topic
   * @param broker what is set for this node as a broker, which topics fall back to
   * @param allBrokers what is set for all brokers
   */
  List<Entry> describeTopic(
      Map<String, String> topic, Map<String, String> broker, Map<String, String> allBrokers);

  /**
   * @param source Kafka's number: 1 topic, 2 broker, 3 all brokers, 4 server.properties, 5 default
   */
  record Entry(String name, String value, boolean readOnly, byte source, boolean sensitive) {}
}
