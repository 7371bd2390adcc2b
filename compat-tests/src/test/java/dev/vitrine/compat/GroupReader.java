package dev.vitrine.compat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;

/**
 * A member of a consumer group, on its own thread, that takes down what it is given and commits it.
 * It may be given a record again after the group has moved a partition, but within one holding of a
 * partition only ever later ones.
 */
final class GroupReader implements AutoCloseable, ConsumerRebalanceListener {
  private final KafkaConsumer<String, String> consumer;
  private final Set<String> values;
  private final Map<TopicPartition, Long> lastOffsets = new HashMap<>();
  private final List<String> disorder = Collections.synchronizedList(new ArrayList<>());
  private final Thread thread;
  private volatile boolean ended;

  /**
   * @param values where all members of the group put what they are given; many threads write to it
   */
  GroupReader(Clients clients, String group, String topic, Set<String> values) {
    this.values = values;
    this.consumer = clients.consumer(Map.of("group.id", group, "enable.auto.commit", false));
    this.thread = new Thread(() -> read(topic), "reader");
    thread.start();
  }

  private void read(String topic) {
    try (consumer) {
      consumer.subscribe(List.of(topic), this);
      while (!ended) {
        boolean any = false;
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
          any = true;
          take(record);
        }
        if (any) {
          commit();
        }
      }
    } catch (RuntimeException e) {
      disorder.add("the reader failed: " + e);
    }
  }

  private void take(ConsumerRecord<String, String> record) {
    TopicPartition partition = new TopicPartition(record.topic(), record.partition());
    Long last = lastOffsets.put(partition, record.offset());
    if (last != null && record.offset() <= last) {
      disorder.add("%s: offset %d came after %d".formatted(partition, record.offset(), last));
    }
    values.add(record.value());
  }

  /** While the coordinator is away there is nothing to be done but to go on. */
  private void commit() {
    try {
      consumer.commitSync(Duration.ofSeconds(5));
    } catch (RetriableException | org.apache.kafka.clients.consumer.CommitFailedException e) {
      // The next commit covers this one.
    }
  }

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
    partitions.forEach(lastOffsets::remove);
  }

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
    partitions.forEach(lastOffsets::remove);
  }

  List<String> disorder() {
    synchronized (disorder) {
      return List.copyOf(disorder);
    }
  }

  @Override
  public void close() {
    ended = true;
    Await.end(thread);
  }
}
