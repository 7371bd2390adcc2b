package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a user does on the first day, with stock clients, on three nodes. */
@Tag("smoke")
class ClientsSmokeTest {
  private static ClusterUnderTest cluster;
  private static Clients clients;

  @BeforeAll
  static void start() throws Exception {
    cluster = LocalCluster.start("clients", 3, Map.of());
    clients = new Clients(cluster.bootstrap());
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void topicsComeAndGo() throws Exception {
    NewTopic topic = new NewTopic("comes-and-goes", 3, (short) 3);
    topic.configs(Map.of("retention.ms", "123456789"));
    clients.createTopic(topic);
    try (Admin admin = clients.admin()) {
      Clients.awaitInSync(admin, topic.name(), 3);
      List<TopicPartitionInfo> partitions = Clients.partitions(admin, topic.name());
      assertEquals(
          List.of(0, 1, 2), partitions.stream().map(TopicPartitionInfo::partition).toList());
      for (TopicPartitionInfo partition : partitions) {
        assertEquals(3, partition.replicas().size());
        assertEquals(partition.replicas().get(0), partition.leader());
      }
      assertTrue(admin.listTopics().names().get().contains(topic.name()));
      assertFailsWith(
          TopicExistsException.class, () -> admin.createTopics(List.of(topic)).all().get());

      admin.createPartitions(Map.of(topic.name(), NewPartitions.increaseTo(5))).all().get();
      Await.until(
          "five partitions are seen", () -> Clients.partitions(admin, topic.name()).size() == 5);

      admin.deleteTopics(List.of(topic.name())).all().get();
      Await.until("it is gone", () -> !admin.listTopics().names().get().contains(topic.name()));
      assertFailsWith(
          UnknownTopicOrPartitionException.class,
          () -> admin.describeTopics(List.of(topic.name())).allTopicNames().get());
      assertFailsWith(
          InvalidTopicException.class,
          () -> admin.createTopics(List.of(new NewTopic("a b", 1, (short) 1))).all().get());
    }
    clients.createTopic(topic);
    try (KafkaProducer<String, String> producer = clients.producer(Map.of())) {
      assertEquals(
          0, producer.send(new ProducerRecord<>(topic.name(), 0, "k", "v")).get().offset());
    }
  }

  @Test
  void configurationIsDescribed() throws Exception {
    NewTopic topic = new NewTopic("described", 1, (short) 3);
    topic.configs(Map.of("max.message.bytes", "123456"));
    clients.createTopic(topic);
    try (Admin admin = clients.admin()) {
      ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic.name());
      Config config = admin.describeConfigs(List.of(resource)).all().get().get(resource);
      ConfigEntry entry = config.get("max.message.bytes");
      assertEquals("123456", entry.value());
      assertEquals(ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG, entry.source());
      assertEquals("2", config.get("min.insync.replicas").value());
      assertEquals(ConfigEntry.ConfigSource.DEFAULT_CONFIG, config.get("retention.bytes").source());
      ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, "1");
      assertEquals(
          "1",
          admin.describeConfigs(List.of(broker)).all().get().get(broker).get("node.id").value());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
  void everyCodecComesBack(String codec) throws Exception {
    String topic = "codec-" + codec;
    clients.createTopic(new NewTopic(topic, 1, (short) 3));
    try (KafkaProducer<String, String> producer =
        clients.producer(Map.of("compression.type", codec, "linger.ms", 50))) {
      for (int i = 0; i < 200; i++) {
        ProducerRecord<String, String> record =
            new ProducerRecord<>(
                topic, 0, 1_700_000_000_000L + i, i % 7 == 0 ? null : "k" + i, value(i));
        record.headers().add("h", new byte[] {(byte) i});
        producer.send(record);
      }
    }
    List<ConsumerRecord<String, String>> records = clients.readAll(topic);
    assertEquals(200, records.size());
    for (int i = 0; i < 200; i++) {
      ConsumerRecord<String, String> record = records.get(i);
      assertEquals(i, record.offset());
      assertEquals(1_700_000_000_000L + i, record.timestamp());
      assertEquals(i % 7 == 0 ? null : "k" + i, record.key());
      assertEquals(value(i), record.value());
      assertArrayEquals(new byte[] {(byte) i}, record.headers().lastHeader("h").value());
    }
  }

  /** No value (a tombstone), or one that a codec finds something to do in. */
  private static String value(int i) {
    return i % 11 == 0 ? null : ("value " + i + " ").repeat(i % 20);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "1", "all"})
  void everyKindOfAcknowledgementWrites(String acks) throws Exception {
    String topic = "acks-" + acks;
    clients.createTopic(new NewTopic(topic, 1, (short) 3));
    try (KafkaProducer<String, String> producer =
        clients.producer(Map.of("acks", acks, "enable.idempotence", acks.equals("all")))) {
      for (int i = 0; i < 50; i++) {
        RecordMetadata written =
            producer.send(new ProducerRecord<>(topic, 0, null, String.valueOf(i))).get();
        assertEquals(acks.equals("0") ? -1 : i, written.offset());
      }
    }
    Await.until("all are there", () -> clients.readAll(topic).size() == 50);
    assertEquals(
        IntStream.range(0, 50).mapToObj(String::valueOf).toList(),
        clients.readAll(topic).stream().map(ConsumerRecord::value).toList());
  }

