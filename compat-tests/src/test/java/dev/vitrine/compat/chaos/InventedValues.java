package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.Item;
import dev.vitrine.compat.chaos.Event.Polled;
import dev.vitrine.compat.chaos.Event.ReadWhole;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/** A reader was given what nobody sent, or sent to another partition. */
final class InventedValues implements Check {
  @Override
  public String anomaly() {
    return "invented values";
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
      if (write == null || !write.partition().equals(partition)) {
        found.accept(
            "%s read %s at %s offset %d, %s"
                .formatted(
                    client,
                    item.value(),
                    partition,
                    item.offset(),
                    write == null ? "which nobody sent" : "sent to " + write.partition()));
      }
    }
  }
}
