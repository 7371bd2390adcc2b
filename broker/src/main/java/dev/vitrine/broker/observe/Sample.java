package dev.vitrine.broker.observe;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * Values of metrics at one time, as they are gathered. Shards that count the same thing each add
 * their part. Belongs to whoever fills it.
 */
public final class Sample {
  private final Map<Metric, Map<List<String>, Double>> values = new TreeMap<>();
  private final Map<Metric, Map<List<String>, Histogram>> histograms = new TreeMap<>();
  private final Map<String, ClientFamily> ofClients = new TreeMap<>();

  /**
   * A metric of clients: they choose its name, and whether it is a counter.
   *
   * @param series by their labels
   */
  record ClientFamily(boolean counter, Map<Map<String, String>, Double> series) {}

  /**
   * A value that a client has told.
   *
   * @param name as Prometheus can have it; ends in {@code _total} if it is a counter
   */
  public void addOfClient(String name, boolean counter, Map<String, String> labels, double value) {
    ofClients
        .computeIfAbsent(name, n -> new ClientFamily(counter, new LinkedHashMap<>()))
        .series
        .put(labels, value);
  }

  /**
   * @param labels the values of {@link Metric#labels}, in that order; or none of them, for a sum of
   *     all
   */
  public void add(Metric metric, double value, String... labels) {
    values
        .computeIfAbsent(metric, m -> new LinkedHashMap<>())
        .merge(check(metric, labels), value, metric.isMaximum() ? Math::max : Double::sum);
  }

  public void add(Metric metric, boolean value, String... labels) {
    add(metric, value ? 1 : 0, labels);
  }

  /** Takes a copy. */
  public void add(Metric metric, Histogram histogram, String... labels) {
    add(metric, histogram.copy(), check(metric, labels));
  }

  private void add(Metric metric, Histogram own, List<String> labels) {
    histograms
        .computeIfAbsent(metric, m -> new LinkedHashMap<>())
        .merge(
            labels,
            own,
            (there, more) -> {
              there.add(more);
              return there;
            });
  }

  private static List<String> check(Metric metric, String[] labels) {
    if (labels.length != 0 && labels.length != metric.labels().size()) {
      throw new IllegalArgumentException(metric + " has no labels " + Arrays.toString(labels));
    }
    return List.of(labels);
  }

  /** Adds what the other has, and takes it over: it is not to be used any more. */
  void add(Sample other) {
    other.values.forEach(
        (metric, series) ->
            series.forEach((l, value) -> add(metric, value, l.toArray(new String[0]))));
    other.histograms.forEach(
        (metric, series) -> series.forEach((labels, h) -> add(metric, h, labels)));
    other.ofClients.forEach(
        (name, family) ->
            family.series.forEach((l, value) -> addOfClient(name, family.counter, l, value)));
  }

  /** In the order of {@link Metric}. */
  void forEachValue(BiConsumer<Metric, Map<List<String>, Double>> use) {
    values.forEach(use);
  }

  void forEachHistogram(BiConsumer<Metric, Map<List<String>, Histogram>> use) {
    histograms.forEach(use);
  }

  void forEachOfClients(BiConsumer<String, ClientFamily> use) {
    ofClients.forEach(use);
  }

  Map<Metric, Map<List<String>, Histogram>> histograms() {
    return histograms;
  }

  /** Of one series, as a test wants to know it; not a number if there is none. */
  double value(Metric metric, String... labels) {
    Double v = values.getOrDefault(metric, Map.of()).get(List.of(labels));
    return v == null ? Double.NaN : v;
  }

  /** The names of all that has a value. */
  List<Metric> metrics() {
    List<Metric> all = new ArrayList<>(values.keySet());
    all.addAll(histograms.keySet());
    return all;
  }
}
