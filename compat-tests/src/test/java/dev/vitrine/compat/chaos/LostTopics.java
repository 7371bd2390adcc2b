package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.Done;
import dev.vitrine.compat.chaos.Event.TopicAsked;
import dev.vitrine.compat.chaos.Event.TopicFound;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** A topic, or partitions of it, were acknowledged and are not there in the end. */
final class LostTopics implements Check {
  @Override
  public String anomaly() {
    return "lost topics";
  }

  @Override
  public void search(RunHistory history, Consumer<String> found) {
    Map<String, Integer> promised = new TreeMap<>();
    for (Done done : history.all(Done.class)) {
      if (history.event(done.call()) instanceof TopicAsked asked) {
        promised.merge(asked.topic(), asked.partitions(), Math::max);
      }
    }
    Map<String, Integer> there = new TreeMap<>();
    for (TopicFound topic : history.all(TopicFound.class)) {
      there.put(topic.topic(), topic.partitions());
    }
    if (there.isEmpty()) {
      return; // it did not come to that
    }
    promised.forEach(
        (topic, partitions) -> {
          if (there.getOrDefault(topic, 0) < partitions) {
            found.accept(
                "topic %s has %d partitions and was said to have %d"
                    .formatted(topic, there.getOrDefault(topic, 0), partitions));
          }
        });
  }
}
