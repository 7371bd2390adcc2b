package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.Item;
import dev.vitrine.compat.chaos.Event.Polled;
import dev.vitrine.compat.chaos.Event.ReadWhole;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/** A record is there although its producer was told that it will never be. */
final class AbortedReads implements Check {
  @Override
  public String anomaly() {
    return "aborted reads";
  }

  @Override
  public void search(RunHistory history, Consumer<String> found) {
    for (Polled poll : history.all(Polled.class)) {
      require(history, poll.client(), poll.partition(), poll.items(), found);
    }
    for (ReadWhole read : history.all(ReadWhole.class)) {
      require(history, read.client(), read.partition(), read.items(), found);
    }
  }

  private static void require(
      RunHistory history,
      String client,
      TopicPartition partition,
      List<Item> items,
      Consumer<String> found) {
    for (Item item : items) {
      RunHistory.Write write = history.written(item.value());
      if (write != null && write.outcome() == RunHistory.Outcome.FAILED) {
        found.accept(
            "%s read %s at %s offset %d, which had been refused"
                .formatted(client, item.value(), partition, item.offset()));
      }
    }
  }
}
