package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A consumer that says where it is reads from the replica in its rack (KIP-392), goes on with the
 * leader when that replica dies, and misses nothing.
 */
@Tag("smoke")
class FollowerFetchTest {
  private static final String TOPIC = "near";
  private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
  private static final int LEADER = 1;
  private static final int NEAR = 2;
  private static final int RECORDS = 60;

  /**
   * A follower's fetch may wait longer than the whole test: then it is only because the leader
   * tells it of the high watermark at once that records become readable there. Apache Kafka 4.4
   * doesn't, so there it waits half a second.
   */
  private static Map<String, String> config() {
    Map<String, String> config = new HashMap<>();
    config.put(
        "replica.selector.class", "org.apache.kafka.common.replica.RackAwareReplicaSelector");
    config.put("broker.rack", "rack-${node.id}");
    config.put("auto.leader.rebalance.enable", "false");
    if (Target.isVitrine()) {
      config.put("replica.fetch.wait.max.ms", "100000");
      config.put("replica.socket.timeout.ms", "110000");
      config.put("replica.lag.time.max.ms", "120000");
    }
    return config;
  }

  @Test
  void consumerReadsInItsRack() throws Exception {
    try (ClusterUnderTest cluster = LocalCluster.start("near", 3, config())) {
      Clients clients = new Clients(cluster.bootstrap());
      try (Admin admin = clients.admin()) {
        for (Node node : admin.describeCluster().nodes().get()) {
          assertEquals("rack-" + node.id(), node.rack());
        }
        clients.createTopic(new NewTopic(TOPIC, Map.of(0, List.of(LEADER, NEAR, 3))));
        Clients.awaitInSync(admin, TOPIC, 3);
      }
      Map<String, Object> near =
          Map.of(
              "client.rack", "rack-" + NEAR,
              "group.protocol", "classic",
              "metadata.max.age.ms", "1000000");
      try (KafkaProducer<String, String> producer = clients.producer(Map.of("acks", "all"));
          KafkaConsumer<String, String> consumer = clients.consumer(near)) {
        consumer.assign(List.of(PARTITION));
        consumer.seekToBeginning(List.of(PARTITION));
        List<String> read = new ArrayList<>();
        for (int i = 0; i < RECORDS; i++) {
          if (i == RECORDS - 10) {
            assertEquals(NEAR, preferred(consumer));
            cluster.kill(NEAR);
          }
          producer.send(new ProducerRecord<>(TOPIC, "v" + i)).get();
          for (ConsumerRecord<String, String> r : Clients.poll(consumer, 1)) {
            read.add(r.value());
          }
        }
        assertEquals(RECORDS, read.size());
        for (int i = 0; i < RECORDS; i++) {
          assertEquals("v" + i, read.get(i));
        }
      }
    }
  }

  /** What the consumer itself says of where it reads; -1 is the leader. */
  private static int preferred(KafkaConsumer<String, String> consumer) {
    for (Map.Entry<?, ? extends Metric> e : consumer.metrics().entrySet()) {
      Metric metric = e.getValue();
      if (metric.metricName().name().equals("preferred-read-replica")) {
        return ((Number) metric.metricValue()).intValue();
      }
    }
    throw new AssertionError("no such metric");
  }
}
