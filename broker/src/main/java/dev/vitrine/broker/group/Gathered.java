package dev.vitrine.broker.group;

import dev.vitrine.seam.Shard;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Puts together what several coordinators answer. Belongs to the shard of the connection that asks,
 * to which all parts come back.
 */
final class Gathered<T> {
  private final Shard caller;
  private final List<T> parts = new ArrayList<>();
  private final Consumer<List<T>> done;
  private int missing;

  /** {@code done} hears of all parts, in their order; at once if there are none. */
  Gathered(Shard caller, int count, Consumer<List<T>> done) {
    this.caller = caller;
    this.done = done;
    this.missing = count;
    for (int i = 0; i < count; i++) {
      parts.add(null);
    }
    if (count == 0) {
      done.accept(parts);
    }
  }

  /** Where the part of this index is to be put, once, from any shard. */
  Consumer<T> part(int index) {
    return value -> {
      if (caller.isCurrent()) {
        put(index, value);
      } else {
        caller.execute(() -> put(index, value));
      }
    };
  }

  private void put(int index, T value) {
    parts.set(index, value);
    missing--;
    if (missing == 0) {
      done.accept(parts);
    }
  }
}
