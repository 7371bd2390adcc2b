package dev.vitrine.broker.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.broker.GeneratedDocument;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** That docs/METRICS.md names each metric: see {@link GeneratedDocument}. */
class MetricsDocumentTest {
  @Test
  void theTableOfMetrics() throws IOException {
    GeneratedDocument document = new GeneratedDocument("METRICS.md");
    document.table(
        "## The metrics", Arrays.stream(Metric.values()).map(MetricsDocumentTest::row).toList());
    document.writeOrCheck();
  }

  private static String row(Metric m) {
    return String.format(
        "| `%s` | %s | %s | %s | %s |",
        m.fullName(),
        switch (m.kind()) {
          case COUNTER -> "counter";
          case GAUGE, MAXIMUM -> "gauge";
          case SUMMARY, MILLISECONDS -> "summary";
        },
        String.join(", ", m.labels().stream().map(l -> "`" + l + "`").toList()),
        m.mbean().startsWith("none") ? m.mbean() : "`" + m.mbean() + "`",
        m.help());
  }

  @Test
  void namesAreDifferentAndOnlyCountersAreTotals() {
    Set<String> names = new HashSet<>();
    for (Metric m : Metric.values()) {
      assertTrue(names.add(m.fullName()), m.fullName());
      assertEquals(m.kind() == Metric.Kind.COUNTER, m.fullName().endsWith("_total"), m.fullName());
      assertTrue(m.fullName().matches("kafka_[a-z_]+"), m.fullName());
      assertEquals(m.labels().size(), Set.copyOf(m.labels()).size(), m.fullName());
    }
    assertEquals(
        List.of(), List.of(Metric.values()).stream().filter(m -> m.help().contains("|")).toList());
  }
}
