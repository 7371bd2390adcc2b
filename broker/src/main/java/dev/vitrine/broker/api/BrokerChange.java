package dev.vitrine.broker.api;

import dev.vitrine.config.BrokerConfigs;
import dev.vitrine.config.ConfigException;
import dev.vitrine.config.ConfigException.Kind;
import dev.vitrine.config.ConfigScope;
import dev.vitrine.config.ConfigType;
import dev.vitrine.config.KafkaConfig;
import dev.vitrine.protocol.message.AlterConfigsRequest;
import dev.vitrine.protocol.message.IncrementalAlterConfigsRequest.AlterableConfig;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A change of this broker's dynamic configuration, or of all brokers', which the broker must check
 * itself before the controller is asked: only it knows its own {@code server.properties}. A pure
 * function of what is set and what shall be.
 */
final class BrokerChange {
  private static final byte SET = 0;
  private static final byte DELETE = 1;
  private static final byte APPEND = 2;
  private static final byte SUBTRACT = 3;

  private BrokerChange() {}

  /**
   * @param name of the broker resource; empty for all brokers
   * @param set what is set for this resource now
   * @throws ConfigException if it can't be done
   */
  static void checkIncremental(
      String name, Map<String, String> set, List<AlterableConfig> changes, KafkaConfig config) {
    checkName(name, config);
    Map<String, String> wanted = new TreeMap<>(set);
    for (AlterableConfig change : changes) {
      String key = change.name();
      switch (change.configOperation()) {
        case SET -> put(wanted, key, change.value());
        case DELETE -> wanted.remove(key);
        case APPEND, SUBTRACT -> put(wanted, key, edited(change, set.get(key)));
        default -> throw refused("Unknown operations type " + change.configOperation());
      }
    }
    check(name, wanted, config);
  }

  /**
   * @param name of the broker resource; empty for all brokers
   * @throws ConfigException if it can't be done
   */
  static void checkReplacement(
      String name, List<AlterConfigsRequest.AlterableConfig> configs, KafkaConfig config) {
    checkName(name, config);
    Map<String, String> wanted = new TreeMap<>();
    configs.forEach(c -> put(wanted, c.name(), c.value()));
    check(name, wanted, config);
  }

  /** A null value is passed over here: the controller refuses it. */
  private static void put(Map<String, String> wanted, String name, String value) {
    if (value != null) {
      wanted.put(name, value);
    }
  }

  private static void checkName(String name, KafkaConfig config) {
    if (name.isEmpty()) {
      return;
    }
    int nodeId = config.node().nodeId();
    try {
      if (Integer.parseInt(name) != nodeId) {
        throw refused("Unexpected broker id, expected " + nodeId + ", but received " + name);
      }
    } catch (NumberFormatException notAnId) {
      throw refused("Node id must be an integer, but it is: " + name);
    }
  }

  private static String edited(AlterableConfig change, String set) {
    String name = change.name();
    ConfigType type = ConfigScope.BROKER.type(name);
    if (type == ConfigType.UNKNOWN) {
      throw new ConfigException("Unknown config name: " + name);
    }
    if (type != ConfigType.LIST) {
      String operation = change.configOperation() == APPEND ? "append" : "subtract";
      throw new ConfigException(
          "Config value " + operation + " is not allowed for config key: " + name);
    }
    if (change.value() == null) {
      return set;
    }
    String base = set == null ? ConfigScope.BROKER.defaultValue(name) : set;
    Set<String> parts = new LinkedHashSet<>();
    if (base != null && !base.isEmpty()) {
      parts.addAll(Arrays.asList(base.split(",")));
    }
    List<String> operands = Arrays.asList(change.value().split(","));
    if (change.configOperation() == APPEND) {
      parts.addAll(operands);
    } else {
      operands.forEach(parts::remove);
    }
    return String.join(",", parts);
  }

  private static void check(String name, Map<String, String> wanted, KafkaConfig config) {
    try {
      BrokerConfigs.validate(wanted, !name.isEmpty(), config);
    } catch (ConfigException e) {
      throw refused(e.getMessage());
    }
  }

  private static ConfigException refused(String why) {
    return new ConfigException(Kind.INVALID_REQUEST, why);
  }
}
