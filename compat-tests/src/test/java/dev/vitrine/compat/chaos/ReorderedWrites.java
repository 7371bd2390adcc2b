package dev.vitrine.compat.chaos;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/** Records of one producer are not in the order in which it sent them, within one partition. */
final class ReorderedWrites implements Check {
  @Override
  public String anomaly() {
    return "reordered writes";
  }

  @Override
  public void search(RunHistory history, Consumer<String> found) {
    for (TopicPartition partition : history.partitions()) {
      Map<String, RunHistory.Write> last = new HashMap<>();
      for (String value : history.log(partition).values()) {
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
    Map<List<Object>, RunHistory.Write> last = new HashMap<>();
    for (RunHistory.Write write : history.acknowledged()) {
      RunHistory.Write before = last.put(List.of(write.client(), write.partition()), write);
      if (before != null && before.offset() >= write.offset()) {
        found.accept(
            "%s was acknowledged at %s offset %d, and %s, sent later, at offset %d"
                .formatted(
                    before.value(),
                    write.partition(),
                    before.offset(),
                    write.value(),
                    write.offset()));
      }
    }
  }
}
