package dev.vitrine.compat;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.server.telemetry.ClientTelemetryContext;
import org.apache.kafka.server.telemetry.ClientTelemetryExporter;
import org.apache.kafka.server.telemetry.ClientTelemetryExporterProvider;
import org.apache.kafka.server.telemetry.ClientTelemetryPayload;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.MetricsData;

/**
 * What lets Apache Kafka take clients' metrics: it prints the name of each metric that a client
 * pushes, and refuses what it can't read.
 */
public final class TelemetryReporter implements MetricsReporter, ClientTelemetryExporterProvider {
  static final String MARK = "pushed metric ";

  @Override
  public ClientTelemetryExporter clientTelemetryExporter() {
    return this::export;
  }

  private void export(ClientTelemetryContext context, ClientTelemetryPayload payload) {
    MetricsData data;
    try {
      data = MetricsData.parseFrom(payload.data());
    } catch (Exception e) {
      throw new IllegalArgumentException(e);
    }
    data.getResourceMetricsList()
        .forEach(
            r ->
                r.getScopeMetricsList()
                    .forEach(
                        s ->
                            s.getMetricsList()
                                .forEach(m -> System.out.println(MARK + m.getName()))));
  }

  @Override
  public void init(List<KafkaMetric> metrics) {}

  @Override
  public void metricChange(KafkaMetric metric) {}

  @Override
  public void metricRemoval(KafkaMetric metric) {}

  @Override
  public void close() {}

  @Override
  public void configure(Map<String, ?> configs) {}
}
