package dev.vitrine.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The values of a table's keys: what was set, parsed, and the defaults of the rest. Immutable. A
 * key that is not in the table is a programming error, not a user's.
 */
class ConfigValues {
  private final ConfigTable table;
  private final Map<String, Object> set;

  private ConfigValues(ConfigTable table, Map<String, Object> set) {
    this.table = table;
    this.set = set;
  }

  ConfigValues(ConfigValues other) {
    this(other.table, other.set);
  }

  /**
   * @param texts what was set; keys that the table doesn't have are passed over
   * @throws ConfigException if a value is refused or a required key is missing
   */
  static ConfigValues parse(ConfigTable table, Map<String, String> texts) {
    Map<String, Object> set = new LinkedHashMap<>();
    for (ConfigKey key : table.keys()) {
      String text = texts.get(key.name());
      if (text != null) {
        set.put(key.name(), key.parse(text));
      } else if (key.required()) {
        throw new ConfigException(
            "Missing required configuration \"" + key.name() + "\" which has no default value.");
      }
    }
    return new ConfigValues(table, set);
  }

  /** These values and, for what they leave open, the others. */
  ConfigValues over(Map<String, Object> others) {
    Map<String, Object> both = new LinkedHashMap<>(others);
    both.putAll(set);
    return new ConfigValues(table, both);
  }

  /** The value or, if it was not set, the default; null if there is none. */
  Object get(String name) {
    if (set.containsKey(name)) {
      return set.get(name);
    }
    ConfigKey key = table.key(name);
    if (key == null) {
      throw new IllegalArgumentException("no key " + name);
    }
    return key.defaultValue();
  }

  boolean isSet(String name) {
    return set.containsKey(name);
  }

  boolean bool(String name) {
    return (Boolean) get(name);
  }

  int int32(String name) {
    return ((Number) get(name)).intValue();
  }

  long int64(String name) {
    return ((Number) get(name)).longValue();
  }

  double float64(String name) {
    return (Double) get(name);
  }

  String string(String name) {
    return (String) get(name);
  }

  /** Without repetitions, as Kafka takes its lists; null if it has no value. */
  List<String> list(String name) {
    List<?> value = (List<?>) get(name);
    return value == null ? null : value.stream().map(v -> (String) v).distinct().toList();
  }

  /** The first of these keys that has a value, in its own unit. */
  long firstOf(String ms, String minutes, String hours) {
    if (get(ms) != null) {
      return int64(ms);
    }
    if (minutes != null && get(minutes) != null) {
      return int32(minutes) * 60_000L;
    }
    return int32(hours) * 3_600_000L;
  }
}