  @Test
  void aGroupGoesOnFromItsCommit() throws Exception {
    String topic = "committed";
    clients.createTopic(new NewTopic(topic, 1, (short) 3));
    produce(topic, 1, 100);
    Map<String, Object> config =
        Map.of("group.id", "goes-on", "enable.auto.commit", false, "max.poll.records", 30);
    try (KafkaConsumer<String, String> first = clients.consumer(config)) {
      first.subscribe(List.of(topic));
      assertEquals("0", Clients.poll(first, 30).get(0).value());
      first.commitSync(
          Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(30, "as far as this")));
    }
    try (KafkaConsumer<String, String> second = clients.consumer(config)) {
      second.subscribe(List.of(topic));
      List<ConsumerRecord<String, String>> rest = Clients.poll(second, 70);
      assertEquals(70, rest.size());
      assertEquals("30", rest.get(0).value());
    }
    try (Admin admin = clients.admin()) {
      OffsetAndMetadata committed =
          admin
              .listConsumerGroupOffsets("goes-on")
              .partitionsToOffsetAndMetadata()
              .get()
              .get(new TopicPartition(topic, 0));
      assertEquals(30, committed.offset());
      assertEquals("as far as this", committed.metadata());
    }
  }

  @Test
  void twoMembersShareTheWork() throws Exception {
    String topic = "shared";
    clients.createTopic(new NewTopic(topic, 4, (short) 3));
    Map<String, Object> config = Map.of("group.id", "sharing");
    try (KafkaConsumer<String, String> one = clients.consumer(config);
        KafkaConsumer<String, String> other = clients.consumer(config)) {
      one.subscribe(List.of(topic));
      other.subscribe(List.of(topic));
      Set<String> values = new HashSet<>();
      Await.until(
          "each has two partitions",
          () -> {
            one.poll(Duration.ofMillis(100));
            other.poll(Duration.ofMillis(100));
            return one.assignment().size() == 2 && other.assignment().size() == 2;
          });
      produce(topic, 4, 100);
      Await.until(
          "all records have come to one of them",
          () -> {
            one.poll(Duration.ofMillis(100)).forEach(record -> values.add(record.value()));
            other.poll(Duration.ofMillis(100)).forEach(record -> values.add(record.value()));
            return values.size() == 100;
          });
    }
  }

  @Test
  void offsetsAreFoundByTime() throws Exception {
    String topic = "timed";
    TopicPartition partition = new TopicPartition(topic, 0);
    clients.createTopic(new NewTopic(topic, 1, (short) 3));
    try (KafkaProducer<String, String> producer = clients.producer(Map.of("linger.ms", 20))) {
      for (int i = 0; i < 100; i++) {
        producer.send(new ProducerRecord<>(topic, 0, 1_000_000L + 10 * i, null, "v" + i));
      }
    }
    try (KafkaConsumer<String, String> consumer = clients.consumer(Map.of());
        Admin admin = clients.admin()) {
      assertEquals(Map.of(partition, 0L), consumer.beginningOffsets(List.of(partition)));
      assertEquals(Map.of(partition, 100L), consumer.endOffsets(List.of(partition)));
      // In the middle of a batch, and between two records.
      OffsetAndTimestamp found =
          consumer.offsetsForTimes(Map.of(partition, 1_000_535L)).get(partition);
      assertEquals(54, found.offset());
      assertEquals(1_000_540, found.timestamp());
      assertEquals(0, consumer.offsetsForTimes(Map.of(partition, 0L)).get(partition).offset());
      assertNull(consumer.offsetsForTimes(Map.of(partition, 2_000_000L)).get(partition));
      assertEquals(
          99,
          admin
              .listOffsets(Map.of(partition, OffsetSpec.maxTimestamp()))
              .partitionResult(partition)
              .get()
              .offset());
    }
  }

  @Test
  void anIdempotentProducerKeepsItsOrder() throws Exception {
    String topic = "idempotent";
    clients.createTopic(new NewTopic(topic, 1, (short) 3));
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    try (KafkaProducer<String, String> producer =
        clients.producer(Map.of("enable.idempotence", true, "batch.size", 200, "linger.ms", 0))) {
      for (int i = 0; i < 2_000; i++) {
        sent.add(producer.send(new ProducerRecord<>(topic, 0, null, String.valueOf(i))));
      }
    }
    for (int i = 0; i < sent.size(); i++) {
      assertEquals(i, sent.get(i).get().offset());
    }
    assertEquals(
        IntStream.range(0, 2_000).mapToObj(String::valueOf).toList(),
        clients.readAll(topic).stream().map(ConsumerRecord::value).toList());
  }

  @Test
  void bigRecordsPassAndTooBigOnesDoNot() throws Exception {
    String topic = "big";
    clients.createTopic(new NewTopic(topic, 1, (short) 3));
    String big = "b".repeat(1_000_000);
    try (KafkaProducer<String, String> producer =
        clients.producer(Map.of("max.request.size", 10_000_000, "buffer.memory", 64_000_000))) {
      for (int i = 0; i < 5; i++) {
        producer.send(new ProducerRecord<>(topic, big));
      }
      Future<RecordMetadata> tooBig =
          producer.send(new ProducerRecord<>(topic, "x".repeat(1_100_000)));
      assertFailsWith(RecordTooLargeException.class, tooBig::get);
      assertEquals(5, producer.send(new ProducerRecord<>(topic, "small")).get().offset());
    }
    // A record larger than what the consumer asks for comes all the same, alone.
    Map<String, Object> small =
        Map.of("max.partition.fetch.bytes", 1_000, "fetch.max.bytes", 1_000, "group.id", "big");
    try (KafkaConsumer<String, String> consumer = clients.consumer(small)) {
      consumer.subscribe(List.of(topic));
      List<ConsumerRecord<String, String>> records = Clients.poll(consumer, 6);
      assertEquals(Optional.of(big), Optional.ofNullable(records.get(4).value()));
      assertEquals("small", records.get(5).value());
    }
  }

  @Test
  void aTopicIsMadeByItsFirstUse() throws Exception {
    String topic = "made-by-use";
    try (KafkaProducer<String, String> producer = clients.producer(Map.of());
        Admin admin = clients.admin()) {
      assertEquals(0, producer.send(new ProducerRecord<>(topic, "v")).get().offset());
      assertEquals(3, Clients.partitions(admin, topic).get(0).replicas().size());
    }
    assertEquals("v", clients.readAll(topic).get(0).value());
  }

  private static void produce(String topic, int partitions, int count) {
    try (KafkaProducer<String, String> producer = clients.producer(Map.of())) {
      for (int i = 0; i < count; i++) {
        producer.send(new ProducerRecord<>(topic, i % partitions, null, String.valueOf(i)));
      }
    }
  }

  private static void assertFailsWith(
      Class<? extends Exception> cause, org.junit.jupiter.api.function.Executable action) {
    ExecutionException failure = assertThrows(ExecutionException.class, action);
    assertInstanceOf(cause, failure.getCause());
  }
}
