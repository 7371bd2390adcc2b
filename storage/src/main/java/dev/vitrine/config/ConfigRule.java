package dev.vitrine.config;

import java.util.List;
import java.util.Locale;

/** Which values of its type a key takes. What is refused is refused in Kafka's words. */
@FunctionalInterface
non-sealed interface ConfigRule extends Trait {

  /**
   * @param value of the key's type, not null
   * @throws ConfigException if the key doesn't take this value
   */
  void check(String name, Object value);

  static ConfigRule atLeast(Number min) {
    return (name, value) -> {
      if (((Number) value).doubleValue() < min.doubleValue()) {
        throw ConfigException.invalidValue(name, value, "Value must be at least " + min);
      }
    };
  }

  static ConfigRule between(Number min, Number max) {
    return (name, value) -> {
      atLeast(min).check(name, value);
      if (((Number) value).doubleValue() > max.doubleValue()) {
        throw ConfigException.invalidValue(name, value, "Value must be no more than " + max);
      }
    };
  }

  static ConfigRule oneOf(String... allowed) {
    return (name, value) -> {
      if (!List.of(allowed).contains(value)) {
        throw ConfigException.invalidValue(
            name, value, "String must be one of: " + String.join(", ", allowed));
      }
    };
  }

  static ConfigRule oneOfIgnoringCase(String... allowed) {
    return (name, value) -> {
      for (String one : allowed) {
        if (one.equalsIgnoreCase((String) value)) {
          return;
        }
      }
      throw ConfigException.invalidValue(
          name,
          value,
          "String must be one of (case insensitive): "
              + String.join(", ", allowed).toUpperCase(Locale.ROOT));
    };
  }

  static ConfigRule nonEmpty() {
    return (name, value) -> {
      if (((String) value).isEmpty()) {
        throw ConfigException.invalidValue(name, value, "String must be non-empty");
      }
    };
  }

  /** A list that may be empty, of values that may not. */
  static ConfigRule anyList() {
    return (name, value) -> ((List<?>) value).forEach(one -> checkNotEmpty(name, one));
  }

  private static void checkNotEmpty(String name, Object one) {
    if (((String) one).isEmpty()) {
      throw new ConfigException("Configuration '" + name + "' values must not be empty.");
    }
  }

  static ConfigRule nonEmptyList() {
    return (name, value) -> {
      if (((List<?>) value).isEmpty()) {
        throw new ConfigException(
            "Configuration '"
                + name
                + "' must not be empty. Valid values include: any non-empty value");
      }
      anyList().check(name, value);
    };
  }

  /** A list, perhaps empty, of these values. */
  static ConfigRule listOf(String... allowed) {
    return (name, value) -> {
      for (Object one : (List<?>) value) {
        checkNotEmpty(name, one);
        oneOf(allowed).check(name, one);
      }
    };
  }

  static ConfigRule nonEmptyListOf(String... allowed) {
    return (name, value) -> {
      if (((List<?>) value).isEmpty()) {
        throw new ConfigException(
            "Configuration '"
                + name
                + "' must not be empty. Valid values include: "
                + List.of(allowed));
      }
      listOf(allowed).check(name, value);
    };
  }

  static ConfigRule gzipLevel() {
    return (name, value) -> {
      int level = (Integer) value;
      if (level != -1 && (level < 1 || level > 9)) {
        throw ConfigException.invalidValue(
            name, value, "Value must be between 1 and 9 or equal to -1");
      }
    };
  }
}
