package dev.vitrine.seam;

import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;

/**
 * One event loop and everything it owns. Time, timers, chance and work that blocks come from here
 * and from nowhere else, so that a whole cluster runs on one simulated thread. Only {@link
 * #execute} may be called from other threads.
 */
public interface Shard {
  /**
   * Runs the task on this shard, after those handed in before it by the same caller. Never runs it
   * at once.
   */
  void execute(Runnable task);

  /** Runs the task on this shard once, not before {@code delayMs} milliseconds from now. */
  Timer schedule(long delayMs, Runnable task);

  /**
   * Wall-clock time, milliseconds since 1970: what goes into records. It may jump; never measure
   * with it.
   */
  long now();

  /** Milliseconds that never go back, from an arbitrary start: for time-outs and intervals. */
  long ticks();

  /** Nanoseconds of the clock of {@link #ticks}: for how long something took that is short. */
  default long nanos() {
    return ticks() * 1_000_000;
  }

  /** Chance of this shard: from the seed in simulation. */
  RandomGenerator random();

  /** Whether the calling thread is this shard's. */
  boolean isCurrent();

  /**
   * Runs {@code work}, which may block or be long, on a disk worker, and then {@code done} on this
   * shard with either the result or the failure. The work must touch nothing that a shard owns.
   */
  <T> void offload(Callable<T> work, BiConsumer<T, Throwable> done);
}
