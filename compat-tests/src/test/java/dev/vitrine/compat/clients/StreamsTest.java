package dev.vitrine.compat.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vitrine.compat.Await;
import dev.vitrine.compat.Clients;
import dev.vitrine.compat.ClusterUnderTest;
import dev.vitrine.compat.LocalCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Kafka Streams, at least once: an application that counts words. It makes its internal topics,
 * shares its tasks in a group of the classic protocol, deletes what it has read from its
 * repartition topic, and builds its state again from its changelog.
 */
@Tag("full")
class StreamsTest {
  private static final String APPLICATION = "word-count";
  private static final String IN = "words";
  private static final String OUT = "counts";
  private static final String CHANGELOG = APPLICATION + "-kept-changelog";
  private static final String REPARTITION = APPLICATION + "-kept-repartition";
  private static final int WORDS = 10;

  @Test
  void anApplicationMovesWithItsState() throws Exception {
    try (ClusterUnderTest cluster = LocalCluster.start("streams", 3, Map.of())) {
      Clients clients = new Clients(cluster.bootstrap());
      clients.createTopic(new NewTopic(IN, 4, (short) 3));
      clients.createTopic(new NewTopic(OUT, 1, (short) 3));
      List<KafkaStreams> instances = new ArrayList<>();
      try {
        instances.add(start(cluster, "one"));
        say(clients);
        awaitCounts(clients, 1);

        instances.add(start(cluster, "two"));
        say(clients);
        awaitCounts(clients, 2);

        // The other takes over what it had, and nothing is counted anew.
        instances.get(0).close(Duration.ofSeconds(30));
        say(clients);
        awaitCounts(clients, 3);
      } finally {
        instances.forEach(instance -> instance.close(Duration.ofSeconds(30)));
      }
      try (Admin admin = clients.admin()) {
        assertEquals("compact", policy(admin, CHANGELOG));
        assertEquals("delete", policy(admin, REPARTITION));
        assertEquals(4, Clients.partitions(admin, REPARTITION).size());
        Await.until("what was read of the repartition topic is gone", () -> isPurged(admin));
      }
    }
  }

  private static KafkaStreams start(ClusterUnderTest cluster, String name) throws Exception {
    Properties config = new Properties();
    config.put("application.id", APPLICATION);
    config.put("client.id", name);
    config.put("bootstrap.servers", cluster.bootstrap());
    config.put("state.dir", Path.of("target", "clients", "streams-" + name).toString());
    config.put("commit.interval.ms", "100");
    config.put("repartition.purge.interval.ms", "100");
    config.put("consumer.auto.offset.reset", "earliest");
    KafkaStreams streams = new KafkaStreams(topology(), config);
    streams.start();
    Await.until(name + " runs", () -> streams.state() == KafkaStreams.State.RUNNING);
    return streams;
  }

  private static Topology topology() {
    StreamsBuilder builder = new StreamsBuilder();
    builder.stream(IN, Consumed.with(Serdes.String(), Serdes.String()))
        .selectKey((number, word) -> word)
        .groupByKey(Grouped.with("kept", Serdes.String(), Serdes.String()))
        .count(
            Materialized.<String, Long>as(Stores.inMemoryKeyValueStore("kept"))
                .withKeySerde(Serdes.String())
                .withValueSerde(Serdes.Long())
                .withCachingDisabled())
        .toStream()
        .to(OUT, Produced.with(Serdes.String(), Serdes.Long()));
    return builder.build();
  }

  /** Every word once. */
  private static void say(Clients clients) {
    try (KafkaProducer<String, String> producer = clients.producer(Map.of())) {
      for (int i = 0; i < WORDS; i++) {
        producer.send(new ProducerRecord<>(IN, i % 4, String.valueOf(i), "word-" + i));
      }
    }
  }

  private static void awaitCounts(Clients clients, long count) throws Exception {
    Map<String, Long> wanted = new TreeMap<>();
    IntStream.range(0, WORDS).forEach(i -> wanted.put("word-" + i, count));
    Map<String, Long> last = new TreeMap<>();
    Map<String, Object> config =
        Map.of("bootstrap.servers", clients.bootstrap(), "auto.offset.reset", "earliest");
    try (KafkaConsumer<String, Long> consumer =
        new KafkaConsumer<>(config, new StringDeserializer(), new LongDeserializer())) {
      List<TopicPartition> partitions = List.of(new TopicPartition(OUT, 0));
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Await.until(
          "each word has been counted " + count + " times",
          () -> {
            for (ConsumerRecord<String, Long> record : consumer.poll(Duration.ofMillis(200))) {
              last.put(record.key(), record.value());
            }
            return last.equals(wanted);
          });
    }
  }

  private static String policy(Admin admin, String topic) throws Exception {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    return admin
        .describeConfigs(List.of(resource))
        .all()
        .get()
        .get(resource)
        .get("cleanup.policy")
        .value();
  }

  private static boolean isPurged(Admin admin) throws Exception {
    long purged = 0;
    for (int partition = 0; partition < 4; partition++) {
      TopicPartition of = new TopicPartition(REPARTITION, partition);
      purged +=
          admin.listOffsets(Map.of(of, OffsetSpec.earliest())).partitionResult(of).get().offset();
    }
    return purged > 0;
  }
}
