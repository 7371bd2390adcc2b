package dev.vitrine.compat;

import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is older than the retention of its topic goes. */
@Tag("smoke")
class RetentionTest {
  private static final String TOPIC = "expires";
  private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);

  /** As soon as it is up, though it looks only once in five minutes from then on. */
  @Test
  void aBrokerThatStartsDeletesWhatHasExpired() throws Exception {
    try (ClusterUnderTest cluster =
        LocalCluster.start("retention", 1, Map.of("log.initial.task.delay.ms", "1000"))) {
      Clients clients = new Clients(cluster.bootstrap());
      clients.createTopic(new NewTopic(TOPIC, 1, (short) 1));
      try (KafkaProducer<String, String> producer = clients.producer(Map.of())) {
        // In 2023. Its retention is a week.
        producer.send(new ProducerRecord<>(TOPIC, 0, 1_700_000_000_000L, null, "old")).get();
        producer.send(new ProducerRecord<>(TOPIC, 0, 1_700_000_000_001L, null, "old too")).get();
      }
      try (Admin admin = clients.admin()) {
        cluster.stop(1);
        cluster.start(1);
        cluster.awaitReady();
        Await.until("the expired records are deleted", () -> firstOffset(admin) == 2);
      }
    }
  }

  private static long firstOffset(Admin admin) throws Exception {
    return admin
        .listOffsets(Map.of(PARTITION, OffsetSpec.earliest()))
        .partitionResult(PARTITION)
        .get()
        .offset();
  }
}
