package dev.vitrine.broker.observe;

import dev.vitrine.broker.net.HttpAnswer;
import dev.vitrine.broker.net.HttpQuestion;
import dev.vitrine.broker.net.HttpService;
import dev.vitrine.seam.Shard;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * {@code GET /metrics}: all that this node knows in numbers, in the text format of Prometheus or,
 * if the question accepts it, of OpenMetrics. Belongs to the loop of HTTP: there it writes, while
 * the numbers come from their shards.
 */
public final class MetricsPage implements HttpService {
  public static final String PATH = "/metrics";

  private final Shard loop;
  private final NodeMetrics metrics;
  private final List<Supplier<List<MetricSnapshot>>> others;
  private final RecentTimes times = new RecentTimes();
  private final ExpositionFormatWriter plain = PrometheusTextFormatWriter.builder().build();
  private final ExpositionFormatWriter openMetrics = OpenMetricsTextFormatWriter.builder().build();

  /**
   * @param loop of HTTP
   * @param others what is known on this loop at once, such as the JVM's
   */
  public MetricsPage(Shard loop, NodeMetrics metrics, List<Supplier<List<MetricSnapshot>>> others) {
    this.loop = loop;
    this.metrics = metrics;
    this.others = List.copyOf(others);
  }

  @Override
  public void answer(HttpQuestion question, Consumer<HttpAnswer> answer) {
    if (!question.path().equals(PATH)) {
      answer.accept(null);
    } else if (!question.method().equals("GET")) {
      answer.accept(new HttpAnswer(405, "not with this method\n"));
    } else {
      metrics.gather(loop, sample -> answer.accept(write(sample, question.accept())));
    }
  }

  private HttpAnswer write(Sample sample, String accept) {
    times.keep(sample, loop.ticks());
    List<MetricSnapshot> all = new ArrayList<>(new Exposition(times).of(sample));
    others.forEach(other -> all.addAll(other.get()));
    ExpositionFormatWriter writer = openMetrics.accepts(accept) ? openMetrics : plain;
    ByteArrayOutputStream out = new ByteArrayOutputStream(1 << 16);
    try {
      writer.write(out, new MetricSnapshots(all));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new HttpAnswer(200, writer.getContentType(), out.toString(StandardCharsets.UTF_8));
  }
}
