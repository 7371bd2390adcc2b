package dev.vitrine.config;

/**
 * A configuration that is refused. The message is for whoever wrote the value: it names the key,
 * the value and what would do. {@link #kind()} says which error a client is answered with.
 */
public final class ConfigException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Which of Kafka's errors a refused request is answered with. */
  public enum Kind {
    INVALID_CONFIG,
    INVALID_REQUEST,
    INVALID_TOPIC
  }

  private final Kind kind;

  public ConfigException(String message) {
    this(Kind.INVALID_CONFIG, message);
  }

  public ConfigException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  public static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new ConfigException(otherwise);
    }
  }

  static ConfigException invalidValue(String name, Object value, String why) {
    return new ConfigException(
        "Invalid value " + value + " for configuration " + name + ": " + why);
  }

  public Kind kind() {
    return kind;
  }
}
