package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.Item;
import dev.vitrine.compat.chaos.Event.Polled;
import dev.vitrine.compat.chaos.Event.Positioned;
import dev.vitrine.compat.chaos.Event.ReaderThrown;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;

/** Polls and writes down what comes. Of the reader's thread. */
final class Polls {
  private final Recorder recorder;
  private final String client;
  private final Map<TopicPartition, Long> next = new ConcurrentHashMap<>();

  Polls(Recorder recorder, String client) {
    this.recorder = recorder;
    this.client = client;
  }

  /**
   * One poll. If the reader is told that its place is gone, it goes to where the log begins.
   *
   * @return how many records came
   */
  int poll(KafkaConsumer<String, String> consumer, Duration time) {
    ConsumerRecords<String, String> records;
    try {
      records = consumer.poll(time);
    } catch (OffsetOutOfRangeException e) { // also LogTruncationException, of KIP-320
      for (TopicPartition partition : e.partitions()) {
        recorder.write(new ReaderThrown(client, partition, e.toString()));
        recorder.write(new Positioned(client, partition, 0, "thrown"));
        consumer.seek(partition, 0);
        next.put(partition, 0L);
      }
      return 0;
    }
    for (TopicPartition partition : records.partitions()) {
      List<Item> items = items(records, partition);
      recorder.write(new Polled(client, partition, items));
      next.put(partition, items.get(items.size() - 1).offset() + 1);
    }
    return records.count();
  }

  /** The offset behind what came last; any thread may ask. */
  long next(TopicPartition partition) {
    return next.getOrDefault(partition, 0L);
  }

  static List<Item> items(ConsumerRecords<String, String> records, TopicPartition partition) {
    return records.records(partition).stream()
        .map(record -> new Item(record.offset(), record.value()))
        .toList();
  }
}
