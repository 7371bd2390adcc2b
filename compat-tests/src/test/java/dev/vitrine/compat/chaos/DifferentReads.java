package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.Item;
import dev.vitrine.compat.chaos.Event.ReadWhole;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/** In the end, two clients that read a partition whole were given different records. */
final class DifferentReads implements Check {
  @Override
  public String anomaly() {
    return "different reads";
  }

  @Override
  public boolean isAlways() {
    return true;
  }

  @Override
  public void search(RunHistory history, Consumer<String> found) {
    Map<TopicPartition, ReadWhole> first = new HashMap<>();
    for (ReadWhole read : history.all(ReadWhole.class)) {
      ReadWhole other = first.putIfAbsent(read.partition(), read);
      if (other != null && !other.items().equals(read.items())) {
        found.accept(
            "%s: %s read %d records, %s %d; the first that differ: %s"
                .formatted(
                    read.partition(),
                    other.client(),
                    other.items().size(),
                    read.client(),
                    read.items().size(),
                    firstDifference(other.items(), read.items())));
      }
    }
  }

  private static String firstDifference(List<Item> one, List<Item> other) {
    for (int i = 0; i < Math.max(one.size(), other.size()); i++) {
      String left = i < one.size() ? one.get(i).toString() : "nothing";
      String right = i < other.size() ? other.get(i).toString() : "nothing";
      if (!left.equals(right)) {
        return left + " and " + right;
      }
    }
    return "none";
  }
}
