package dev.vitrine.compat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * A stock idempotent producer with {@code acks=all} that writes numbered records to each partition
 * in turn until it is ended, and remembers what was acknowledged. Its own thread sends; the
 * producer's thread takes down the acknowledgements.
 */
final class Writer implements AutoCloseable {
  private static final int PAUSE_MS = 2;

  /** An acknowledged record: {@code value} was said to be at {@code offset}. */
  record Acknowledged(TopicPartition partition, long offset, String value) {}

  private final String name;
  private final String topic;
  private final int partitions;
  private final KafkaProducer<String, String> producer;
  private final List<Acknowledged> acknowledged = Collections.synchronizedList(new ArrayList<>());
  private final List<String> failures = Collections.synchronizedList(new ArrayList<>());
  private final Map<Integer, Gap> gaps = new ConcurrentHashMap<>();
  private final Thread thread;
  private volatile boolean ended;

  /** The longest time between two acknowledgements of one partition. Of the producer's thread. */
  private static final class Gap {
    private long last;
    private long longest;

    void acknowledged(long now) {
      longest = last == 0 ? 0 : Math.max(longest, now - last);
      last = now;
    }
  }

  Writer(Clients clients, String name, String topic, int partitions, Map<String, Object> config) {
    this.name = name;
    this.topic = topic;
    this.partitions = partitions;
    Map<String, Object> all =
        new TreeMap<>(
            Map.of("acks", "all", "enable.idempotence", true, "delivery.timeout.ms", 300_000));
    all.putAll(config);
    this.producer = clients.producer(all);
    this.thread = new Thread(this::write, "writer " + name);
    thread.start();
  }

  private void write() {
    try {
      for (int i = 0; !ended; i++) {
        String value = name + ":" + i;
        ProducerRecord<String, String> record =
            new ProducerRecord<>(topic, i % partitions, name, value);
        producer.send(record, (metadata, failure) -> answered(value, metadata, failure));
        Thread.sleep(PAUSE_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (org.apache.kafka.common.errors.InterruptException e) {
      // Closed in the middle of a send.
    } catch (RuntimeException e) {
      failures.add(e.toString());
    }
  }

  private void answered(String value, RecordMetadata metadata, Exception failure) {
    if (failure != null) {
      failures.add(value + ": " + failure);
      return;
    }
    TopicPartition partition = new TopicPartition(topic, metadata.partition());
    acknowledged.add(new Acknowledged(partition, metadata.offset(), value));
    gaps.computeIfAbsent(metadata.partition(), p -> new Gap()).acknowledged(System.nanoTime());
  }

  /** Those of any writer have names that differ; the number is the order of sending. */
  static long number(String value) {
    return Long.parseLong(value.substring(value.indexOf(':') + 1));
  }

  int countAcknowledged() {
    return acknowledged.size();
  }

  /** Ends the sending and waits until everything that was sent has been answered. */
  void finish() {
    ended = true;
    Await.end(thread);
    producer.flush();
  }

  /** What was acknowledged so far, in the order of the answers. */
  List<Acknowledged> acknowledged() {
    synchronized (acknowledged) {
      return List.copyOf(acknowledged);
    }
  }

  List<String> failures() {
    synchronized (failures) {
      return List.copyOf(failures);
    }
  }

  long longestGapMs() {
    return gaps.values().stream().mapToLong(gap -> gap.longest).max().orElse(0) / 1_000_000;
  }

  @Override
  public void close() {
    ended = true;
    thread.interrupt();
    producer.close(Duration.ZERO);
    Await.end(thread);
  }
}
