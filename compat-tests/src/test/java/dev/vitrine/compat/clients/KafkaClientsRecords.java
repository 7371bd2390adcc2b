package dev.vitrine.compat.clients;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** The part of {@link KafkaClientsDriver} that writes and reads. */
final class KafkaClientsRecords {
  private static final boolean HEADERS =
      Reflected.exists("org.apache.kafka.common.header.internals.RecordHeader");

  /** How long it tries. Versions from before headers try in vain: no broker speaks to them. */
  private static final long LIMIT_MS = HEADERS ? 20_000 : 2_000;

  private final Map<String, Object> config;

  KafkaClientsRecords(Map<String, Object> config) {
    this.config = config;
  }

  List<String> produce(String topic, String codec, boolean idempotent, List<String> lines)
      throws Exception {
    Map<String, Object> all = new HashMap<>(config);
    all.put("compression.type", codec);
    // So that whoever reads afterwards finds it; before 3.0 it was not the default.
    all.put("acks", "all");
    all.put("linger.ms", idempotent ? 0 : 50);
    all.put("max.block.ms", LIMIT_MS);
    all.put("request.timeout.ms", 15_000);
    if (idempotent) {
      all.put("enable.idempotence", true);
      all.put("batch.size", 500);
      if (!Reflected.exists("org.apache.kafka.common.requests.InitProducerIdRequest")) {
        throw new ClassNotFoundException("it is from before idempotence");
      }
    }
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    try (KafkaProducer<String, String> producer = producer(all)) {
      for (String line : lines) {
        sent.add(producer.send(record(topic, line.split("\t"))));
      }
      for (Future<RecordMetadata> record : sent) {
        record.get();
      }
    }
    return List.of();
  }

  private static KafkaProducer<String, String> producer(Map<String, Object> all)
      throws ClassNotFoundException {
    try {
      return new KafkaProducer<>(all, new StringSerializer(), new StringSerializer());
    } catch (KafkaException e) {
      if (e.getCause() instanceof IllegalArgumentException) {
        throw new ClassNotFoundException("it has no such codec", e);
      }
      throw e;
    }
  }

  private static ProducerRecord<String, String> record(String topic, String[] parts) {
    String key = parts[0].equals("~") ? null : parts[0];
    String value = parts[1].equals("~") ? null : parts[1];
    long timestamp = Long.parseLong(parts[3]);
    if (!HEADERS) {
      return new ProducerRecord<>(topic, 0, timestamp, key, value);
    }
    List<Header> headers = new ArrayList<>();
    for (String header : parts[2].split(";")) {
      String[] pair = header.split("=", 2);
      headers.add(new RecordHeader(pair[0], pair[1].getBytes(StandardCharsets.UTF_8)));
    }
    return new ProducerRecord<>(topic, 0, timestamp, key, value, headers);
  }

  List<String> consume(String topic, int count) throws Exception {
    try (KafkaConsumer<String, String> consumer = consumer(Map.of())) {
      List<TopicPartition> partitions = List.of(new TopicPartition(topic, 0));
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      return poll(consumer, count).stream().map(KafkaClientsRecords::line).toList();
    }
  }

  /** Commits just what it gives back, whatever else has come. */
  List<String> consumeInGroup(String group, String topic, int count, String protocol)
      throws Exception {
    Map<String, Object> more = new HashMap<>(Map.of("group.id", group));
    if (!protocol.equals("classic")) {
      if (!Reflected.exists("org.apache.kafka.clients.consumer.GroupProtocol")) {
        throw new ClassNotFoundException("it is from before KIP-848");
      }
      more.put("group.protocol", protocol);
    }
    try (KafkaConsumer<String, String> consumer = consumer(more)) {
      consumer.subscribe(List.of(topic));
      List<ConsumerRecord<String, String>> records = poll(consumer, count);
      Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();
      for (ConsumerRecord<String, String> record : records) {
        next.put(
            new TopicPartition(topic, record.partition()),
            new OffsetAndMetadata(record.offset() + 1));
      }
      consumer.commitSync(next);
      return records.stream().map(ConsumerRecord::value).toList();
    }
  }

  private KafkaConsumer<String, String> consumer(Map<String, Object> more) {
    Map<String, Object> all = new HashMap<>(config);
    all.put("auto.offset.reset", "earliest");
    all.put("enable.auto.commit", false);
    all.putAll(more);
    return new KafkaConsumer<>(all, new StringDeserializer(), new StringDeserializer());
  }

  private static List<ConsumerRecord<String, String>> poll(
      KafkaConsumer<String, String> consumer, int count) throws Exception {
    List<ConsumerRecord<String, String>> records = new ArrayList<>();
    long deadline = System.nanoTime() + LIMIT_MS * 1_000_000;
    while (records.size() < count && System.nanoTime() < deadline) {
      poll(consumer).forEach(records::add);
    }
    if (records.isEmpty()) {
      throw new TimeoutException("no records");
    }
    return records.subList(0, Math.min(count, records.size()));
  }

  @SuppressWarnings("unchecked")
  private static ConsumerRecords<String, String> poll(KafkaConsumer<String, String> consumer)
      throws Exception {
    try {
      return (ConsumerRecords<String, String>)
          Reflected.call(consumer, "poll", Duration.class, Duration.ofMillis(200));
    } catch (NoSuchMethodException e) {
      return (ConsumerRecords<String, String>) Reflected.call(consumer, "poll", long.class, 200L);
    }
  }

  private static String line(ConsumerRecord<String, String> record) {
    StringBuilder headers = new StringBuilder();
    if (HEADERS) {
      for (Header header : record.headers()) {
        headers.append(headers.length() == 0 ? "" : ";").append(header.key()).append('=');
        headers.append(new String(header.value(), StandardCharsets.UTF_8));
      }
    }
    return String.join(
        "\t",
        record.key() == null ? "~" : record.key(),
        record.value() == null ? "~" : record.value(),
        headers,
        String.valueOf(record.timestamp()));
  }

  List<String> offsets(String topic) {
    try (KafkaConsumer<String, String> consumer = consumer(Map.of())) {
      TopicPartition partition = new TopicPartition(topic, 0);
      List<TopicPartition> partitions = List.of(partition);
      return List.of(
          consumer.beginningOffsets(partitions).get(partition)
              + " "
              + consumer.endOffsets(partitions).get(partition));
    }
  }

  List<String> offsetByTime(String topic, long timestamp) {
    try (KafkaConsumer<String, String> consumer = consumer(Map.of())) {
      TopicPartition partition = new TopicPartition(topic, 0);
      Map<TopicPartition, OffsetAndTimestamp> found =
          consumer.offsetsForTimes(Map.of(partition, timestamp));
      return List.of(String.valueOf(found.get(partition).offset()));
    }
  }
}
