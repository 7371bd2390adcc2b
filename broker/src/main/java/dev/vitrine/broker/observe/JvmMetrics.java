package dev.vitrine.broker.observe;

import io.prometheus.metrics.instrumentation.jvm.JvmBufferPoolMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmClassLoadingMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmGarbageCollectorMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmMemoryMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmRuntimeInfoMetric;
import io.prometheus.metrics.instrumentation.jvm.JvmThreadsMetrics;
import io.prometheus.metrics.instrumentation.jvm.ProcessMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.List;
import java.util.function.Supplier;

/**
 * The JVM's and the process's metrics, as Prometheus' own library has them for every Java program.
 * Loaded when it is first asked for; belongs to the loop of HTTP.
 */
public final class JvmMetrics implements Supplier<List<MetricSnapshot>> {
  private PrometheusRegistry registry;

  @Override
  public List<MetricSnapshot> get() {
    if (registry == null) {
      registry = new PrometheusRegistry();
      JvmMemoryMetrics.builder().register(registry);
      JvmBufferPoolMetrics.builder().register(registry);
      JvmGarbageCollectorMetrics.builder().register(registry);
      JvmThreadsMetrics.builder().register(registry);
      JvmClassLoadingMetrics.builder().register(registry);
      JvmRuntimeInfoMetric.builder().register(registry);
      ProcessMetrics.builder().register(registry);
    }
    return registry.scrape().stream().toList();
  }
}
