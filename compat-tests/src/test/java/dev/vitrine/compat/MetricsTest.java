package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.compat.NodeReadings.Documented;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The same small work, and the same numbers: of Vitrine from its page, of Apache Kafka from the
 * MBeans that docs/METRICS.md names beside each metric.
 */
@Tag("smoke")
class MetricsTest {
  private static final String TOPIC = "counted";
  private static final int RECORDS = 40;
  private static final String GROUPS = "kafka_server_group_coordinator_metrics_";

  /** Of {@code __consumer_offsets}, as {@link LocalCluster} has it. */
  private static final int OFFSETS_PARTITIONS = 4;

  /** These need something that the test does not bring about. */
  private static final List<String> ONLY_AT_TIMES =
      List.of(
          "kafka_server_raft_metrics_commit_latency_avg",
          "kafka_server_raft_metrics_commit_latency_max");

  private Map<String, Documented> documented;
  private final Map<Integer, NodeReadings> readings = new HashMap<>();
  private ClusterUnderTest cluster;

  /** What all running nodes tell of these series, added up. */
  private double sum(String name, Predicate<Map<String, String>> wanted) throws Exception {
    double sum = 0;
    for (double v : values(name, wanted)) {
      sum += v;
    }
    return sum;
  }

  private List<Double> values(String name, Predicate<Map<String, String>> wanted) throws Exception {
    List<Double> values = new ArrayList<>();
    for (int id : cluster.nodes()) {
      if (cluster.isRunning(id)) {
        readings(id)
            .read(documented.get(name))
            .forEach(
                (labels, value) -> {
                  if (wanted.test(labels)) {
                    values.add(value);
                  }
                });
      }
    }
    return values;
  }

  private NodeReadings readings(int id) throws Exception {
    if (!readings.containsKey(id)) {
      readings.put(id, NodeReadings.of(cluster, id));
    }
    return readings.get(id);
  }

  private double sum(String name) throws Exception {
    return sum(name, Map::isEmpty);
  }

  private double ofTopic(String name) throws Exception {
    return sum(name, labels -> TOPIC.equals(labels.get("topic")));
  }

  private double ofRequest(String name, String request) throws Exception {
    return sum(name, labels -> request.equals(labels.get("request")));
  }

  private void awaitSum(String name, double wanted) throws Exception {
    Await.until(name + " is " + wanted, () -> sum(name) == wanted);
  }

  private void produce(Clients clients) throws Exception {
    try (KafkaProducer<String, String> producer =
        clients.producer(Map.of("enable.metrics.push", "false"))) {
      for (int i = 0; i < RECORDS; i++) {
        producer.send(new ProducerRecord<>(TOPIC, 0, "key", "value")).get();
      }
      ExecutionException refused =
          assertThrows(
              ExecutionException.class,
              () -> producer.send(new ProducerRecord<>(TOPIC, 0, "", "x".repeat(20_000))).get());
      assertEquals(RecordTooLargeException.class, refused.getCause().getClass());
    }
  }

  private static void consume(Clients clients) throws Exception {
    try (KafkaConsumer<String, String> consumer =
        clients.consumer(Map.of("group.id", "g", "enable.metrics.push", "false"))) {
      consumer.subscribe(List.of(TOPIC));
      Clients.poll(consumer, RECORDS);
      consumer.commitSync();
    }
  }

  @Test
  void theSameWorkGivesTheSameNumbers() throws Exception {
    documented = Documented.all();
    Map<String, String> config =
        Map.of(
            "vitrine.http.listener", "127.0.0.1:0",
            "vitrine.node.dir", LocalCluster.NODE_FOLDER + "-own",
            "auto.leader.rebalance.enable", "false");
    try (ClusterUnderTest started = LocalCluster.start("metrics", 3, config)) {
      cluster = started;
      Clients clients = new Clients(cluster.bootstrap());
      clients.createTopic(
          new NewTopic(TOPIC, Map.of(0, List.of(1, 2, 3)))
              .configs(Map.of("max.message.bytes", "10000")));
      produce(clients);
      consume(clients);
      try (Admin admin = clients.admin()) {
        Clients.awaitInSync(admin, "__consumer_offsets", 3);
      }
      try {
        topicsAreCounted();
        requestsAreCounted();
        replicasAreCounted();
        theClusterIsCounted();
        eachDocumentedMetricIsThere();
        aStoppedReplicaIsMissed();
      } finally {
        for (NodeReadings r : readings.values()) {
          r.close();
        }
      }
    }
  }

  private void topicsAreCounted() throws Exception {
    assertEquals(RECORDS, ofTopic("kafka_server_brokertopicmetrics_messagesin_total"));
    assertEquals(
        RECORDS + 1, ofTopic("kafka_server_brokertopicmetrics_totalproducerequests_total"));
    double bytes = ofTopic("kafka_server_brokertopicmetrics_bytesin_total");
    double size = ofTopic("kafka_log_log_size");
    assertTrue(bytes > RECORDS * 60, "" + bytes);
    assertEquals(3 * bytes, size, "three replicas have all of it");
    assertEquals(bytes, ofTopic("kafka_server_brokertopicmetrics_bytesout_total"));
    double rejected = ofTopic("kafka_server_brokertopicmetrics_bytesrejected_total");
    assertTrue(rejected > 20_000 && rejected < 20_200, "" + rejected);
    assertEquals(0, ofTopic("kafka_server_brokertopicmetrics_failedproducerequests_total"));
    assertTrue(sum("kafka_server_brokertopicmetrics_replicationbytesin_total") > 2 * bytes);
    assertEquals(
        sum("kafka_server_brokertopicmetrics_replicationbytesin_total"),
        sum("kafka_server_brokertopicmetrics_replicationbytesout_total"));
    assertTrue(sum("kafka_server_brokertopicmetrics_messagesin_total") > RECORDS, "offsets, too");
    assertEquals(3 * RECORDS, ofTopic("kafka_log_log_logendoffset"));
    assertEquals(0, ofTopic("kafka_log_log_logstartoffset"));
    assertEquals(3, ofTopic("kafka_log_log_numlogsegments"));
  }

