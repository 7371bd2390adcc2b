package dev.vitrine.config;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The type of a configuration value, with the id by which DescribeConfigs names it (KIP-569). It
 * turns text into a value and back, with Kafka's own words for what it refuses.
 */
public enum ConfigType {
  UNKNOWN(0),
  BOOLEAN(1),
  STRING(2),
  INT(3),
  SHORT(4),
  LONG(5),
  DOUBLE(6),
  LIST(7),
  /** The name of a class. Kafka's classes don't exist here, so it is not looked up. */
  CLASS(8),
  PASSWORD(9);

  private final byte id;

  ConfigType(int id) {
    this.id = (byte) id;
  }

  public byte id() {
    return id;
  }

  /**
   * @param name the key, for the message
   * @throws ConfigException with Kafka's text if {@code text} is not of this type
   */
  Object parse(String name, String text) {
    String trimmed = text.trim();
    try {
      return switch (this) {
        case BOOLEAN -> parseBoolean(name, text);
        case INT -> Integer.valueOf(trimmed);
        case SHORT -> Short.valueOf(trimmed);
        case LONG -> Long.valueOf(trimmed);
        case DOUBLE -> Double.valueOf(trimmed);
        case LIST -> trimmed.isEmpty() ? List.of() : List.of(trimmed.split("\\s*,\\s*", -1));
        case STRING, CLASS, PASSWORD, UNKNOWN -> trimmed;
      };
    } catch (NumberFormatException notANumber) {
      throw ConfigException.invalidValue(name, text, "Not a number of type " + this);
    }
  }

  private static Boolean parseBoolean(String name, String text) {
    if (text.trim().equalsIgnoreCase("true")) {
      return true;
    }
    if (text.trim().equalsIgnoreCase("false")) {
      return false;
    }
    throw ConfigException.invalidValue(name, text, "Expected value to be either true or false");
  }

  /** The text that clients see, a list without repetitions; null for null. */
  String format(Object value) {
    if (value == null) {
      return null;
    }
    if (value instanceof List<?> list) {
      return list.stream().map(String::valueOf).distinct().collect(Collectors.joining(","));
    }
    return value.toString();
  }
}
