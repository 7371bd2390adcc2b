package dev.vitrine.compat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Stock clients of one cluster, with their defaults but for what a test says. */
public record Clients(String bootstrap) {
  private static final Duration POLL = Duration.ofMillis(200);

  public Admin admin() {
    return admin(Map.of());
  }

  public Admin admin(Map<String, Object> config) {
    Map<String, Object> all = new HashMap<>(Map.of("bootstrap.servers", bootstrap));
    all.putAll(config);
    return Admin.create(all);
  }

  public KafkaProducer<String, String> producer(Map<String, Object> config) {
    Map<String, Object> all = new HashMap<>(Map.of("bootstrap.servers", bootstrap));
    all.putAll(config);
    return new KafkaProducer<>(all, new StringSerializer(), new StringSerializer());
  }

  public KafkaConsumer<String, String> consumer(Map<String, Object> config) {
    Map<String, Object> all =
        new HashMap<>(Map.of("bootstrap.servers", bootstrap, "auto.offset.reset", "earliest"));
    all.putAll(config);
    return new KafkaConsumer<>(all, new StringDeserializer(), new StringDeserializer());
  }

  /** Makes a topic and waits until every partition has a leader that clients can find. */
  public void createTopic(NewTopic topic) throws Exception {
    try (Admin admin = admin()) {
      admin.createTopics(List.of(topic)).all().get();
      Await.until(
          "partitions of " + topic.name() + " have leaders",
          () -> partitions(admin, topic.name()).stream().noneMatch(p -> isNone(p.leader())));
    }
  }

  private static boolean isNone(Node node) {
    return node == null || node.isEmpty();
  }

  /** Empty while the topic isn't known to the node that was asked. */
  public static List<TopicPartitionInfo> partitions(Admin admin, String topic) throws Exception {
    try {
      return admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic).partitions();
    } catch (ExecutionException e) {
      return List.of();
    }
  }

  /** The partition's leader, if it has one and a node could be asked. */
  public static Optional<Integer> leader(Admin admin, TopicPartition partition) throws Exception {
    return partitions(admin, partition.topic()).stream()
        .filter(info -> info.partition() == partition.partition())
        .map(TopicPartitionInfo::leader)
        .filter(leader -> !isNone(leader))
        .map(Node::id)
        .findFirst();
  }

  public static int awaitLeader(Admin admin, TopicPartition partition) throws Exception {
    Await.until(partition + " has a leader", () -> leader(admin, partition).isPresent());
    return leader(admin, partition).orElseThrow();
  }

  public static void awaitInSync(Admin admin, String topic, int replicas) throws Exception {
    Await.until(
        "all partitions of " + topic + " have " + replicas + " replicas in sync",
        () -> {
          List<TopicPartitionInfo> partitions = partitions(admin, topic);
          return !partitions.isEmpty()
              && partitions.stream().allMatch(info -> info.isr().size() == replicas);
        });
  }

  /** The whole log of a topic as it is now: what a reader sees that asks for no commit. */
  public List<ConsumerRecord<String, String>> readAll(String topic) throws Exception {
    try (KafkaConsumer<String, String> consumer =
        consumer(Map.of("isolation.level", "read_uncommitted"))) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(info -> new TopicPartition(topic, info.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      List<ConsumerRecord<String, String>> records = new ArrayList<>();
      Await.until(
          "all of " + topic + " is read",
          () -> {
            consumer.poll(POLL).forEach(records::add);
            return partitions.stream().allMatch(p -> consumer.position(p) >= ends.get(p));
          });
      return records;
    }
  }

  /** Polls until so many records have come. */
  static List<ConsumerRecord<String, String>> poll(
      KafkaConsumer<String, String> consumer, int count) throws Exception {
    List<ConsumerRecord<String, String>> records = new ArrayList<>();
    Await.until(
        count + " records come",
        () -> {
          consumer.poll(POLL).forEach(records::add);
          return records.size() >= count;
        });
    return records;
  }
}
