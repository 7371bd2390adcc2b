package dev.vitrine.config;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The keys of one kind of resource, sorted by name. Immutable; filled once, by the {@code *Keys}
 * classes, when the class that holds it is loaded.
 */
final class ConfigTable {
  private final Map<String, ConfigKey> keys;

  private ConfigTable(Map<String, ConfigKey> keys) {
    this.keys = Collections.unmodifiableMap(keys);
  }

  /** Null if there is no such key. */
  ConfigKey key(String name) {
    return keys.get(name);
  }

  Collection<ConfigKey> keys() {
    return keys.values();
  }

  Collection<String> names() {
    return keys.keySet();
  }

  /** Takes the rows of a table, one call a key. */
  static final class Builder {
    private final Map<String, Row> rows = new TreeMap<>();

    Row bool(String name, Boolean byDefault, Trait... traits) {
      return add(name, ConfigType.BOOLEAN, byDefault, traits);
    }

    Row string(String name, String byDefault, Trait... traits) {
      return add(name, ConfigType.STRING, byDefault, traits);
    }

    Row int16(String name, int byDefault, Trait... traits) {
      return add(name, ConfigType.SHORT, (short) byDefault, traits);
    }

    Row int32(String name, Integer byDefault, Trait... traits) {
      return add(name, ConfigType.INT, byDefault, traits);
    }

    Row int64(String name, Long byDefault, Trait... traits) {
      return add(name, ConfigType.LONG, byDefault, traits);
    }

    Row float64(String name, Double byDefault, Trait... traits) {
      return add(name, ConfigType.DOUBLE, byDefault, traits);
    }

    /**
     * @param byDefault comma-separated; null if there is none
     */
    Row list(String name, String byDefault, Trait... traits) {
      Object value = byDefault == null ? null : ConfigType.LIST.parse(name, byDefault);
      return add(name, ConfigType.LIST, value, traits);
    }

    Row className(String name, String byDefault, Trait... traits) {
      return add(name, ConfigType.CLASS, byDefault, traits);
    }

    Row password(String name, Trait... traits) {
      return add(name, ConfigType.PASSWORD, null, traits);
    }

    private Row add(String name, ConfigType type, Object byDefault, Trait... traits) {
      Row row = new Row(name, type, byDefault, traits);
      if (rows.put(name, row) != null) {
        throw new IllegalStateException(name + " is defined twice");
      }
      return row;
    }

    ConfigTable build() {
      Map<String, ConfigKey> keys = new TreeMap<>();
      rows.forEach((name, row) -> keys.put(name, row.toKey()));
      return new ConfigTable(keys);
    }
  }

  /** A row that is being written. */
  static final class Row {
    private final String name;
    private final ConfigType type;
    private final Object byDefault;
    private final Trait[] traits;
    private final List<ConfigKey.ServerKey> serverKeys = new ArrayList<>();
    private String documentation = "";

    private Row(String name, ConfigType type, Object byDefault, Trait... traits) {
      this.name = name;
      this.type = type;
      this.byDefault = byDefault;
      this.traits = traits;
    }

    Row doc(String sentence) {
      documentation = sentence;
      return this;
    }

    /** The broker's key that holds the default; a further one is asked when this one is not set. */
    Row from(String serverKey) {
      return from(serverKey, 1);
    }

    Row fromMinutes(String serverKey) {
      return from(serverKey, 60_000);
    }

    Row fromHours(String serverKey) {
      return from(serverKey, 3_600_000);
    }

    private Row from(String serverKey, long factor) {
      serverKeys.add(new ConfigKey.ServerKey(serverKey, factor));
      return this;
    }

    private ConfigKey toKey() {
      ConfigRule rule = null;
      UpdateMode mode = UpdateMode.READ_ONLY;
      List<Mark> marks = new ArrayList<>();
      for (Trait trait : traits) {
        if (trait instanceof ConfigRule theRule) {
          rule = theRule;
        } else if (trait instanceof UpdateMode theMode) {
          mode = theMode;
        } else {
          marks.add((Mark) trait);
        }
      }
      return new ConfigKey(
          name,
          type,
          byDefault,
          rule,
          mode,
          List.copyOf(marks),
          List.copyOf(serverKeys),
          documentation);
    }
  }
}
