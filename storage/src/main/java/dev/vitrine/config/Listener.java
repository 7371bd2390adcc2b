package dev.vitrine.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A listener as {@code listeners} or {@code advertised.listeners} names it.
 *
 * @param name upper case
 * @param host empty for every address of the machine (to listen) or for its own name (to advertise)
 */
public record Listener(String name, SecurityProtocol protocol, String host, int port) {
  private static final Pattern FORM =
      Pattern.compile("(.*)://\\[?([0-9a-zA-Z\\-%._:]*)\\]?:([0-9]+)");

  /**
   * @param protocols of each listener name
   * @param eachPortOnce whether two listeners may not share a port
   * @throws ConfigException with Kafka's text
   */
  static List<Listener> parse(
      List<String> entries, Map<String, SecurityProtocol> protocols, boolean eachPortOnce) {
    try {
      List<Listener> listeners = new ArrayList<>();
      for (String entry : entries) {
        listeners.add(parse(entry, protocols));
      }
      String all = entries.toString();
      requireDistinct(listeners.stream().map(Listener::name).toList(), "name", all);
      if (eachPortOnce) {
        requireDistinctPorts(listeners, all);
      }
      return List.copyOf(listeners);
    } catch (ConfigException e) {
      throw new ConfigException(
          "Error creating broker listeners from '" + entries + "': " + e.getMessage());
    }
  }

  private static Listener parse(String entry, Map<String, SecurityProtocol> protocols) {
    Matcher matcher = FORM.matcher(entry);
    if (!matcher.matches()) {
      throw new ConfigException("Unable to parse " + entry + " to a broker endpoint");
    }
    String name = matcher.group(1).toUpperCase(Locale.ROOT);
    SecurityProtocol protocol = protocols.get(name);
    if (protocol == null) {
      throw new ConfigException("No security protocol defined for listener " + name);
    }
    int port;
    try {
      port = Integer.parseInt(matcher.group(3));
    } catch (NumberFormatException tooLarge) {
      throw new ConfigException("Unable to parse " + entry + " to a broker endpoint");
    }
    if (port > 65535) {
      throw new ConfigException("Port " + port + " of " + entry + " is not between 0 and 65535");
    }
    return new Listener(name, protocol, matcher.group(2), port);
  }

  private static void requireDistinct(List<?> values, String what, String all) {
    if (new HashSet<>(values).size() != values.size()) {
      throw new ConfigException(
          "Each listener must have a different " + what + ", listeners: " + all);
    }
  }

  /** Two listeners share a port only as one IPv4 and one IPv6 address; port 0 is any free one. */
  private static void requireDistinctPorts(List<Listener> listeners, String all) {
    for (Listener a : listeners) {
      for (Listener b : listeners) {
        boolean apart = a == b || a.port != b.port || a.port == 0;
        boolean twoFamilies = a.isIpv4() && b.isIpv6() || a.isIpv6() && b.isIpv4();
        if (!apart && !twoFamilies) {
          throw new ConfigException("Each listener must have a different port, listeners: " + all);
        }
      }
    }
  }

  private boolean isIpv4() {
    return host.matches("[0-9]+(\\.[0-9]+){3}");
  }

  private boolean isIpv6() {
    return host.indexOf(':') >= 0;
  }

  /** Whether the host stands for every address of the machine. */
  public boolean isWildcard() {
    return host.isEmpty() || host.equals("0.0.0.0") || host.equals("::");
  }

  @Override
  public String toString() {
    return name + "://" + (isIpv6() ? "[" + host + "]" : host) + ":" + port;
  }
}
