package dev.vitrine.config;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** What may be set for brokers while they run (KIP-226). Pure. */
public final class BrokerConfigs {
  /** With these a listener is told who it is: they only make sense for one listener. */
  private static final List<String> LISTENER_SECURITY =
      List.of(
          "ssl.keystore.type",
          "ssl.keystore.location",
          "ssl.keystore.password",
          "ssl.keystore.key",
          "ssl.keystore.certificate.chain",
          "ssl.key.password",
          "ssl.truststore.type",
          "ssl.truststore.location",
          "ssl.truststore.password",
          "ssl.truststore.certificates");

  /** Of a listener's keys, those that can be set for all brokers at once. */
  private static final List<String> CLUSTER_WIDE_OF_LISTENER =
      List.of("max.connections", "max.connection.creation.rate", "num.network.threads");

  private BrokerConfigs() {}

  /**
   * Refuses what a Kafka broker refuses, in its words.
   *
   * @param overrides everything that would be set, for this broker or for all brokers
   * @param perBroker whether they are for this broker alone
   * @param config as it is now
   * @throws ConfigException if the overrides can't be set
   */
  public static void validate(
      Map<String, String> overrides, boolean perBroker, KafkaConfig config) {
    validateKeys(overrides, perBroker);
    DynamicLayers layers = config.layers();
    try {
      KafkaConfig next =
          perBroker
              ? config.withDynamic(overrides, layers.ofAllBrokers())
              : config.withDynamic(layers.ofBroker(), overrides);
      ThreadCounts.validate(config, next);
      checkLimits(config, next);
    } catch (ConfigException e) {
      throw new ConfigException(e.kind(), e.toldToClients());
    }
  }

  /** Those of these keys that are kept and described, and change nothing. */
  public static List<String> withoutEffect(Collection<String> names) {
    return names.stream()
        .filter(
            name -> {
              ConfigKey key = BrokerKeys.ALL.key(BrokerValues.withoutListener(name));
              return key == null || !key.hasEffect();
            })
        .sorted()
        .toList();
  }

  /**
   * The part of {@link #validate} for which one need not know the broker's configuration: each key
   * by itself.
   */
  public static void validateKeys(Map<String, String> overrides, boolean perBroker) {
    refuse(overrides, BrokerConfigs::isReadOnly, "Cannot update these configs dynamically");
    refuse(
        overrides,
        LISTENER_SECURITY::contains,
        "These security configs can be dynamically updated only per-listener using the listener"
            + " prefix");
    overrides.forEach(BrokerConfigs::checkValue);
    if (!perBroker) {
      refuse(
          overrides,
          BrokerConfigs::isPerBroker,
          "Cannot update these configs at default cluster level, broker id must be specified");
    }
  }

  /**
   * The configuration with what the cluster says of brokers, without what can't be used: an old or
   * foreign value must not keep a broker from starting.
   *
   * @param ofBroker what is set for this broker
   * @param ofAllBrokers what is set for all brokers
   * @param onIgnored is told why a whole layer was passed over
   */
  public static KafkaConfig apply(
      KafkaConfig config,
      Map<String, String> ofBroker,
      Map<String, String> ofAllBrokers,
      Consumer<String> onIgnored) {
    Map<String, String> all = usable(ofAllBrokers, false, onIgnored);
    Map<String, String> one = usable(ofBroker, true, onIgnored);
    try {
      return config.withDynamic(one, all);
    } catch (ConfigException e) {
      onIgnored.accept("the dynamic configuration of brokers: " + e.getMessage());
      return config;
    }
  }

  private static Map<String, String> usable(
      Map<String, String> overrides, boolean perBroker, Consumer<String> onIgnored) {
    Map<String, String> usable = new TreeMap<>();
    overrides.forEach(
        (name, value) -> {
          boolean allowed =
              !isReadOnly(name)
                  && !LISTENER_SECURITY.contains(name)
                  && (perBroker || !isPerBroker(name));
          try {
            checkValue(name, value);
            if (allowed) {
              usable.put(name, value);
            } else {
              onIgnored.accept(name + ": it can't be updated dynamically here");
            }
          } catch (ConfigException e) {
            onIgnored.accept(e.getMessage());
          }
        });
    return usable;
  }

  private static boolean isReadOnly(String name) {
    ConfigKey key = BrokerKeys.ALL.key(name);
    return key != null && key.updateMode() == UpdateMode.READ_ONLY;
  }

  /** In Kafka it is the listeners that refuse them, in these words; a file may say 0. */
  private static void checkLimits(KafkaConfig before, KafkaConfig after) {
    for (Listener l : after.listeners().brokers()) {
      ConnectionSettings.Limit was = before.connections().ofListener(l.name());
      ConnectionSettings.Limit is = after.connections().ofListener(l.name());
      checkLimit("max.connections", was.max(), is.max());
      checkLimit("max.connection.creation.rate", was.rate(), is.rate());
    }
  }

  private static void checkLimit(String key, int before, int after) {
    if (after != before && after <= 0) {
      throw new ConfigException(
          "Invalid value org.apache.kafka.common.config.ConfigException: Invalid "
              + key
              + " "
              + after
              + " for configuration Invalid dynamic configuration");
    }
  }

  /** How many connections one listener may have, or may get in a second. */
  static boolean isLimitOfListener(String name) {
    String base = BrokerValues.withoutListener(name);
    return !base.equals(name) && base.startsWith("max.connection");
  }

  private static boolean isPerBroker(String name) {
    String base = BrokerValues.withoutListener(name);
    if (!base.equals(name)) {
      return !CLUSTER_WIDE_OF_LISTENER.contains(base);
    }
    ConfigKey key = BrokerKeys.ALL.key(name);
    return key != null && key.updateMode() == UpdateMode.PER_BROKER;
  }

  private static void checkValue(String name, String value) {
    ConfigKey key = BrokerKeys.ALL.key(BrokerValues.withoutListener(name));
    if (key != null) {
      key.parse(value);
    }
  }

  private static void refuse(Map<String, String> overrides, Predicate<String> bad, String why) {
    List<String> names = new TreeSet<>(overrides.keySet()).stream().filter(bad).toList();
    if (!names.isEmpty()) {
      throw new ConfigException(why + ": " + names);
    }
  }
}
