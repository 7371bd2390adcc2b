package dev.vitrine.broker.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.vitrine.broker.OneNode;
import dev.vitrine.broker.api.Wire.Topic;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Apache Kafka's own clients, as everybody uses them. */
class StockClientsTest {
  private static OneNode node;
  private static Wire wire;

  @BeforeAll
  static void start() {
    node = OneNode.start();
    wire = new Wire(node);
  }

  @AfterAll
  static void stop() throws IOException {
    wire.close();
    node.close();
  }

  private static KafkaProducer<String, String> producer(String... more) {
    Map<String, Object> config = new java.util.HashMap<>();
    config.put("bootstrap.servers", node.bootstrap());
    config.put("key.serializer", StringSerializer.class);
    config.put("value.serializer", StringSerializer.class);
    for (int i = 0; i < more.length; i += 2) {
      config.put(more[i], more[i + 1]);
    }
    return new KafkaProducer<>(config);
  }

  private static KafkaConsumer<String, String> consumer(TopicPartition... partitions) {
    KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers",
                node.bootstrap(),
                "key.deserializer",
                StringDeserializer.class,
                "value.deserializer",
                StringDeserializer.class,
                "auto.offset.reset",
                "earliest"));
    consumer.assign(List.of(partitions));
    return consumer;
  }

  private static List<String> read(KafkaConsumer<String, String> consumer, int count) {
    List<String> values = new ArrayList<>();
    while (values.size() < count) {
      consumer.poll(Duration.ofSeconds(1)).forEach(r -> values.add(r.value()));
    }
    return values;
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
  void recordsComeBackInOrderWithEachCodec(String codec) throws Exception {
    Topic t = wire.newTopic(1);
    List<String> sent = new ArrayList<>();
    try (KafkaProducer<String, String> producer = producer("compression.type", codec)) {
      List<Future<RecordMetadata>> acks = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        String value = "value of some length that repeats " + i;
        sent.add(value);
        acks.add(producer.send(new ProducerRecord<>(t.name(), "k" + i, value)));
      }
      producer.flush();
      for (int i = 0; i < acks.size(); i++) {
        assertEquals(i, acks.get(i).get().offset());
      }
    }
    try (KafkaConsumer<String, String> consumer = consumer(new TopicPartition(t.name(), 0))) {
      assertEquals(sent, read(consumer, sent.size()));
      consumer.seek(new TopicPartition(t.name(), 0), 250);
      assertEquals(sent.subList(250, 500), read(consumer, 250));
    }
  }

  @Test
  void offsetsByTimeAndAtTheEnds() {
    Topic t = wire.newTopic(1);
    TopicPartition p = new TopicPartition(t.name(), 0);
    wire.produce(t, 0, Requests.batch(1_000, "a", "b", "c"));
    wire.produce(t, 0, Requests.batch(2_000, "d"));
    try (KafkaConsumer<String, String> consumer = consumer(p)) {
      assertEquals(0L, consumer.beginningOffsets(List.of(p)).get(p));
      assertEquals(4L, consumer.endOffsets(List.of(p)).get(p));
      OffsetAndTimestamp found = consumer.offsetsForTimes(Map.of(p, 1_001L)).get(p);
      assertEquals(1, found.offset());
      assertEquals(1_001, found.timestamp());
      assertEquals(null, consumer.offsetsForTimes(Map.of(p, 3_000L)).get(p));
    }
  }

  @Test
  void missingTopicIsMadeWhenProducedTo() throws Exception {
    String name = "made-" + java.util.UUID.randomUUID();
    try (KafkaProducer<String, String> producer = producer()) {
      assertEquals(0, producer.send(new ProducerRecord<>(name, "a")).get().offset());
    }
  }

  @Test
  void adminSeesClusterTopicsAndQuorum() throws Exception {
    Topic t = wire.newTopic(3);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", node.bootstrap()))) {
      assertEquals(1, admin.describeCluster().nodes().get().size());
      assertFalse(admin.describeCluster().clusterId().get().isEmpty());
      TopicDescription d =
          admin.describeTopics(List.of(t.name())).allTopicNames().get().get(t.name());
      assertEquals(3, d.partitions().size());
      assertEquals(t.id(), d.topicId());
      assertEquals(1, d.partitions().get(2).leader().id());
      assertEquals(1, admin.describeMetadataQuorum().quorumInfo().get().leaderId());
      assertTrue(admin.listTopics().names().get().contains(t.name()));
    }
  }

  @Test
  void transactionsAreRefusedAtOnce() {
    assumeTrue(node.isVitrine());
    try (KafkaProducer<String, String> producer = producer("transactional.id", "tx")) {
      KafkaException refused = assertThrows(KafkaException.class, producer::initTransactions);
      assertInstanceOf(
          org.apache.kafka.common.errors.TransactionalIdAuthorizationException.class, refused);
    }
  }

  @Test
  void recordBeyondTheTopicsLimitFails() {
    Topic t = wire.newTopic(1, "max.message.bytes", "1000");
    try (KafkaProducer<String, String> producer = producer()) {
      ExecutionException failed =
          assertThrows(
              ExecutionException.class,
              () -> producer.send(new ProducerRecord<>(t.name(), "x".repeat(5_000))).get());
      assertInstanceOf(
          org.apache.kafka.common.errors.RecordTooLargeException.class, failed.getCause());
    }
  }
}
