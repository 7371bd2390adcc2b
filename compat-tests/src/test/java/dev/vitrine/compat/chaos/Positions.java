package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.Item;
import dev.vitrine.compat.chaos.Event.Polled;
import dev.vitrine.compat.chaos.Event.Positioned;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** Where each reader stands in each partition, as one goes through a history. */
final class Positions {
  private record Reader(String client, TopicPartition partition) {}

  private final Map<Reader, Long> next = new HashMap<>();

  void set(Positioned positioned) {
    next.put(new Reader(positioned.client(), positioned.partition()), positioned.offset());
  }

  /** The least offset that the reader of this poll may be given. */
  long next(Polled poll) {
    return next.getOrDefault(new Reader(poll.client(), poll.partition()), 0L);
  }

  void given(Polled poll, Item item) {
    next.put(new Reader(poll.client(), poll.partition()), item.offset() + 1);
  }
}
