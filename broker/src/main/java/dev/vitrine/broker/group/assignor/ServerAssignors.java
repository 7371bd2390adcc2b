package dev.vitrine.broker.group.assignor;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The assignors that a broker offers, by name, in the order of {@code group.consumer.assignors}:
 * the first is for groups whose members do not ask for one. Immutable.
 */
public final class ServerAssignors {
  /** All that there are, in Kafka's order. */
  private static final List<ServerAssignor> KNOWN =
      List.of(new UniformAssignor(), new RangeAssignor());

  private final Map<String, ServerAssignor> byName = new LinkedHashMap<>();

  private ServerAssignors() {}

  /** {@code uniform}, {@code range}: the default of {@code group.consumer.assignors}. */
  public static ServerAssignors all() {
    ServerAssignors all = new ServerAssignors();
    KNOWN.forEach(a -> all.byName.put(a.name(), a));
    return all;
  }

  /**
   * @throws IllegalArgumentException if there is none of a name, or no name
   */
  public static ServerAssignors of(Collection<String> names) {
    ServerAssignors chosen = new ServerAssignors();
    for (String name : names) {
      chosen.byName.put(name, known(name));
    }
    if (chosen.byName.isEmpty()) {
      throw new IllegalArgumentException("no assignor is named");
    }
    return chosen;
  }

  private static ServerAssignor known(String name) {
    for (ServerAssignor a : KNOWN) {
      if (a.name().equals(name)) {
        return a;
      }
    }
    throw new IllegalArgumentException("no assignor has the name " + name);
  }

  /** Null if it is not offered, which is UNSUPPORTED_ASSIGNOR. */
  public ServerAssignor get(String name) {
    return byName.get(name);
  }

  public ServerAssignor preferred() {
    return byName.values().iterator().next();
  }

  /** The first is the default. */
  public Set<String> names() {
    return Collections.unmodifiableSet(byName.keySet());
  }
}
