package dev.vitrine.compat.chaos;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/** Two clients, or one at two times, saw different records at one offset of one partition. */
final class DivergentValues implements Check {
  /** A record that somebody has seen or was told of. */
  private record Seen(String value, String by) {}

  private record Place(TopicPartition partition, long offset) {}

  @Override
  public String anomaly() {
    return "divergent values";
  }

  @Override
  public void search(RunHistory history, Consumer<String> found) {
    Map<Place, Seen> all = new HashMap<>();
    for (RunHistory.Write write : history.acknowledged()) {
      Seen seen = new Seen(write.value(), "its acknowledgement");
      see(all, new Place(write.partition(), write.offset()), seen, found);
    }
    for (RunHistory.Read read : history.reads()) {
      Seen seen = new Seen(read.value(), read.client());
      see(all, new Place(read.partition(), read.offset()), seen, found);
    }
  }

  private static void see(Map<Place, Seen> all, Place place, Seen seen, Consumer<String> found) {
    Seen before = all.putIfAbsent(place, seen);
    if (before != null && !before.value().equals(seen.value())) {
      found.accept(
          "%s offset %d is %s for %s and %s for %s"
              .formatted(
                  place.partition(),
                  place.offset(),
                  before.value(),
                  before.by(),
                  seen.value(),
                  seen.by()));
    }
  }
}
