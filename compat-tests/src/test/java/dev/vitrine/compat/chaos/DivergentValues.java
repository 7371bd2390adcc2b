package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.Item;
import dev.vitrine.compat.chaos.Event.Polled;
import dev.vitrine.compat.chaos.Event.ReadWhole;
import java.util.HashMap;
import java.util.List;
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
    for (Polled poll : history.all(Polled.class)) {
      seeAll(all, poll.partition(), poll.items(), poll.client(), found);
    }
    for (ReadWhole read : history.all(ReadWhole.class)) {
      seeAll(all, read.partition(), read.items(), read.client(), found);
    }
  }

  private static void seeAll(
      Map<Place, Seen> all,
      TopicPartition partition,
      List<Item> items,
      String by,
      Consumer<String> found) {
    for (Item item : items) {
      see(all, new Place(partition, item.offset()), new Seen(item.value(), by), found);
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
