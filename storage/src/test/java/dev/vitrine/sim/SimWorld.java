package dev.vitrine.sim;

import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/**
 * Simulated time, chance and the queue of everything that is still to happen. The same seed and the
 * same calls give the same history. Whoever calls {@link #step} is the only thread there is; a task
 * that throws ends the step with that exception.
 */
public final class SimWorld {
  private static final long EPOCH_MS = 1_700_000_000_000L;

  private final long seed;
  private final SplittableRandom random;
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long nowMicros;
  private long sequence;
  private SimShard current;
  private SimShard last;

  public SimWorld(long seed) {
    this.seed = seed;
    this.random = new SplittableRandom(seed);
  }

  public long seed() {
    return seed;
  }

  /** The world's own chance: for faults, delays and workloads. */
  public RandomGenerator random() {
    return random;
  }

  /** A new event loop, with chance of its own split from the world's. */
  public SimShard newShard(String name) {
    return new SimShard(this, name, random.split());
  }

  /** A new empty disk, on the clock of this world. */
  public SimDisk newDisk() {
    return new SimDisk(this::now);
  }

  /** Simulated wall-clock time in milliseconds. */
  public long now() {
    return EPOCH_MS + nowMicros / 1000;
  }

  /** Simulated time since the start, in milliseconds. */
  public long elapsedMs() {
    return nowMicros / 1000;
  }

  /** Simulated time since the start, in microseconds. */
  public long elapsedMicros() {
    return nowMicros;
  }

  /** Runs the earliest of what is to happen; false if nothing is. */
  public boolean step() {
    Event e;
    do {
      e = nextEvent();
      if (e == null) {
        return false;
      }
      events.poll();
    } while (!e.isLive());
    nowMicros = Math.max(nowMicros, e.atMicros);
    current = e.shard;
    last = e.shard;
    try {
      e.task.run();
    } finally {
      current = null;
    }
    return true;
  }

  /** The loop whose task {@link #step} ran last; null if it was nobody's. */
  public SimShard last() {
    return last;
  }

  /** Runs all that happens within the next {@code ms} milliseconds, and lets them pass. */
  public void runFor(long ms) {
    long until = nowMicros + ms * 1000;
    while (nextMicros() <= until) {
      step();
    }
    nowMicros = until;
  }

  /**
   * Runs until the condition holds; checks it before the first step and after each.
   *
   * @return false if {@code limitMs} of simulated time passed, or nothing was left to run, first
   */
  public boolean runUntil(BooleanSupplier condition, long limitMs) {
    long until = nowMicros + limitMs * 1000;
    while (!condition.getAsBoolean()) {
      if (nextMicros() > until) {
        return false;
      }
      step();
    }
    return true;
  }

  /**
   * Something that happens to no shard: a message in flight, a fault. Not before {@code
   * delayMicros} from now; events of the same time happen in the order in which they were added.
   */
  public void at(long delayMicros, Runnable task) {
    add(null, delayMicros, task);
  }

  Event add(SimShard shard, long delayMicros, Runnable task) {
    Event e = new Event(shard, nowMicros + delayMicros, sequence++, task);
    events.add(e);
    return e;
  }

  /** Lets the task run as this shard's although the shard's loop didn't start it. */
  void runAs(SimShard shard, Runnable task) {
    SimShard before = current;
    current = shard;
    try {
      task.run();
    } finally {
      current = before;
    }
  }

  SimShard current() {
    return current;
  }

  private long nextMicros() {
    Event e = nextEvent();
    return e == null ? Long.MAX_VALUE : e.atMicros;
  }

  /** The earliest that can happen; what a paused shard should do is put off to the pause's end. */
  private Event nextEvent() {
    while (true) {
      Event e = events.peek();
      if (e == null) {
        return null;
      }
      if (!e.isLive()) {
        events.poll();
      } else if (e.shard != null && e.atMicros < e.shard.pausedUntilMicros()) {
        events.poll();
        e.atMicros = e.shard.pausedUntilMicros();
        events.add(e);
      } else {
        return e;
      }
    }
  }

  /** One thing to happen; the order of two with the same time is that of their creation. */
  static final class Event implements Comparable<Event> {
    private final SimShard shard;
    private long atMicros;
    private final long sequence;
    private final Runnable task;
    private boolean cancelled;

    private Event(SimShard shard, long atMicros, long sequence, Runnable task) {
      this.shard = shard;
      this.atMicros = atMicros;
      this.sequence = sequence;
      this.task = task;
    }

    void cancel() {
      cancelled = true;
    }

    private boolean isLive() {
      return !cancelled && (shard == null || shard.isAlive());
    }

    @Override
    public int compareTo(Event o) {
      int c = Long.compare(atMicros, o.atMicros);
      return c != 0 ? c : Long.compare(sequence, o.sequence);
    }
  }
}
