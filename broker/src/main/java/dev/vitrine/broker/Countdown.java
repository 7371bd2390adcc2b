package dev.vitrine.broker;

/** Runs something once a number of others are done. Confined to one thread. */
final class Countdown {
  private final Runnable done;
  private int left;

  /**
   * @param left at least 1
   */
  Countdown(int left, Runnable done) {
    this.left = left;
    this.done = done;
  }

  void one() {
    if (--left == 0) {
      done.run();
    }
  }
}
