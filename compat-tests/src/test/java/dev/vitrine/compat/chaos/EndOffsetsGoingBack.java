package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.EndAsked;
import dev.vitrine.compat.chaos.Event.EndTold;
import dev.vitrine.compat.chaos.Event.Item;
import dev.vitrine.compat.chaos.Event.Polled;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * A reader is told an end offset (the high watermark) before what it has been told or given already
 * (KIP-207). Only of one reader: another may ask a leader that has not heard yet of its successor,
 * and no broker of Kafka's protocol can know that it is the leader still.
 */
final class EndOffsetsGoingBack implements Check {
  private record Reader(String client, TopicPartition partition) {}

  @Override
  public String anomaly() {
    return "end offsets going back";
  }

  @Override
  public void search(RunHistory history, Consumer<String> found) {
    Map<Reader, Long> least = new HashMap<>();
    for (Timed timed : history.events()) {
      if (timed.event() instanceof Polled poll && !poll.items().isEmpty()) {
        Item last = poll.items().get(poll.items().size() - 1);
        least.merge(new Reader(poll.client(), poll.partition()), last.offset() + 1, Math::max);
      } else if (timed.event() instanceof EndTold told
          && history.event(told.call()) instanceof EndAsked asked) {
        Reader reader = new Reader(asked.client(), asked.partition());
        long known = least.getOrDefault(reader, 0L);
        if (told.offset() < known) {
          found.accept(
              "%s was told that %s ends at %d and knew of %d"
                  .formatted(asked.client(), asked.partition(), told.offset(), known));
        }
        least.merge(reader, told.offset(), Math::max);
      }
    }
  }
}
