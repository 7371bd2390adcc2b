package dev.vitrine.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How many connections may be open, and come in a second (KIP-402, KIP-612).
 *
 * @param whole of all listeners together
 * @param perAddress that one address may hold
 * @param overrides of {@code perAddress}, by address or name of a host
 * @param listeners by name of the listener; who is not in here has the limits of the whole
 */
public record ConnectionSettings(
    Limit whole, int perAddress, Map<String, Integer> overrides, Map<String, Limit> listeners) {
  private static final String MAX = "max.connections";
  private static final String RATE = "max.connection.creation.rate";

  /**
   * @param max connections at once
   * @param rate new ones a second
   */
  public record Limit(int max, int rate) {}

  public Limit ofListener(String name) {
    return listeners.getOrDefault(name, whole);
  }

  /**
   * @param texts all that was set, where a listener's own limits have a prefix with its name
   */
  static ConnectionSettings of(ConfigValues v, Map<String, String> texts, List<Listener> all) {
    Limit whole = new Limit(v.int32(MAX), v.int32(RATE));
    Map<String, Limit> listeners = new LinkedHashMap<>();
    for (Listener l : all) {
      String prefix = "listener.name." + l.name().toLowerCase(Locale.ROOT) + ".";
      listeners.put(
          l.name(),
          new Limit(own(texts, prefix, MAX, whole.max), own(texts, prefix, RATE, whole.rate)));
    }
    return new ConnectionSettings(
        whole,
        v.int32("max.connections.per.ip"),
        overrides(v.string("max.connections.per.ip.overrides")),
        listeners);
  }

  private static int own(Map<String, String> texts, String prefix, String key, int byDefault) {
    String text = texts.get(prefix + key);
    return text == null ? byDefault : (Integer) BrokerKeys.ALL.key(key).parse(text);
  }

  /** {@code CrossChecks} has seen to the form. */
  private static Map<String, Integer> overrides(String text) {
    Map<String, Integer> overrides = new LinkedHashMap<>();
    for (String entry : text.trim().split("\\s*,\\s*")) {
      int colon = entry.lastIndexOf(':');
      if (colon > 0 && entry.substring(colon + 1).trim().matches("-?[0-9]{1,9}")) {
        overrides.put(
            entry.substring(0, colon).trim(), Integer.parseInt(entry.substring(colon + 1).trim()));
      }
    }
    return overrides;
  }
}