  private void requestsAreCounted() throws Exception {
    String requests = "kafka_network_requestmetrics_requests_total";
    assertEquals(
        RECORDS + 1,
        sum(requests, l -> "Produce".equals(l.get("request")) && "13".equals(l.get("version"))));
    assertEquals(RECORDS + 1, ofRequest(requests, "Produce"));
    assertEquals(1, ofRequest(requests, "LeaveGroup"));
    String errors = "kafka_network_requestmetrics_errors_total";
    assertEquals(
        RECORDS,
        sum(errors, l -> "Produce".equals(l.get("request")) && "NONE".equals(l.get("error"))));
    assertEquals(
        1,
        sum(
            errors,
            l -> "Produce".equals(l.get("request")) && "MESSAGE_TOO_LARGE".equals(l.get("error"))));
    assertEquals(RECORDS + 1, ofRequest("kafka_network_requestmetrics_totaltimems", "Produce"));
    double fetches = ofRequest(requests, "FetchFollower");
    assertTrue(fetches > 0);
    assertTrue(ofRequest(requests, "FetchConsumer") > 0);
  }

  private void replicasAreCounted() throws Exception {
    int partitions = 1 + OFFSETS_PARTITIONS;
    awaitSum("kafka_server_replicamanager_leadercount", partitions);
    awaitSum("kafka_server_replicamanager_partitioncount", 3 * partitions);
    awaitSum("kafka_server_replicamanager_underreplicatedpartitions", 0);
    assertEquals(0, sum("kafka_server_replicamanager_underminisrpartitioncount"));
    assertEquals(0, sum("kafka_server_replicamanager_offlinereplicacount"));
    assertEquals(0, sum("kafka_server_replicamanager_reassigningpartitions"));
    assertEquals(0, sum("kafka_server_replicamanager_isrshrinks_total"));
    assertEquals(
        3, sum("kafka_cluster_partition_insyncreplicascount", l -> TOPIC.equals(l.get("topic"))));
  }

  private void theClusterIsCounted() throws Exception {
    awaitSum("kafka_controller_kafkacontroller_activecontrollercount", 1);
    assertEquals(9, sum("kafka_controller_kafkacontroller_activebrokercount"), "by each");
    assertEquals(0, sum("kafka_controller_kafkacontroller_fencedbrokercount"));
    assertEquals(6, sum("kafka_controller_kafkacontroller_globaltopiccount"));
    assertEquals(
        3 * (1 + OFFSETS_PARTITIONS), sum("kafka_controller_kafkacontroller_globalpartitioncount"));
    assertEquals(0, sum("kafka_controller_kafkacontroller_offlinepartitionscount"));
    List<Double> leaders = values("kafka_server_raft_metrics_current_leader", l -> true);
    assertEquals(3, leaders.size());
    assertEquals(1, leaders.stream().distinct().count(), leaders.toString());
    assertEquals(3, values("kafka_server_raft_metrics_high_watermark", l -> true).size());
    awaitSum("kafka_coordinator_group_groupmetadatamanager_numoffsets", 1);
    // Apache Kafka counts its groups once a minute.
    Await.until(
        "there is one group, and it is empty",
        () ->
            sum(GROUPS + "group_count", l -> "classic".equals(l.get("protocol"))) == 1
                && sum(GROUPS + "classic_group_count", l -> "Empty".equals(l.get("state"))) == 1);
  }

  private void eachDocumentedMetricIsThere() throws Exception {
    List<String> missing = new ArrayList<>();
    for (Documented metric : documented.values()) {
      boolean ours = metric.mbean().startsWith("none");
      if (!ONLY_AT_TIMES.contains(metric.name())
          && (Target.isVitrine() || !ours)
          && values(metric.name(), l -> true).isEmpty()) {
        missing.add(metric.name());
      }
    }
    assertEquals(List.of(), missing);
  }

  private void aStoppedReplicaIsMissed() throws Exception {
    int partitions = 1 + OFFSETS_PARTITIONS;
    readings.remove(3).close();
    cluster.stop(3);
    awaitSum("kafka_server_replicamanager_underreplicatedpartitions", partitions);
    awaitSum("kafka_server_replicamanager_atminisrpartitioncount", partitions);
    awaitSum("kafka_server_replicamanager_leadercount", partitions);
    cluster.start(3);
    cluster.awaitReady();
    awaitSum("kafka_server_replicamanager_underreplicatedpartitions", 0);
    // Apache Kafka does not count a change whose record is there before the controller's answer.
    if (Target.isVitrine()) {
      assertEquals(partitions, sum("kafka_server_replicamanager_isrexpands_total"));
    }
  }
}
