package dev.vitrine.config;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A group's configuration (KIP-848, KIP-932, KIP-1071): what may be set, and what holds. Pure. */
public final class GroupConfigs {
  private GroupConfigs() {}

  /**
   * Refuses what Kafka's controller refuses, in its words.
   *
   * @param overrides everything that would be set for the group; a value may be null
   * @param config of this node, which holds the bounds
   * @throws ConfigException if the overrides can't be set
   */
  public static void validate(Map<String, String> overrides, KafkaConfig config) {
    TopicConfigs.requireNoNulls("group", overrides);
    for (String name : overrides.keySet()) {
      if (GroupKeys.TABLE.key(name) == null) {
        throw new ConfigException("Unknown group config name: " + name);
      }
    }
    GroupBounds.checkGroup(ConfigValues.parse(GroupKeys.TABLE, overrides), config.values());
  }

  /** Every key's value in force. */
  static ConfigValues effective(Map<String, String> overrides, KafkaConfig config) {
    Map<String, Object> fromBroker = new TreeMap<>();
    for (ConfigKey key : GroupKeys.TABLE.keys()) {
      for (ConfigKey.ServerKey serverKey : key.serverKeys()) {
        Object value = config.values().get(serverKey.name());
        boolean firstOfList = value instanceof List<?> && key.type() == ConfigType.STRING;
        fromBroker.put(key.name(), firstOfList ? ((List<?>) value).get(0) : value);
      }
    }
    return ConfigValues.parse(GroupKeys.TABLE, overrides).over(fromBroker);
  }
}
