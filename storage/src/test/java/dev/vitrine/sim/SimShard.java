package dev.vitrine.sim;

import dev.vitrine.seam.Shard;
import dev.vitrine.seam.Timer;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;

/**
 * A node's event loop in a {@link SimWorld}. Timers come a little late, offloaded work runs and
 * completes some time later and overtakes other work, as on a pool of threads. {@link #kill} is
 * {@code kill -9}: nothing of it runs afterwards.
 */
public final class SimShard implements Shard {
  private static final int MAX_LATENESS_MICROS = 1_000;
  private static final int MAX_WORK_MICROS = 5_000;

  private final SimWorld world;
  private final String name;
  private final RandomGenerator random;
  private long skewMs;
  private long pausedUntilMicros;
  private int maxWorkMicros = MAX_WORK_MICROS;
  private boolean alive = true;

  SimShard(SimWorld world, String name, RandomGenerator random) {
    this.world = world;
    this.name = name;
    this.random = random;
  }

  public SimWorld world() {
    return world;
  }

  /** Ends the node: whatever waits for it (tasks, timers, work and its completion) is dropped. */
  public void kill() {
    alive = false;
  }

  public boolean isAlive() {
    return alive;
  }

  /** As {@code SIGSTOP} and {@code SIGCONT} so much later: nothing of it runs until then. */
  public void pause(long ms) {
    pausedUntilMicros = Math.max(pausedUntilMicros, world.elapsedMicros() + ms * 1000);
  }

  /** Ends a pause. */
  public void resume() {
    pausedUntilMicros = Math.min(pausedUntilMicros, world.elapsedMicros());
  }

  long pausedUntilMicros() {
    return pausedUntilMicros;
  }

  /** Lets offloaded work (a slow disk, above all) begin and end up to so much later. */
  public void slowWork(int maxMicros) {
    maxWorkMicros = Math.max(MAX_WORK_MICROS, maxMicros);
  }

  /** Lets this node's wall clock be wrong by so many milliseconds. */
  public void skewClock(long ms) {
    skewMs = ms;
  }

  /** Calls the task at once as if the loop had: the way in for a test. */
  public void run(Runnable task) {
    if (alive) {
      world.runAs(this, task);
    }
  }

  @Override
  public void execute(Runnable task) {
    world.add(this, 0, task);
  }

  @Override
  public Timer schedule(long delayMs, Runnable task) {
    return world.add(this, delayMs * 1000 + world.random().nextInt(MAX_LATENESS_MICROS), task)
        ::cancel;
  }

  @Override
  public long now() {
    return world.now() + skewMs;
  }

  @Override
  public long ticks() {
    return world.elapsedMs();
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public boolean isCurrent() {
    return world.current() == this;
  }

  @Override
  public <T> void offload(Callable<T> work, BiConsumer<T, Throwable> done) {
    world.add(
        this,
        world.random().nextInt(maxWorkMicros),
        () -> world.runAs(null, () -> perform(work, done)));
  }

  private <T> void perform(Callable<T> work, BiConsumer<T, Throwable> done) {
    T result = null;
    Throwable failure = null;
    try {
      result = work.call();
    } catch (Exception e) {
      failure = e;
    }
    T r = result;
    Throwable f = failure;
    world.add(this, world.random().nextInt(maxWorkMicros), () -> done.accept(r, f));
  }

  @Override
  public String toString() {
    return name;
  }
}
