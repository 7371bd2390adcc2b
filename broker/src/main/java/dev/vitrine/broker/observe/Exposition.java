package dev.vitrine.broker.observe;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.Quantile;
import io.prometheus.metrics.model.snapshots.Quantiles;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot.SummaryDataPointSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Turns a sample into what Prometheus knows: its kinds of metrics, names and labels. */
final class Exposition {
  private static final double MICROS_IN_MILLI = 1_000;
  private static final String OF_CLIENTS = "Pushed by clients.";

  /** Those that Kafka's histograms have. */
  private static final double[] QUANTILES = {0.5, 0.75, 0.95, 0.98, 0.99, 0.999};

  private final RecentTimes times;
  private final List<MetricSnapshot> snapshots = new ArrayList<>();

  Exposition(RecentTimes times) {
    this.times = times;
  }

  List<MetricSnapshot> of(Sample sample) {
    sample.forEachValue(this::values);
    sample.forEachHistogram(this::summary);
    sample.forEachOfClients(this::ofClients);
    return snapshots;
  }

  private void values(Metric metric, Map<List<String>, Double> series) {
    if (metric.kind() == Metric.Kind.COUNTER) {
      CounterSnapshot.Builder counter =
          CounterSnapshot.builder()
              .name(metric.fullName().replaceFirst("_total$", ""))
              .help(metric.help());
      series.forEach(
          (values, v) ->
              counter.dataPoint(
                  CounterDataPointSnapshot.builder()
                      .value(v)
                      .labels(labels(metric.labels(), values))
                      .build()));
      snapshots.add(counter.build());
      return;
    }
    snapshots.add(gauge(metric.fullName(), metric.help(), metric.labels(), series));
    if (metric.alias() != null) {
      snapshots.add(gauge(metric.alias(), metric.help(), metric.aliasLabels(), series));
    }
  }

  private static GaugeSnapshot gauge(
      String name, String help, List<String> names, Map<List<String>, Double> series) {
    GaugeSnapshot.Builder gauge = GaugeSnapshot.builder().name(name).help(help);
    series.forEach(
        (values, v) ->
            gauge.dataPoint(
                GaugeDataPointSnapshot.builder().value(v).labels(labels(names, values)).build()));
    return gauge.build();
  }

  private void ofClients(String name, Sample.ClientFamily family) {
    CounterSnapshot.Builder counter =
        CounterSnapshot.builder().name(name.replaceFirst("_total$", "")).help(OF_CLIENTS);
    GaugeSnapshot.Builder gauge = GaugeSnapshot.builder().name(name).help(OF_CLIENTS);
    family
        .series()
        .forEach(
            (labels, v) -> {
              Labels l =
                  Labels.of(
                      labels.keySet().toArray(new String[0]),
                      labels.values().toArray(new String[0]));
              counter.dataPoint(CounterDataPointSnapshot.builder().value(v).labels(l).build());
              gauge.dataPoint(GaugeDataPointSnapshot.builder().value(v).labels(l).build());
            });
    snapshots.add(family.counter() ? counter.build() : gauge.build());
  }

  private void summary(Metric metric, Map<List<String>, Histogram> series) {
    double unit = metric.kind() == Metric.Kind.MILLISECONDS ? MICROS_IN_MILLI : 1;
    SummarySnapshot.Builder summary =
        SummarySnapshot.builder().name(metric.fullName()).help(metric.help());
    series.forEach(
        (values, histogram) -> {
          Histogram recent = times.recent(metric, values, histogram);
          Quantiles.Builder quantiles = Quantiles.builder();
          for (double q : QUANTILES) {
            quantiles.quantile(new Quantile(q, recent.quantile(q) / unit));
          }
          summary.dataPoint(
              SummaryDataPointSnapshot.builder()
                  .count(histogram.count())
                  .sum(histogram.sum() / unit)
                  .quantiles(quantiles.build())
                  .labels(labels(metric.labels(), values))
                  .build());
        });
    snapshots.add(summary.build());
  }

  private static Labels labels(List<String> names, List<String> values) {
    return values.isEmpty()
        ? Labels.EMPTY
        : Labels.of(names.toArray(new String[0]), values.toArray(new String[0]));
  }
}
