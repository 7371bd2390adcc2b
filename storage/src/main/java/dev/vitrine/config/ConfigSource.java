package dev.vitrine.config;

/** Where a value comes from, with the id by which DescribeConfigs names it (KIP-226, KIP-714). */
public enum ConfigSource {
  /** Set for the topic. */
  TOPIC(1),
  /** Set for this broker while it ran. */
  DYNAMIC_BROKER(2),
  /** Set as the default of all brokers while they ran. */
  DYNAMIC_DEFAULT_BROKER(3),
  /** Set in {@code server.properties}. */
  STATIC_BROKER(4),
  DEFAULT(5),
  DYNAMIC_BROKER_LOGGER(6),
  /** Set for the subscription to clients' metrics. */
  CLIENT_METRICS(7),
  /** Set for the group. */
  GROUP(8);

  private final byte id;

  ConfigSource(int id) {
    this.id = (byte) id;
  }

  public byte id() {
    return id;
  }
}
