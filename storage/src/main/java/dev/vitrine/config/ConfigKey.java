package dev.vitrine.config;

import java.util.List;

/**
 * One of Kafka's configuration keys: what it is called, what it takes, what it is when nobody sets
 * it, and who may change it when. Immutable.
 *
 * @param defaultValue of the key's type; null if it has none
 * @param rule null if any value of the type will do
 * @param serverKeys for a topic's or a group's key: the broker's keys that hold its default, the
 *     most specific first
 */
record ConfigKey(
    String name,
    ConfigType type,
    Object defaultValue,
    ConfigRule rule,
    UpdateMode updateMode,
    List<Mark> marks,
    List<ServerKey> serverKeys,
    String documentation) {

  /** A broker's key that holds the default of a topic's key, perhaps in another unit. */
  record ServerKey(String name, long factor) {
    /** The broker's value in the topic's unit. */
    String convert(String text) {
      return factor == 1 ? text : String.valueOf(Long.parseLong(text.trim()) * factor);
    }
  }

  boolean required() {
    return marks.contains(Mark.REQUIRED);
  }

  boolean internal() {
    return marks.contains(Mark.INTERNAL);
  }

  boolean hasEffect() {
    return !marks.contains(Mark.NO_EFFECT);
  }

  boolean sensitive() {
    return type == ConfigType.PASSWORD;
  }

  /**
   * The value that {@code text} says.
   *
   * @throws ConfigException with Kafka's text if it is not of the type or against the rule
   */
  Object parse(String text) {
    Object value = type.parse(name, text);
    if (rule != null) {
      rule.check(name, value);
    }
    return value;
  }

  String format(Object value) {
    return type.format(value);
  }
}
