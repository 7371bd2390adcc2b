package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.Item;
import dev.vitrine.compat.chaos.Event.Polled;
import dev.vitrine.compat.chaos.Event.Positioned;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/** A reader that did not move was not given a record that is in the log before the next it got. */
final class SkippedRecords implements Check {
  @Override
  public String anomaly() {
    return "skipped records";
  }

  @Override
  public void search(RunHistory history, Consumer<String> found) {
    Map<TopicPartition, NavigableMap<Long, String>> logs = new HashMap<>();
    history.partitions().forEach(partition -> logs.put(partition, history.log(partition)));
    Positions positions = new Positions();
    for (Timed timed : history.events()) {
      if (timed.event() instanceof Positioned positioned) {
        positions.set(positioned);
      } else if (timed.event() instanceof Polled poll) {
        NavigableMap<Long, String> log = logs.getOrDefault(poll.partition(), new TreeMap<>());
        for (Item item : poll.items()) {
          Long due = log.ceilingKey(positions.next(poll));
          if (due != null && due < item.offset()) {
            found.accept(
                "%s was given %s offset %d although %d was due: %s"
                    .formatted(poll.client(), poll.partition(), item.offset(), due, log.get(due)));
          }
          positions.given(poll, item);
        }
      }
    }
  }
}
