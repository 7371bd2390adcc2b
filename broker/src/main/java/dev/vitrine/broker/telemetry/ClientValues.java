package dev.vitrine.broker.telemetry;

import dev.vitrine.broker.observe.Sample;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The last values of one client, under the names and labels that Prometheus can have. Belongs to
 * the shard of the client. Differences are added up; a bounded number of series is kept.
 */
final class ClientValues {
  private static final int MAX_SERIES = 5_000;
  private static final int MAX_TEXT = 1_000;
  private static final String KAFKAS = "org.apache.kafka.";

  private record Series(String name, Map<String, String> labels) {}

  private static final class Last {
    boolean counter;
    double value;
  }

  private final Map<String, String> client;
  private final Map<Series, Last> series = new LinkedHashMap<>();

  ClientValues(Client client) {
    Map<String, String> labels = new TreeMap<>();
    for (String name :
        List.of(Client.INSTANCE_ID, Client.ID, Client.SOFTWARE_NAME, Client.SOFTWARE_VERSION)) {
      labels.put(name, client.properties().getOrDefault(name, ""));
    }
    this.client = labels;
  }

  void take(List<PushedMetrics.Value> pushed) {
    for (PushedMetrics.Value v : pushed) {
      Series s = new Series(name(v), labels(v));
      Last last = series.get(s);
      if (last == null && series.size() < MAX_SERIES) {
        last = new Last();
        series.put(s, last);
      }
      if (last != null) {
        last.counter = v.kind() != PushedMetrics.Kind.GAUGE;
        last.value = v.kind() == PushedMetrics.Kind.DELTA ? last.value + v.value() : v.value();
      }
    }
  }

  /** Such as {@code kafka_client_producer_record_send_total}. */
  private static String name(PushedMetrics.Value v) {
    String name = cut(v.name());
    name = name.startsWith(KAFKAS) ? name.substring(KAFKAS.length()) : name;
    name = "kafka_client_" + name.replaceAll("[^a-zA-Z0-9_]", "_");
    boolean counter = v.kind() != PushedMetrics.Kind.GAUGE;
    String plain = name.replaceFirst("(_total|_info|_created|_bucket)+$", "");
    return counter ? plain + "_total" : plain;
  }

  /** The client's own come first: it can't pass for another. */
  private Map<String, String> labels(PushedMetrics.Value v) {
    Map<String, String> labels = new TreeMap<>(client);
    v.labels()
        .forEach(
            (name, value) -> {
              String key = cut(name).replaceAll("[^a-zA-Z0-9_]", "_");
              if (key.matches("[a-zA-Z].*") && !key.equals("quantile") && !key.equals("le")) {
                labels.putIfAbsent(key, cut(value));
              }
            });
    return labels;
  }

  private static String cut(String text) {
    return text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) : text;
  }

  void tell(Sample into) {
    series.forEach((s, last) -> into.addOfClient(s.name, last.counter, s.labels, last.value));
  }
}
