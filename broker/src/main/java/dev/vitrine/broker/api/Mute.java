package dev.vitrine.broker.api;

import dev.vitrine.seam.Shard;
import dev.vitrine.seam.Timer;

/**
 * The time in which a connection is not heard because its client is over a quota (KIP-219). Belongs
 * to the connection's shard.
 */
final class Mute {
  private final Shard shard;
  private final Runnable onEnd;
  private Timer timer;
  private long until;

  /**
   * @param onEnd run when it is over, not when it is taken back
   */
  Mute(Shard shard, Runnable onEnd) {
    this.shard = shard;
    this.onEnd = onEnd;
  }

  boolean isOn() {
    return timer != null;
  }

  /** From now on for so long; of several times the one that ends last counts. */
  void begin(int ms) {
    long end = shard.ticks() + ms;
    if (timer == null || end > until) {
      cancel();
      until = end;
      timer =
          shard.schedule(
              ms,
              () -> {
                timer = null;
                onEnd.run();
              });
    }
  }

  void cancel() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }
}
