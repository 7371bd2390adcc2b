package dev.vitrine.compat.chaos;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/** One record of an idempotent producer is twice in the log, but for {@link Overtaking}. */
final class DuplicateWrites implements Check {
  @Override
  public String anomaly() {
    return "duplicates";
  }

  @Override
  public void search(RunHistory history, Consumer<String> found) {
    Map<String, String> places = new HashMap<>();
    for (TopicPartition partition : history.partitions()) {
      Overtaking.without(history, history.log(partition))
          .forEach(
              (offset, value) -> {
                String place = partition + " offset " + offset;
                String before = places.put(value, place);
                if (before != null) {
                  found.accept("%s is at %s and at %s".formatted(value, before, place));
                }
              });
    }
  }
}
