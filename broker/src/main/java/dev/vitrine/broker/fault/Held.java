package dev.vitrine.broker.fault;

import dev.vitrine.seam.Shard;
import dev.vitrine.seam.Timer;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * What a connection holds back, in its order, each until its time. Belongs to the connection's
 * shard.
 */
final class Held<T> {
  /** For one that has something to give back when it is dropped. */
  interface Released {
    void release();
  }

  private record Item<T>(T what, int bytes, long since) {}

  private final Shard shard;
  private final Runnable onDue;
  private final Consumer<T> drop;
  private final ArrayDeque<Item<T>> items = new ArrayDeque<>();
  private long bytes;
  private Timer timer;

  /**
   * @param onDue called when the first may be due
   */
  Held(Shard shard, Runnable onDue, Consumer<T> drop) {
    this.shard = shard;
    this.onDue = onDue;
    this.drop = drop;
  }

  boolean isEmpty() {
    return items.isEmpty();
  }

  long bytes() {
    return bytes;
  }

  void add(T what, int size) {
    items.add(new Item<>(what, size, shard.ticks()));
    bytes += size;
  }

  /** The first, if it was held for that long; else null, and there will be a call. */
  T pollDue(long delayMs) {
    Item<T> first = items.peek();
    if (first == null) {
      return null;
    }
    long left = delayMs - (shard.ticks() - first.since);
    if (left > 0) {
      if (timer == null) {
        timer = shard.schedule(left, this::due);
      }
      return null;
    }
    items.poll();
    bytes -= first.bytes;
    return first.what;
  }

  private void due() {
    timer = null;
    onDue.run();
  }

  void clear() {
    for (Item<T> item : items) {
      if (item.what instanceof Released r) {
        r.release();
      } else {
        drop.accept(item.what);
      }
    }
    items.clear();
    bytes = 0;
  }
}
