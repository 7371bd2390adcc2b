package dev.vitrine.broker.group;

import dev.vitrine.seam.Shard;
import dev.vitrine.seam.Timer;

/**
 * One thing that is to happen when its time has come, and whose time is put off far more often than
 * it comes, as with every heartbeat. So it does not touch the shard's timer when it is put off: the
 * timer that comes too early is set again. Belongs to the shard.
 */
final class Deadline {
  private final Shard shard;
  private Runnable action;
  private long due;
  private Timer timer;
  private long armedFor;

  Deadline(Shard shard) {
    this.shard = shard;
  }

  /** Replaces what was set before. */
  void set(long delayMs, Runnable what) {
    action = what;
    due = shard.ticks() + delayMs;
    if (timer == null || due < armedFor) {
      arm(delayMs);
    }
  }

  void cancel() {
    action = null;
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  boolean isSet() {
    return action != null;
  }

  private void arm(long delayMs) {
    if (timer != null) {
      timer.cancel();
    }
    armedFor = shard.ticks() + delayMs;
    timer = shard.schedule(delayMs, this::fire);
  }

  private void fire() {
    timer = null;
    if (action == null) {
      return;
    }
    long left = due - shard.ticks();
    if (left > 0) {
      arm(left);
    } else {
      Runnable now = action;
      action = null;
      now.run();
    }
  }
}
