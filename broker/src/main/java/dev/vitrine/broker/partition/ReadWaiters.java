package dev.vitrine.broker.partition;

import java.util.ArrayList;
import java.util.List;

/**
 * Fetches that wait for this partition to have more for them. Belongs to the shard of the
 * partition. A waiter is woken once and must come again if it is still not content.
 */
final class ReadWaiters {
  private record Waiting(ReadLimit limit, long seen, Runnable wake) {}

  private final List<Waiting> waiting = new ArrayList<>();

  void add(ReadLimit limit, long seen, Runnable wake) {
    waiting.add(new Waiting(limit, seen, wake));
  }

  int size() {
    return waiting.size();
  }

  void remove(Runnable wake) {
    for (int i = waiting.size() - 1; i >= 0; i--) {
      if (waiting.get(i).wake == wake) {
        waiting.remove(i);
      }
    }
  }

  /** Wakes those for whom the limit has moved beyond what they had seen. */
  void advanced(ReadLimit limit, long now) {
    if (waiting.isEmpty()) {
      return;
    }
    List<Runnable> awake = null;
    for (int i = 0; i < waiting.size(); ) {
      Waiting w = waiting.get(i);
      if (w.limit == limit && now > w.seen) {
        awake = awake == null ? new ArrayList<>() : awake;
        awake.add(w.wake);
        waiting.remove(i);
      } else {
        i++;
      }
    }
    if (awake != null) {
      awake.forEach(Runnable::run);
    }
  }

  /** Wakes everybody: who leads, or whether the partition is here at all, has changed. */
  void wakeAll() {
    List<Waiting> all = List.copyOf(waiting);
    waiting.clear();
    all.forEach(w -> w.wake.run());
  }
}
