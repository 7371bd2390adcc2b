package dev.vitrine.broker.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.broker.net.HttpAnswer;
import dev.vitrine.broker.net.HttpQuestion;
import dev.vitrine.sim.SimShard;
import dev.vitrine.sim.SimWorld;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is written of what was counted, over two shards. */
class MetricsPageTest {
  private final SimWorld world = new SimWorld(1);
  private final SimShard loop = world.newShard("http");
  private final List<SimShard> shards = List.of(world.newShard("a"), world.newShard("b"));
  private final NodeMetrics metrics = new NodeMetrics();
  private final MetricsPage page = new MetricsPage(loop, metrics, List.of(new JvmMetrics()));

  private HttpAnswer ask(String method, String path, String accept) {
    HttpAnswer[] answers = new HttpAnswer[1];
    loop.run(
        () ->
            page.answer(
                new HttpQuestion(method, path, Map.of(), "", accept, false), a -> answers[0] = a));
    world.runFor(10);
    return answers[0];
  }

  private PrometheusText scrape() {
    HttpAnswer answer = ask("GET", "/metrics", null);
    assertEquals(200, answer.status());
    assertEquals("text/plain; version=0.0.4; charset=utf-8", answer.type());
    return PrometheusText.parse(answer.text());
  }

  @Test
  void whatShardsCountAddsUp() {
    for (SimShard s : shards) {
      metrics.on(s).topics().of("t").appended(3, 100);
      metrics.on(s).isrShrunk();
    }
    metrics.on(shards.get(0)).topics().of("u").appended(1, 7);
    metrics.on(shards.get(1)).connections("PLAINTEXT").opened();
    PrometheusText text = scrape();
    String name = "kafka_server_brokertopicmetrics_messagesin_total";
    assertEquals(6, text.value(name, "topic", "t"));
    assertEquals(1, text.value(name, "topic", "u"));
    assertEquals(7, text.value(name));
    assertEquals(207, text.value("kafka_server_brokertopicmetrics_bytesin_total"));
    assertEquals(2, text.value("kafka_server_replicamanager_isrshrinks_total"));
    assertEquals(
        1,
        text.value(
            "kafka_server_socket_server_metrics_connection_count",
            "listener",
            "PLAINTEXT",
            "networkProcessor",
            "1"));
    assertTrue(text.value("process_cpu_seconds_total") > 0);
    assertTrue(text.value("jvm_memory_used_bytes", "area", "heap") > 0);
  }

  @Test
  void topicsThatAreGoneStillCountInTheSum() {
    TopicMeters topics = metrics.on(shards.get(0)).topics();
    topics.of("t").appended(3, 100);
    topics.forget("t");
    PrometheusText text = scrape();
    String name = "kafka_server_brokertopicmetrics_messagesin_total";
    assertEquals(1, text.all(name).size());
    assertEquals(3, text.value(name));
  }

  @Test
  void gaugesOfWhichTheLargestCounts() {
    shards.forEach(s -> metrics.on(s));
    metrics.add(shards.get(0), s -> s.add(Metric.MAX_LAG, 5, "Replica"));
    metrics.add(shards.get(1), s -> s.add(Metric.MAX_LAG, 4, "Replica"));
    assertEquals(
        5, scrape().value("kafka_server_replicafetchermanager_maxlag", "clientId", "Replica"));
  }

  @Test
  void labelsMayHoldAnything() {
    String odd = "a\"b\\c\nd\u00e4{},=";
    metrics.add(s -> s.add(Metric.DIRECTORY_OFFLINE, true, odd));
    assertEquals(
        1, scrape().value("kafka_log_logmanager_logdirectoryoffline", "logDirectory", odd));
  }

  @Test
  void theQuorumHasItsOtherNamesToo() {
    metrics.add(
        s -> {
          s.add(Metric.CURRENT_STATE, 1, "leader");
          s.add(Metric.QUORUM_HIGH_WATERMARK, 12);
        });
    PrometheusText text = scrape();
    assertEquals(1, text.value("kafka_server_raft_metrics_current_state_info", "state", "leader"));
    assertEquals(
        1, text.value("kafka_server_raftmetrics_current_state", "current_state", "leader"));
    assertEquals(12, text.value("kafka_server_raft_metrics_high_watermark"));
    assertEquals(12, text.value("kafka_server_raftmetrics_high_watermark"));
  }

  @Test
  void quantilesAreOfTheLastMinutesAndCountsOfAll() {
    Histogram h = new Histogram();
    metrics.add(shards.get(0), s -> s.add(Metric.TOTAL_TIME, h, "Produce"));
    for (int i = 0; i < 100; i++) {
      h.record(8_000_000);
    }
    String name = "kafka_network_requestmetrics_totaltimems";
    assertEquals(8_000, scrape().value(name, "quantile", "0.5", "request", "Produce"), 500);
    for (int minute = 0; minute < 10; minute++) {
      world.runFor(60_000);
      h.record(10_000);
      scrape();
    }
    PrometheusText text = scrape();
    assertEquals(10, text.value(name, "quantile", "0.999", "request", "Produce"), 1);
    assertEquals(110, text.value(name + "_count", "request", "Produce"));
    assertEquals(800_100, text.value(name + "_sum", "request", "Produce"), 1);
  }

  @Test
  void aSourceThatFailsSilencesNobody() {
    metrics.add(
        shards.get(0),
        s -> {
          throw new IllegalStateException("a test's");
        });
    metrics.add(shards.get(1), s -> s.add(Metric.LEADERS, 2));
    assertEquals(2, scrape().value("kafka_server_replicamanager_leadercount"));
  }

  @Test
  void openMetricsForWhoAsksForThem() {
    metrics.on(shards.get(0)).topics().of("t").appended(3, 100);
    HttpAnswer answer = ask("GET", "/metrics", "application/openmetrics-text;version=1.0.0");
    assertTrue(answer.type().startsWith("application/openmetrics-text"), answer.type());
    assertTrue(answer.text().endsWith("# EOF\n"));
    assertTrue(
        answer
            .text()
            .contains("kafka_server_brokertopicmetrics_messagesin_total{topic=\"t\"} 3.0"));
  }

  @Test
  void otherPathsAreNotItsOwn() {
    assertNull(ask("GET", "/", null));
    assertEquals(405, ask("POST", "/metrics", null).status());
  }
}
