package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.Item;
import dev.vitrine.compat.chaos.Event.Polled;
import dev.vitrine.compat.chaos.Event.ReaderThrown;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * A reader was given a record that is not in the log in the end: it was above the high watermark,
 * or what was below it has gone. Also when the reader was told so itself (KIP-320).
 */
final class UncommittedReads implements Check {
  @Override
  public String anomaly() {
    return "uncommitted reads";
  }

  @Override
  public void search(RunHistory history, Consumer<String> found) {
    Map<TopicPartition, NavigableMap<Long, String>> logs = new HashMap<>();
    history.partitions().forEach(partition -> logs.put(partition, history.log(partition)));
    for (Polled poll : history.all(Polled.class)) {
      NavigableMap<Long, String> log = logs.get(poll.partition());
      if (log == null) {
        continue;
      }
      for (Item item : poll.items()) {
        if (!item.value().equals(log.get(item.offset()))) {
          found.accept(
              "%s read %s at %s offset %d, where the log has %s"
                  .formatted(
                      poll.client(),
                      item.value(),
                      poll.partition(),
                      item.offset(),
                      log.getOrDefault(item.offset(), "nothing")));
        }
      }
    }
    for (ReaderThrown thrown : history.all(ReaderThrown.class)) {
      found.accept(
          "%s was thrown out of %s: %s"
              .formatted(thrown.client(), thrown.partition(), thrown.error()));
    }
  }
}
