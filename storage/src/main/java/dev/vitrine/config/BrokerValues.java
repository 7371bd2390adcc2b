package dev.vitrine.config;

import dev.vitrine.config.ConfigEntryView.Synonym;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Who set what for a broker's keys, in the order in which it counts. Immutable. */
final class BrokerValues {
  private final DynamicLayers layers;

  BrokerValues(DynamicLayers layers) {
    this.layers = layers;
  }

  /**
   * Everything that was set for the key or for another that stands in for it. As in Kafka, what was
   * set only for the others doesn't count.
   */
  List<Synonym> of(String name) {
    List<String> names = namesFor(name);
    boolean sensitive = isSensitive(name);
    List<Synonym> all = new ArrayList<>();
    add(layers.ofBroker(), ConfigSource.DYNAMIC_BROKER, names, sensitive, all);
    add(layers.ofAllBrokers(), ConfigSource.DYNAMIC_DEFAULT_BROKER, names, sensitive, all);
    add(layers.fromFile(), ConfigSource.STATIC_BROKER, names, sensitive, all);
    for (String one : names) {
      ConfigKey key = BrokerKeys.STATIC.key(one);
      if (key != null && key.defaultValue() != null) {
        String value = sensitive ? null : key.format(key.defaultValue());
        all.add(new Synonym(one, value, ConfigSource.DEFAULT));
      }
    }
    while (!all.isEmpty() && !all.get(0).name().equals(name)) {
      all.remove(0);
    }
    return all;
  }

  /** What a topic has that doesn't override the key, in its own unit. */
  Synonym topicValue(ConfigKey key) {
    for (ConfigSource source :
        List.of(
            ConfigSource.DYNAMIC_BROKER,
            ConfigSource.DYNAMIC_DEFAULT_BROKER,
            ConfigSource.STATIC_BROKER)) {
      for (ConfigKey.ServerKey serverKey : key.serverKeys()) {
        String text = layer(source).get(serverKey.name());
        if (text != null) {
          return new Synonym(key.name(), serverKey.convert(text), source);
        }
      }
    }
    return new Synonym(key.name(), key.format(key.defaultValue()), ConfigSource.DEFAULT);
  }

  private Map<String, String> layer(ConfigSource source) {
    return switch (source) {
      case DYNAMIC_BROKER -> layers.ofBroker();
      case DYNAMIC_DEFAULT_BROKER -> layers.ofAllBrokers();
      default -> layers.fromFile();
    };
  }

  private static void add(
      Map<String, String> layer,
      ConfigSource source,
      List<String> names,
      boolean sensitive,
      List<Synonym> to) {
    for (String name : names) {
      if (layer.containsKey(name)) {
        to.add(new Synonym(name, sensitive ? null : layer.get(name), source));
      }
    }
  }

  /** A key that nobody knows may hold a secret. */
  static boolean isSensitive(String name) {
    ConfigKey key = BrokerKeys.ALL.key(withoutListener(name));
    return key == null || key.sensitive();
  }

  /** The key itself, and those that hold the same in another unit or for all listeners. */
  private static List<String> namesFor(String name) {
    for (ConfigKey topicKey : TopicKeys.TABLE.keys()) {
      List<String> same = topicKey.serverKeys().stream().map(ConfigKey.ServerKey::name).toList();
      boolean oneWay = topicKey.name().equals("flush.ms") && !name.equals(same.get(0));
      if (same.size() > 1 && same.contains(name) && !oneWay) {
        return same;
      }
    }
    String base = withoutListener(name);
    return base.equals(name) ? List.of(name) : List.of(name, base);
  }

  /** {@code ssl.x} for {@code listener.name.foo.ssl.x}; any other name as it is. */
  static String withoutListener(String name) {
    String prefix = "listener.name.";
    int dot = name.startsWith(prefix) ? name.indexOf('.', prefix.length()) : -1;
    return dot < 0 ? name : name.substring(dot + 1);
  }
}
