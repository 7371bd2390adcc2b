package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.Acknowledged;
import dev.vitrine.compat.chaos.Event.Failed;
import dev.vitrine.compat.chaos.Event.Sent;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;

/**
 * A producer whose records are larger than the topics allow: each must be refused, and nobody may
 * ever read it. On its own, and not idempotent, because a stock idempotent producer loses its
 * sequence numbers in other partitions over a refusal.
 */
final class RefusedLoad implements Load {
  private static final String NAME = "refused";
  private static final int TOO_LARGE = 150_000;

  /** What the topics must have as {@code max.message.bytes}. */
  static final int LARGEST = 100_000;

  private final Site site;
  private final SplittableRandom random;
  private final KafkaProducer<String, String> producer;
  private final LoadThread thread;
  private int number;

  RefusedLoad(Site site, SplittableRandom random) {
    this.site = site;
    this.random = random;
    this.producer =
        site.clients().producer(Map.of("enable.idempotence", false, "delivery.timeout.ms", 40_000));
    this.thread = new LoadThread(NAME, this::step, producer::close);
    thread.start();
  }

  private void step() throws InterruptedException {
    for (int i = random.nextInt(10, 40); i > 0 && !thread.isEnded(); i--) {
      Thread.sleep(100);
    }
    List<TopicPartition> partitions = site.topics().partitions();
    TopicPartition partition = partitions.get(random.nextInt(partitions.size()));
    String value = NAME + ":" + number++;
    long call = site.recorder().write(new Sent(NAME, partition, value));
    try {
      RecordMetadata metadata =
          producer
              .send(
                  new ProducerRecord<>(
                      partition.topic(),
                      partition.partition(),
                      null,
                      NAME,
                      value,
                      WritingLoad.padding(random, TOO_LARGE)))
              .get();
      site.recorder().write(new Acknowledged(call, metadata.offset()));
    } catch (ExecutionException e) {
      boolean certain = e.getCause() instanceof RecordTooLargeException;
      site.recorder().write(new Failed(call, certain, String.valueOf(e.getCause())));
    }
  }

  @Override
  public void close() {
    thread.end();
  }
}
