package dev.vitrine.broker.observe;

import dev.vitrine.seam.Shard;

/** Something that knows values of metrics, and the shard that it belongs to. */
public interface MetricSource {
  /** The shard on which it is asked; null for that of whoever asks. */
  Shard owner();

  /**
   * Tells what it knows. Calls {@code done} once when that is all, on its own shard: at once, or
   * from a later task if it is much.
   */
  void tell(Sample into, Runnable done);
}
