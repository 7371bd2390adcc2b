package dev.vitrine.compat.chaos;

import dev.vitrine.compat.Await;

/**
 * The thread of a load: takes one step after the other until it is told to end. A step that throws
 * is a fault of the harness or a client that can't go on; it ends the load, and the run with it.
 */
final class LoadThread {
  /** One step; pauses itself, shortly. */
  interface Step {
    void take() throws Exception;
  }

  private final Thread thread;
  private volatile boolean ended;
  private volatile Throwable failure;

  LoadThread(String name, Step step, Runnable last) {
    this.thread = new Thread(() -> run(step, last), name);
  }

  /** At the end of the load's constructor: its steps use what that has set. */
  void start() {
    thread.start();
  }

  private void run(Step step, Runnable last) {
    try {
      while (!ended) {
        step.take();
      }
    } catch (Throwable e) {
      failure = e;
    } finally {
      last.run();
    }
  }

  /** For a step that is long. */
  boolean isEnded() {
    return ended;
  }

  /** Does not wait for its end, as {@link #end} does. */
  void tell() {
    ended = true;
  }

  void end() {
    ended = true;
    Await.end(thread);
    if (failure != null) {
      throw new AssertionError(thread.getName() + " failed", failure);
    }
  }
}
