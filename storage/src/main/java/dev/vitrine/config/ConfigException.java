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
  private final boolean requirement;

  public ConfigException(String message) {
    this(Kind.INVALID_CONFIG, message);
  }

  public ConfigException(Kind kind, String message) {
    this(kind, message, false);
  }

  private ConfigException(Kind kind, String message, boolean requirement) {
    super(message);
    this.kind = kind;
    this.requirement = requirement;
  }

  /** Of values that don't go together. */
  public static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new ConfigException(Kind.INVALID_CONFIG, otherwise, true);
    }
  }

  /** As a broker of Kafka tells it a client, who is told of a requirement that it is one. */
  String toldToClients() {
    return requirement ? "requirement failed: " + getMessage() : getMessage();
  }

  static ConfigException invalidValue(String name, Object value, String why) {
    return new ConfigException(
        "Invalid value " + value + " for configuration " + name + (why == null ? "" : ": " + why));
  }

  public Kind kind() {
    return kind;
  }
}
