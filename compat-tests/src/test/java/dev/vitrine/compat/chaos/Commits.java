package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.CommitAsked;
import dev.vitrine.compat.chaos.Event.CommitSent;
import dev.vitrine.compat.chaos.Event.Done;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * The offsets that groups have committed, as one goes through a history: what may be counted upon
 * is the highest that was acknowledged.
 */
final class Commits {
  record Place(String group, TopicPartition partition) {}

  private final Map<Place, Long> acknowledged = new LinkedHashMap<>();
  private final Map<Long, Long> whenAsked = new HashMap<>();

  /** To be told each event in turn. */
  void take(RunHistory history, long number) {
    Event event = history.event(number);
    if (event instanceof CommitSent sent) {
      whenAsked.put(number, highest(new Place(sent.group(), sent.partition())));
    } else if (event instanceof CommitAsked asked) {
      whenAsked.put(number, highest(new Place(asked.group(), asked.partition())));
    } else if (event instanceof Done done
        && history.event(done.call()) instanceof CommitSent sent) {
      acknowledged.merge(new Place(sent.group(), sent.partition()), sent.offset(), Math::max);
    }
  }

  /** What had been acknowledged when this call was made; -1 if nothing. */
  long whenAsked(long call) {
    return whenAsked.getOrDefault(call, -1L);
  }

  long highest(Place place) {
    return acknowledged.getOrDefault(place, -1L);
  }

  Map<Place, Long> all() {
    return Map.copyOf(acknowledged);
  }
}
