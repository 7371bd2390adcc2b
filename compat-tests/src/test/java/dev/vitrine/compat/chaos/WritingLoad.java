package dev.vitrine.compat.chaos;

import dev.vitrine.compat.Clients;
import dev.vitrine.compat.chaos.Event.Acknowledged;
import dev.vitrine.compat.chaos.Event.Failed;
import dev.vitrine.compat.chaos.Event.Sent;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/**
 * A stock idempotent producer with {@code acks=all} that sends numbered values, no two alike, at a
 * steady rate to all partitions in turn. Some carry padding, so that segments roll.
 *
 * <p>When the producer gives a record up, this takes a new one under a new name: no order is
 * promised between the two, and the old one promises nothing any more. It would go on with a new
 * epoch, and send again what it has on its way, which may have been written.
 */
public final class WritingLoad implements Load {
  private static final int LARGE = 8_000;
  private static final int ONE_IN_LARGE = 20;

  private final Recorder recorder;
  private final Clients clients;
  private final Topics topics;
  private final String name;
  private final Map<String, Object> config;
  private final int pauseMs;
  private final SplittableRandom random;
  private final Map<TopicPartition, Long> lastAcknowledged = new ConcurrentHashMap<>();
  private final AtomicInteger acknowledged = new AtomicInteger();
  private final LoadThread thread;
  private KafkaProducer<String, String> producer;

  /** One that is not to be used any more; set by its own thread. */
  private volatile KafkaProducer<String, String> broken;

  private int incarnation = -1;
  private int number;

  /**
   * @param config what differs from the client's defaults
   * @param perSecond how many records
   */
  public WritingLoad(
      Site site, String name, Map<String, Object> config, int perSecond, SplittableRandom random) {
    this.recorder = site.recorder();
    this.clients = site.clients();
    this.topics = site.topics();
    this.name = name;
    this.config = new HashMap<>(Map.of("acks", "all", "enable.idempotence", true));
    this.config.putAll(config);
    this.pauseMs = 1_000 / perSecond;
    this.random = random;
    this.thread = new LoadThread(name, this::step, this::closeProducer);
    thread.start();
  }

  private String client() {
    return name + "." + incarnation;
  }

  private void step() throws InterruptedException {
    if (producer == null || producer == broken) {
      closeProducer();
      incarnation++;
      producer = clients.producer(config);
    }
    List<TopicPartition> partitions = topics.partitions();
    TopicPartition partition = partitions.get(number % partitions.size());
    String value = client() + ":" + number++;
    long call = recorder.write(new Sent(client(), partition, value));
    KafkaProducer<String, String> own = producer;
    try {
      own.send(
          new ProducerRecord<>(
              partition.topic(), partition.partition(), null, name, value, padding()),
          (metadata, failure) -> {
            if (failure == null) {
              acknowledged(call, partition, metadata);
            } else {
              failed(call, own, failure);
            }
          });
    } catch (KafkaException | IllegalStateException e) { // closed, or beyond help
      failed(call, own, e);
    }
    Thread.sleep(random.nextInt(2 * pauseMs + 1));
  }

  private List<Header> padding() {
    return random.nextInt(ONE_IN_LARGE) == 0 ? padding(random, LARGE) : List.of();
  }

  /** Of chance, so that no compression makes it small. */
  static List<Header> padding(SplittableRandom random, int size) {
    byte[] bytes = new byte[size];
    random.nextBytes(bytes);
    return List.of(new RecordHeader("padding", bytes));
  }

  private void acknowledged(long call, TopicPartition partition, RecordMetadata metadata) {
    recorder.write(new Acknowledged(call, metadata.offset()));
    lastAcknowledged.put(partition, System.nanoTime());
    acknowledged.incrementAndGet();
  }

  /** On the producer's thread, before it does anything else. */
  private void failed(long call, KafkaProducer<String, String> own, Exception failure) {
    recorder.write(new Failed(call, false, failure.toString()));
    if (broken != own) {
      broken = own;
      own.close(Duration.ZERO);
    }
  }

  int countAcknowledged() {
    return acknowledged.get();
  }

  /** Whether each partition has acknowledged something since. */
  public boolean hasAcknowledged(long sinceNanos) {
    return topics.partitions().stream()
        .allMatch(
            partition -> {
              Long last = lastAcknowledged.get(partition);
              return last != null && last - sinceNanos > 0;
            });
  }

  private void closeProducer() {
    if (producer != null) {
      producer.close(Duration.ofSeconds(60)); // sends what it has
      producer = null;
    }
  }

  @Override
  public void close() {
    thread.end();
  }
}
