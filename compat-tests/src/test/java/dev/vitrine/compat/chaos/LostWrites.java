package dev.vitrine.compat.chaos;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/** A record that was acknowledged is nowhere in the log of its partition. */
final class LostWrites implements Check {
  @Override
  public String anomaly() {
    return "lost writes";
  }

  @Override
  public void search(RunHistory history, Consumer<String> found) {
    Map<TopicPartition, Set<String>> values = new HashMap<>();
    for (TopicPartition partition : history.partitions()) {
      values.put(partition, Set.copyOf(history.log(partition).values()));
    }
    for (RunHistory.Write write : history.acknowledged()) {
      Set<String> there = values.get(write.partition());
      if (there != null && !there.contains(write.value())) {
        found.accept(
            "%s was acknowledged at %s offset %d and is not in the log"
                .formatted(write.value(), write.partition(), write.offset()));
      }
    }
  }
}
