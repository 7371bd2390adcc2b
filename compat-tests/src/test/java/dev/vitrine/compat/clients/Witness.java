package dev.vitrine.compat.clients;

import dev.vitrine.compat.Await;
import dev.vitrine.compat.Clients;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.header.Header;

/**
 * The newest stock client, in the tests' own class path: it prepares what the others find, and
 * looks at what they leave. Used by several threads.
 */
final class Witness implements AutoCloseable {
  static final String FOR_GROUPS = "for-groups";
  static final String CLIENT_ID = "witness";
  private final Clients clients;
  private final Admin admin;

  Witness(String bootstrap) {
    this.clients = new Clients(bootstrap);
    this.admin = clients.admin();
  }

  /** The topic with the samples in this codec. */
  static String given(String codec) {
    return "given-" + codec;
  }

  /** What all clients find. */
  void prepare() throws Exception {
    for (String codec : Steps.CODECS) {
      clients.createTopic(forSamples(given(codec)));
      write(given(codec), codec, 0, Sample.of(codec));
    }
    clients.createTopic(new NewTopic(FOR_GROUPS, 2, (short) 3));
    try (KafkaProducer<String, String> producer = clients.producer(Map.of())) {
      for (int i = 0; i < 2 * Steps.GROUP_RECORDS; i++) {
        producer.send(new ProducerRecord<>(FOR_GROUPS, i % 2, null, "value-" + i));
      }
    }
  }

  /** Topics that a client is to write to: it needs not be able to make them. */
  void prepareFor(String name) throws Exception {
    List<String> purposes = new ArrayList<>(Steps.CODECS);
    purposes.add("idempotent");
    purposes.add("shortened");
    for (String purpose : purposes) {
      clients.createTopic(forSamples(name + "-" + purpose));
    }
    write(name + "-shortened", "none", 0, Sample.of("shortened"));
  }

  /** Samples are old: they must not be deleted for that. */
  private static NewTopic forSamples(String topic) {
    return new NewTopic(topic, 1, (short) 3).configs(Map.of("retention.ms", "-1"));
  }

  private void write(String topic, String codec, int partition, List<Sample> samples) {
    Map<String, Object> config = Map.of("compression.type", codec, "linger.ms", 50);
    try (KafkaProducer<String, String> producer = clients.producer(config)) {
      for (Sample sample : samples) {
        ProducerRecord<String, String> record =
            new ProducerRecord<>(
                topic, partition, sample.timestamp(), sample.key(), sample.value());
        record
            .headers()
            .add("n", String.valueOf(sample.number()).getBytes(StandardCharsets.UTF_8))
            .add("e", new byte[0]);
        producer.send(record);
      }
    }
  }

  /** All records of a topic, in the form of {@link Sample#line}. */
  List<String> read(String topic) throws Exception {
    return clients.readAll(topic).stream().map(Witness::line).toList();
  }

  private static String line(ConsumerRecord<String, String> record) {
    List<String> headers = new ArrayList<>();
    for (Header header : record.headers()) {
      headers.add(header.key() + "=" + new String(header.value(), StandardCharsets.UTF_8));
    }
    return String.join(
        "\t",
        record.key() == null ? Sample.NONE : record.key(),
        record.value() == null ? Sample.NONE : record.value(),
        String.join(";", headers),
        String.valueOf(record.timestamp()));
  }

  void ensureTopic(String topic) throws Exception {
    if (!admin.listTopics().names().get().contains(topic)) {
      NewTopic missing = new NewTopic(topic, 2, (short) 3);
      clients.createTopic(missing.configs(Map.of("retention.ms", "123456789")));
    }
  }

  void awaitTopic(String topic, int partitions) throws Exception {
    Await.until(
        topic + " has " + partitions + " partitions",
        () -> Clients.partitions(admin, topic).size() == partitions);
  }

  void awaitNoTopic(String topic) throws Exception {
    Await.until(topic + " is gone", () -> !admin.listTopics().names().get().contains(topic));
  }

  String config(String topic, String key) throws Exception {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    return admin.describeConfigs(List.of(resource)).all().get().get(resource).get(key).value();
  }

  long firstOffset(String topic) throws Exception {
    TopicPartition partition = new TopicPartition(topic, 0);
    return admin
        .listOffsets(Map.of(partition, OffsetSpec.earliest()))
        .partitionResult(partition)
        .get()
        .offset();
  }

  /** The sum of what the group has committed in {@link #FOR_GROUPS}. */
  long committed(String group) throws Exception {
    return admin
        .listConsumerGroupOffsets(group)
        .partitionsToOffsetAndMetadata()
        .get()
        .values()
        .stream()
        .mapToLong(OffsetAndMetadata::offset)
        .sum();
  }

  /** Commits the ends of {@link #FOR_GROUPS}, if the group's own client could not. */
  void ensureCommitted(String group) throws Exception {
    if (committed(group) == 0) {
      Map<TopicPartition, OffsetAndMetadata> ends = new HashMap<>();
      for (int partition = 0; partition < 2; partition++) {
        ends.put(
            new TopicPartition(FOR_GROUPS, partition), new OffsetAndMetadata(Steps.GROUP_RECORDS));
      }
      admin.alterConsumerGroupOffsets(group, ends).all().get();
    }
  }

  List<String> groups() throws Exception {
    return admin.listGroups().all().get().stream().map(GroupListing::groupId).toList();
  }

  String groupType(String group) throws Exception {
    return admin.listGroups().all().get().stream()
        .filter(listing -> listing.groupId().equals(group))
        .map(listing -> listing.type().orElseThrow().toString())
        .findFirst()
        .orElse("none");
  }

  /** Joins as the one member of a group, until it is closed. */
  AutoCloseable member(String group) throws Exception {
    Map<String, Object> config = Map.of("group.id", group, "client.id", CLIENT_ID);
    KafkaConsumer<String, String> member = clients.consumer(config);
    member.subscribe(List.of(FOR_GROUPS));
    Await.until(
        "the witness is a member",
        () -> {
          member.poll(Duration.ofMillis(100));
          return member.assignment().size() == 2;
        });
    return member;
  }

  @Override
  public void close() {
    admin.close();
  }
}
