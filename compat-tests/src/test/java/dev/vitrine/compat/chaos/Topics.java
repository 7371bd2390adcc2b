package dev.vitrine.compat.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;

/** The partitions that are written to and read. The admin's thread adds some; all loads read it. */
public final class Topics {
  private final Map<String, Integer> counts = new TreeMap<>();
  private volatile List<TopicPartition> partitions = List.of();

  /** This topic has at least so many partitions now. */
  public synchronized void add(String topic, int count) {
    counts.merge(topic, count, Math::max);
    List<TopicPartition> all = new ArrayList<>();
    counts.forEach(
        (name, size) -> {
          for (int i = 0; i < size; i++) {
            all.add(new TopicPartition(name, i));
          }
        });
    partitions = List.copyOf(all);
  }

  synchronized List<String> names() {
    return List.copyOf(counts.keySet());
  }

  synchronized int count(String topic) {
    return counts.getOrDefault(topic, 0);
  }

  public List<TopicPartition> partitions() {
    return partitions;
  }
}
