package dev.vitrine.config;

/** The kinds of resources that have keys, with Kafka's number of each. */
public enum ConfigScope {
  TOPIC(2, TopicKeys.TABLE),
  BROKER(4, BrokerKeys.ALL),
  CLIENT_METRICS(16, ClientMetricsKeys.TABLE),
  GROUP(32, GroupKeys.TABLE);

  private final byte id;
  private final ConfigTable table;

  ConfigScope(int id, ConfigTable table) {
    this.id = (byte) id;
    this.table = table;
  }

  public byte id() {
    return id;
  }

  /** Null if resources of this kind have no keys. */
  public static ConfigScope forId(byte id) {
    for (ConfigScope scope : values()) {
      if (scope.id == id) {
        return scope;
      }
    }
    return null;
  }

  /** UNKNOWN if there is no such key. */
  public ConfigType type(String name) {
    ConfigKey key = table.key(name);
    return key == null ? ConfigType.UNKNOWN : key.type();
  }

  /** Null if there is no such key, or it has no default. */
  public String defaultValue(String name) {
    ConfigKey key = table.key(name);
    return key == null ? null : key.format(key.defaultValue());
  }

  /** Whether the value may not be shown or logged; as in Kafka, that of an unknown key may not. */
  public boolean isSensitive(String name) {
    if (this == BROKER) {
      return BrokerValues.isSensitive(name);
    }
    ConfigKey key = table.key(name);
    return key == null || key.sensitive();
  }
}
