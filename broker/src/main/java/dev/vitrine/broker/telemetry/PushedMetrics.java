package dev.vitrine.broker.telemetry;

import dev.vitrine.protocol.record.Compression;
import io.netty.buffer.Unpooled;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads a push: OTLP's MetricsData, perhaps compressed. Pure; on a disk worker, for it may be long.
 */
final class PushedMetrics {
  /** A push may be small and mean to fill the memory. */
  private static final int MAX_BYTES = 16 << 20;

  private PushedMetrics() {}

  enum Kind {
    GAUGE,
    /** A sum since the last push. */
    DELTA,
    /** A sum since the client began to count. */
    TOTAL
  }

  /**
   * One value of one metric.
   *
   * @param labels of the resource and of the data point
   */
  record Value(String name, Map<String, String> labels, Kind kind, double value) {}

  /**
   * @throws IOException if that is not what it is, or too much
   */
  static List<Value> read(byte[] bytes, int compression) throws IOException {
    byte[] plain;
    try (InputStream in =
        Compression.forId(compression).decompress(Unpooled.wrappedBuffer(bytes), 0, bytes.length)) {
      plain = in.readNBytes(MAX_BYTES + 1);
    } catch (RuntimeException e) {
      throw new IOException("metrics that can't be decompressed", e);
    }
    if (plain.length > MAX_BYTES) {
      throw new IOException("more than " + MAX_BYTES + " bytes of metrics");
    }
    List<Value> values = new ArrayList<>();
    for (ResourceMetrics resource : MetricsData.parseFrom(plain).getResourceMetricsList()) {
      Map<String, String> common = labels(resource.getResource().getAttributesList());
      for (ScopeMetrics scope : resource.getScopeMetricsList()) {
        scope.getMetricsList().forEach(metric -> read(metric, common, values));
      }
    }
    return values;
  }

  /** Other kinds than these two are not what Kafka's clients send. */
  private static void read(Metric metric, Map<String, String> common, List<Value> values) {
    Kind kind = Kind.GAUGE;
    List<NumberDataPoint> points = metric.getGauge().getDataPointsList();
    if (metric.hasSum()) {
      points = metric.getSum().getDataPointsList();
      boolean delta =
          metric.getSum().getAggregationTemporality()
              == AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA;
      if (metric.getSum().getIsMonotonic()) {
        kind = delta ? Kind.DELTA : Kind.TOTAL;
      }
    }
    for (NumberDataPoint p : points) {
      Map<String, String> labels = new LinkedHashMap<>(common);
      labels.putAll(labels(p.getAttributesList()));
      values.add(
          new Value(metric.getName(), labels, kind, p.hasAsInt() ? p.getAsInt() : p.getAsDouble()));
    }
  }

  private static Map<String, String> labels(List<KeyValue> attributes) {
    Map<String, String> labels = new LinkedHashMap<>();
    attributes.forEach(a -> labels.put(a.getKey(), text(a.getValue())));
    return labels;
  }

  private static String text(AnyValue value) {
    return switch (value.getValueCase()) {
      case STRING_VALUE -> value.getStringValue();
      case INT_VALUE -> Long.toString(value.getIntValue());
      case BOOL_VALUE -> Boolean.toString(value.getBoolValue());
      case DOUBLE_VALUE -> Double.toString(value.getDoubleValue());
      default -> "";
    };
  }
}
