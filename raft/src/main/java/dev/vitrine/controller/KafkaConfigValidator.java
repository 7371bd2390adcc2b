package dev.vitrine.controller;

import dev.vitrine.config.BrokerConfigs;
import dev.vitrine.config.ClientMetricsConfigs;
import dev.vitrine.config.ConfigDescriber;
import dev.vitrine.config.ConfigEntryView;
import dev.vitrine.config.ConfigException;
import dev.vitrine.config.ConfigScope;
import dev.vitrine.config.ConfigType;
import dev.vitrine.config.GroupConfigs;
import dev.vitrine.config.KafkaConfig;
import dev.vitrine.config.TopicConfigs;
import dev.vitrine.metadata.ConfigResource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Kafka's keys, seen with this node's own configuration as Kafka's controller sees them. A broker's
 * keys are looked at one by one only: whether they go together, the broker itself must say, which
 * knows its own file. On the quorum loop.
 */
public final class KafkaConfigValidator implements ConfigValidator {
  private final KafkaConfig config;

  public KafkaConfigValidator(KafkaConfig config) {
    this.config = config;
  }

  @Override
  public ConfigException refusal(ConfigResource resource, Map<String, String> configs) {
    try {
      switch (resource.type()) {
        case ConfigResource.TOPIC -> TopicConfigs.validate(configs, config);
        case ConfigResource.GROUP -> GroupConfigs.validate(configs, config);
        case ConfigResource.CLIENT_METRICS ->
            ClientMetricsConfigs.validate(resource.name(), configs);
        case ConfigResource.BROKER -> validateBroker(resource, configs);
        default -> {}
      }
      return null;
    } catch (ConfigException refusal) {
      return refusal;
    }
  }

  private static void validateBroker(ConfigResource resource, Map<String, String> configs) {
    try {
      BrokerConfigs.validateKeys(configs, !resource.name().isEmpty());
    } catch (ConfigException e) {
      throw new ConfigException(ConfigException.Kind.INVALID_REQUEST, e.getMessage());
    }
  }

  @Override
  public boolean isList(byte resourceType, String key) {
    return switch (resourceType) {
      case ConfigResource.TOPIC, ConfigResource.BROKER ->
          ConfigScope.forId(resourceType).type(key) == ConfigType.LIST;
      default -> false;
    };
  }

  @Override
  public String defaultValue(byte resourceType, String key) {
    ConfigScope scope = ConfigScope.forId(resourceType);
    return scope == null ? null : scope.defaultValue(key);
  }

  @Override
  public List<Entry> describeTopic(
      Map<String, String> topic, Map<String, String> broker, Map<String, String> allBrokers) {
    KafkaConfig now =
        broker.isEmpty() && allBrokers.isEmpty()
            ? config
            : BrokerConfigs.apply(config, broker, allBrokers, ignored -> {});
    List<Entry> entries = new ArrayList<>();
    for (ConfigEntryView e : new ConfigDescriber(now).createdTopic(topic)) {
      entries.add(new Entry(e.name(), e.value(), e.readOnly(), e.source().id(), e.sensitive()));
    }
    return entries;
  }
}
