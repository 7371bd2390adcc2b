package dev.vitrine.compat;

import java.time.Duration;
import java.util.concurrent.Callable;

/** Waits for what must become true. Its limits are generous: they end a test that hangs. */
public final class Await {
  public static final Duration LIMIT = Duration.ofSeconds(90);
  private static final int POLL_MS = 25;

  private Await() {}

  /** Fails, saying {@code what}, if the condition doesn't hold within the limit. */
  public static void until(String what, Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!condition.call()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("waited " + LIMIT.toSeconds() + " s in vain: " + what);
      }
      Thread.sleep(POLL_MS);
    }
  }

  /** Waits for a thread that has been told to end. */
  public static void end(Thread thread) {
    try {
      thread.join(LIMIT.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      throw new AssertionError(thread.getName() + " does not end");
    }
  }
}
