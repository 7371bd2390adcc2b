package dev.vitrine.compat.chaos;

import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Records of one producer are not in the order in which it sent them, within one partition, but for
 * {@link Overtaking}.
 */
final class ReorderedWrites implements Check {
  @Override
  public String anomaly() {
    return "reordered writes";
  }

  @Override
  public void search(RunHistory history, Consumer<String> found) {
    Map<TopicPartition, NavigableMap<Long, String>> logs = new HashMap<>();
    for (RunHistory.Write write : history.acknowledged()) {
      logs.computeIfAbsent(write.partition(), partition -> new TreeMap<>())
          .put(write.offset(), write.value());
    }
    // Where it is known, all that was written says more than what was acknowledged.
    history.partitions().forEach(partition -> logs.put(partition, history.log(partition)));
    logs.forEach((partition, log) -> search(history, partition, log, found));
  }

  private static void search(
      RunHistory history,
      TopicPartition partition,
      NavigableMap<Long, String> log,
      Consumer<String> found) {
    Map<String, RunHistory.Write> last = new HashMap<>();
    for (String value : Overtaking.without(history, log).values()) {
      RunHistory.Write write = history.written(value);
      if (write == null) {
        continue; // another check's anomaly
      }
      RunHistory.Write before = last.put(write.client(), write);
      if (before != null && before.call() > write.call()) {
        found.accept(
            "%s comes after %s in %s and was sent before it"
                .formatted(value, before.value(), partition));
      }
    }
  }
}
