package dev.vitrine.metadata;

/**
 * What a configuration belongs to.
 *
 * @param type Kafka's number, one of the constants here
 * @param name a topic's name, a broker's id in digits or {@code ""} for all brokers, and so on
 */
public record ConfigResource(byte type, String name) implements Comparable<ConfigResource> {
  public static final byte TOPIC = 2;
  public static final byte BROKER = 4;
  public static final byte BROKER_LOGGER = 8;
  public static final byte CLIENT_METRICS = 16;
  public static final byte GROUP = 32;

  public static ConfigResource topic(String name) {
    return new ConfigResource(TOPIC, name);
  }

  public static ConfigResource broker(int id) {
    return new ConfigResource(BROKER, Integer.toString(id));
  }

  /** What holds for every broker that has no value of its own. */
  public static ConfigResource defaultBroker() {
    return new ConfigResource(BROKER, "");
  }

  @Override
  public int compareTo(ConfigResource o) {
    int c = Byte.compare(type, o.type);
    return c != 0 ? c : name.compareTo(o.name);
  }
}
