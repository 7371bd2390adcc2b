package dev.vitrine.protocol;

/** A partition by the name of its topic; prints as Kafka names its folder, {@code topic-0}. */
public record TopicPartition(String topic, int partition) implements Comparable<TopicPartition> {
  @Override
  public int compareTo(TopicPartition o) {
    int c = topic.compareTo(o.topic);
    return c != 0 ? c : Integer.compare(partition, o.partition);
  }

  @Override
  public String toString() {
    return topic + "-" + partition;
  }
}
