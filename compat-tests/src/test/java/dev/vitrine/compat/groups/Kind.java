package dev.vitrine.compat.groups;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A way in which members of a group agree on who owns what. */
enum Kind {
  /** All give up everything at each rebalance. */
  EAGER(Map.of("partition.assignment.strategy", assignor("RangeAssignor"))),
  /** Only what moves is given up, in a first of two rebalances (KIP-429). */
  COOPERATIVE(Map.of("partition.assignment.strategy", assignor("CooperativeStickyAssignor"))),
  /** The coordinator assigns (KIP-848). */
  CONSUMER(Map.of("group.protocol", "consumer"));

  private static final int SESSION_MS = 6_000;
  private static final int HEARTBEAT_MS = 500;

  private final Map<String, Object> config;

  Kind(Map<String, Object> config) {
    this.config = config;
  }

  private static String assignor(String name) {
    return "org.apache.kafka.clients.consumer." + name;
  }

  /** All of them, or those of {@code -Dgroups.kinds}. */
  static List<Kind> chosen() {
    String named = System.getProperty("groups.kinds", "");
    return named.isEmpty()
        ? List.of(values())
        : Arrays.stream(named.split(","))
            .map(name -> valueOf(name.strip().toUpperCase(Locale.ROOT)))
            .toList();
  }

  String group() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** For a member; the times of a consumer group are the broker's. */
  Map<String, Object> memberConfig() {
    Map<String, Object> all = new TreeMap<>(config);
    if (this != CONSUMER) {
      all.put("session.timeout.ms", SESSION_MS);
      all.put("heartbeat.interval.ms", HEARTBEAT_MS);
    }
    return all;
  }

  /** For the nodes: members that fall silent are to be missed soon. */
  static Map<String, String> brokerConfig() {
    return Map.of(
        "group.consumer.session.timeout.ms", "" + SESSION_MS,
        "group.consumer.min.session.timeout.ms", "" + SESSION_MS,
        "group.consumer.heartbeat.interval.ms", "" + HEARTBEAT_MS,
        "group.consumer.min.heartbeat.interval.ms", "" + HEARTBEAT_MS);
  }
}
