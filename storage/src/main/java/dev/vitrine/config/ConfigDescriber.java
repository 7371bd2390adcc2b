package dev.vitrine.config;

import dev.vitrine.config.ConfigEntryView.Synonym;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What DescribeConfigs says of a resource: every key of Kafka with its value, where the value comes
 * from, and what else was set for it. The answers are sorted by key. Immutable; any thread may ask.
 */
public final class ConfigDescriber {
  private final KafkaConfig config;
  private final BrokerValues broker;

  /**
   * @param config of this broker, with what was set dynamically
   */
  public ConfigDescriber(KafkaConfig config) {
    this.config = config;
    this.broker = new BrokerValues(config.layers());
  }

  /**
   * @param overrides what was set for the topic
   */
  public List<ConfigEntryView> topic(Map<String, String> overrides) {
    ConfigValues values = TopicConfigs.effective(overrides, config);
    List<ConfigEntryView> entries = new ArrayList<>();
    for (ConfigKey key : TopicKeys.TABLE.keys()) {
      if (!key.internal()) {
        List<Synonym> synonyms = new ArrayList<>();
        String value = key.format(values.get(key.name()));
        if (overrides.containsKey(key.name())) {
          synonyms.add(new Synonym(key.name(), value, ConfigSource.TOPIC));
        }
        if (!key.serverKeys().isEmpty()) {
          synonyms.addAll(broker.of(key.serverKeys().get(0).name()));
        }
        entries.add(entry(key, value, false, synonyms));
      }
    }
    return entries;
  }

  /**
   * The same as CreateTopics answers it: there, a value that a topic has from a broker's key of
   * another unit counts as set for the broker.
   *
   * @param overrides what was set for the topic
   */
  public List<ConfigEntryView> createdTopic(Map<String, String> overrides) {
    List<ConfigEntryView> entries = new ArrayList<>();
    for (ConfigKey key : TopicKeys.TABLE.keys()) {
      if (!key.internal()) {
        String override = overrides.get(key.name());
        Synonym inForce =
            override == null
                ? broker.topicValue(key)
                : new Synonym(key.name(), override, ConfigSource.TOPIC);
        entries.add(entry(key, inForce.value(), false, List.of(inForce)));
      }
    }
    return entries;
  }

  /** This broker's own resource. */
  public List<ConfigEntryView> broker() {
    Set<String> names = new TreeSet<>(config.layers().merged().keySet());
    for (ConfigKey key : BrokerKeys.STATIC.keys()) {
      if (!key.internal()) {
        names.add(key.name());
      }
    }
    List<ConfigEntryView> entries = new ArrayList<>();
    for (String name : names) {
      ConfigKey key = BrokerKeys.ALL.key(name);
      String text =
          key != null && !key.internal()
              ? key.format(config.values().get(name))
              : config.layers().merged().get(name);
      entries.add(brokerEntry(name, text, broker.of(name)));
    }
    return entries;
  }

  /** The resource that stands for all brokers: only what was set. */
  public List<ConfigEntryView> allBrokers() {
    List<ConfigEntryView> entries = new ArrayList<>();
    config
        .layers()
        .ofAllBrokers()
        .forEach(
            (name, text) -> {
              List<Synonym> synonyms = new ArrayList<>(broker.of(name));
              synonyms.removeIf(s -> s.source() != ConfigSource.DYNAMIC_DEFAULT_BROKER);
              entries.add(brokerEntry(name, text, synonyms));
            });
    return entries;
  }

  private static ConfigEntryView brokerEntry(String name, String text, List<Synonym> synonyms) {
    ConfigKey key = BrokerKeys.ALL.key(name);
    ConfigKey base = BrokerKeys.ALL.key(BrokerValues.withoutListener(name));
    boolean sensitive = BrokerValues.isSensitive(name);
    return new ConfigEntryView(
        name,
        sensitive ? null : text,
        synonyms.isEmpty() ? ConfigSource.DEFAULT : synonyms.get(0).source(),
        key == null || key.updateMode() == UpdateMode.READ_ONLY,
        sensitive,
        base == null ? ConfigType.UNKNOWN : base.type(),
        base == null ? null : base.documentation(),
        List.copyOf(synonyms));
  }

  /**
   * @param overrides what was set for the group
   */
  public List<ConfigEntryView> group(Map<String, String> overrides) {
    ConfigValues values = GroupConfigs.effective(overrides, config);
    List<ConfigEntryView> entries = new ArrayList<>();
    for (ConfigKey key : GroupKeys.TABLE.keys()) {
      if (!key.internal()) {
        String value = key.format(values.get(key.name()));
        List<Synonym> synonyms = new ArrayList<>();
        if (overrides.containsKey(key.name())) {
          synonyms.add(new Synonym(key.name(), value, ConfigSource.GROUP));
        }
        if (key.serverKeys().isEmpty()) {
          String byDefault = key.format(key.defaultValue());
          synonyms.add(new Synonym(key.name(), byDefault, ConfigSource.DEFAULT));
        } else {
          synonyms.addAll(broker.of(key.serverKeys().get(0).name()));
        }
        entries.add(entry(key, value, false, synonyms));
      }
    }
    return entries;
  }

  /**
   * @param overrides what was set for the subscription
   */
  public List<ConfigEntryView> clientMetrics(Map<String, String> overrides) {
    ConfigValues values = ConfigValues.parse(ClientMetricsKeys.TABLE, overrides);
    List<ConfigEntryView> entries = new ArrayList<>();
    for (ConfigKey key : ClientMetricsKeys.TABLE.keys()) {
      String value = key.format(values.get(key.name()));
      List<Synonym> synonyms = new ArrayList<>();
      if (overrides.containsKey(key.name())) {
        synonyms.add(new Synonym(key.name(), value, ConfigSource.CLIENT_METRICS));
      }
      entries.add(entry(key, value, false, synonyms));
    }
    return entries;
  }

  private static ConfigEntryView entry(
      ConfigKey key, String value, boolean readOnly, List<Synonym> synonyms) {
    return new ConfigEntryView(
        key.name(),
        value,
        synonyms.isEmpty() ? ConfigSource.DEFAULT : synonyms.get(0).source(),
        readOnly,
        false,
        key.type(),
        key.documentation(),
        List.copyOf(synonyms));
  }
}
