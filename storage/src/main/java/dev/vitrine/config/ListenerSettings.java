package dev.vitrine.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Where this node listens, and what it tells others to connect to.
 *
 * @param all as in {@code listeners}
 * @param advertised as in {@code advertised.listeners} or, without it, the brokers' listeners
 * @param controllerNames the names of the controllers' listeners; the first one is used to reach
 *     them
 * @param interBroker the name of the listener by which brokers reach one another
 */
public record ListenerSettings(
    List<Listener> all,
    List<Listener> advertised,
    List<String> controllerNames,
    String interBroker) {

  static ListenerSettings of(ConfigValues v) {
    List<String> controllerNames =
        v.list("controller.listener.names").stream().map(ListenerSettings::upperCase).toList();
    Map<String, SecurityProtocol> protocols = protocols(v, controllerNames);
    List<Listener> all = Listener.parse(v.list("listeners"), protocols, true);
    List<String> advertised = v.list("advertised.listeners");
    return new ListenerSettings(
        all,
        advertised == null ? all : Listener.parse(advertised, protocols, false),
        controllerNames,
        interBrokerName(v, protocols));
  }

  /** Where brokers' clients connect: {@link #all} without the controllers'. */
  public List<Listener> brokers() {
    return all.stream().filter(l -> !controllerNames.contains(l.name())).toList();
  }

  /** Where the controller listens. */
  public List<Listener> controllers() {
    return all.stream().filter(l -> controllerNames.contains(l.name())).toList();
  }

  /** What a broker registers; an empty host stands for the machine's own name. */
  public List<Listener> advertisedBrokers() {
    return advertised.stream().filter(l -> !controllerNames.contains(l.name())).toList();
  }

  /**
   * What a controller registers: what is advertised for its listeners, or they themselves.
   *
   * @param self this node among the fixed voters, null if it is not: its endpoint stands in for a
   *     listener on every address
   */
  public List<Listener> advertisedControllers(Voter self) {
    return controllers().stream().map(listener -> advertised(listener, self)).toList();
  }

  private Listener advertised(Listener listener, Voter self) {
    Listener known =
        advertised.stream()
            .filter(l -> l.name().equals(listener.name()))
            .findFirst()
            .orElse(listener);
    if (!known.isWildcard() || self == null) {
      return known;
    }
    return new Listener(
        known.name(), known.protocol(), self.endpoint().host(), self.endpoint().port());
  }

  private static String upperCase(String name) {
    return name.toUpperCase(Locale.ROOT);
  }

  private static String interBrokerName(ConfigValues v, Map<String, SecurityProtocol> protocols) {
    String name = v.string("inter.broker.listener.name");
    if (name == null) {
      return v.string("security.inter.broker.protocol");
    }
    if (v.isSet("security.inter.broker.protocol")) {
      throw new ConfigException(
          "Only one of inter.broker.listener.name and security.inter.broker.protocol should be"
              + " set.");
    }
    if (!protocols.containsKey(upperCase(name))) {
      throw new ConfigException(
          "Listener with name "
              + name
              + " defined in inter.broker.listener.name not found in"
              + " listener.security.protocol.map.");
    }
    return upperCase(name);
  }

  /**
   * {@code listener.security.protocol.map}. As in Kafka, controllers' listeners are PLAINTEXT when
   * nobody set the map and no listener has the name of a secured protocol.
   */
  private static Map<String, SecurityProtocol> protocols(
      ConfigValues v, List<String> controllerNames) {
    Map<String, SecurityProtocol> protocols = new LinkedHashMap<>();
    for (String entry : v.string("listener.security.protocol.map").trim().split("\\s*,\\s*")) {
      int colon = entry.lastIndexOf(':');
      if (colon < 0) {
        throw new ConfigException(
            "Error parsing configuration property 'listener.security.protocol.map': "
                + entry
                + " is not NAME:PROTOCOL");
      }
      String name = upperCase(entry.substring(0, colon).trim());
      protocols.put(name, protocol(entry.substring(colon + 1).trim()));
    }
    if (!v.isSet("listener.security.protocol.map") && nothingSecured(v, controllerNames)) {
      for (String name : controllerNames) {
        protocols.putIfAbsent(name, SecurityProtocol.PLAINTEXT);
      }
    }
    return protocols;
  }

  private static boolean nothingSecured(ConfigValues v, List<String> controllerNames) {
    List<String> names = new ArrayList<>(controllerNames);
    v.list("listeners").forEach(entry -> names.add(upperCase(entry.split("://", 2)[0])));
    return names.stream().noneMatch(name -> isProtocol(name) && !name.equals("PLAINTEXT"));
  }

  private static boolean isProtocol(String name) {
    for (SecurityProtocol protocol : SecurityProtocol.values()) {
      if (protocol.name().equals(name)) {
        return true;
      }
    }
    return false;
  }

  private static SecurityProtocol protocol(String text) {
    String name = upperCase(text);
    if (!isProtocol(name)) {
      throw new ConfigException(
          "Invalid security protocol `" + text + "` defined in listener.security.protocol.map");
    }
    return SecurityProtocol.valueOf(name);
  }
}
