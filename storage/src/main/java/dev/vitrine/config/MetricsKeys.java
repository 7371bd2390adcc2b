package dev.vitrine.config;

import static dev.vitrine.config.ConfigRule.anyList;
import static dev.vitrine.config.ConfigRule.atLeast;
import static dev.vitrine.config.Mark.NO_EFFECT;
import static dev.vitrine.config.UpdateMode.CLUSTER_WIDE;

/** Metrics of brokers, and those that clients push. */
final class MetricsKeys {
  private MetricsKeys() {}

  static void define(ConfigTable.Builder t) {
    t.list(
            "metric.reporters",
            "org.apache.kafka.common.metrics.JmxReporter",
            anyList(),
            CLUSTER_WIDE,
            NO_EFFECT)
        .doc("Classes to which metrics are given.");
    t.int32("metrics.num.samples", 2, atLeast(1), NO_EFFECT)
        .doc("How many past windows a metric looks at.");
    t.int64("metrics.sample.window.ms", 30_000L, atLeast(1), NO_EFFECT)
        .doc("The length of a window of a metric.");
    t.string("metrics.recording.level", "INFO", NO_EFFECT)
        .doc("The finest level of metrics that are recorded.");
    t.list("kafka.metrics.reporters", "", anyList(), NO_EFFECT)
        .doc("Classes to which the older kind of metrics are given.");
    t.int32("kafka.metrics.polling.interval.secs", 10, atLeast(1), NO_EFFECT)
        .doc("How often the older kind of metrics are given to their reporters.");
    t.int32("telemetry.max.bytes", 1_048_576, atLeast(1))
        .doc("The largest push of a client's metrics.");
  }
}
