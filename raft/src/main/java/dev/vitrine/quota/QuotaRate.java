package dev.vitrine.quota;

import java.util.Arrays;

/**
 * How much of something there was a second, over the last windows of time, as Kafka reckons it for
 * quotas. Confined to one thread.
 *
 * <p>A window begins with what is recorded first after the former has run out, not by the clock.
 * One more is kept than is looked at: a window that began too early still counts as long as the
 * last thing recorded in it is young enough. The time that a rate is taken over is never less than
 * all windows but one, or the first bytes of a client would look like a flood.
 */
public final class QuotaRate {
  private final int windows;
  private final long windowMs;

  private final double[] sums;
  private final long[] starts;
  private final long[] lasts;

  /** So many of the windows have been in use; {@code current} is the one that is filled. */
  private int used;

  private int current;

  /**
   * @param windows {@code quota.window.num}
   * @param windowMs {@code quota.window.size.seconds}, in milliseconds
   */
  public QuotaRate(int windows, long windowMs) {
    this.windows = windows;
    this.windowMs = windowMs;
    int slots = windows + 1;
    sums = new double[slots];
    starts = new long[slots];
    lasts = new long[slots];
  }

  /** Negative for something that did not happen after all. */
  public void record(double amount, long nowMs) {
    if (used == 0) {
      begin(0, nowMs);
    } else if (nowMs - starts[current] >= windowMs) {
      begin((current + 1) % sums.length, nowMs);
    }
    sums[current] += amount;
    lasts[current] = nowMs;
  }

  private void begin(int slot, long nowMs) {
    current = slot;
    used = Math.max(used, slot + 1);
    sums[slot] = 0;
    starts[slot] = nowMs;
    lasts[slot] = nowMs;
  }

  /** What there was a second. */
  public double perSecond(long nowMs) {
    forgetOld(nowMs);
    double kept = Arrays.stream(sums, 0, used).sum();
    return kept * 1000 / spanMs(nowMs);
  }

  /**
   * For how long nothing more may happen until the rate is down to the limit; 0 if it is not above
   * it. In milliseconds, without a bound.
   */
  public long throttleMs(double limit, long nowMs) {
    double rate = perSecond(nowMs);
    return rate <= limit ? 0 : Math.round((rate - limit) / limit * spanMs(nowMs));
  }

  /** When something was recorded last; only of a rate that has some. */
  public long lastMs() {
    return lasts[current];
  }

  private void forgetOld(long nowMs) {
    for (int i = 0; i < used; i++) {
      if (nowMs - lasts[i] >= windows * windowMs) {
        sums[i] = 0;
        starts[i] = nowMs;
        lasts[i] = nowMs;
      }
    }
  }

  private long spanMs(long nowMs) {
    long oldest = nowMs;
    for (int i = 0; i < used; i++) {
      oldest = Math.min(oldest, starts[i]);
    }
    long span = nowMs - oldest;
    long missing = windows - 1 - span / windowMs;
    return Math.max(1, span + Math.max(0, missing) * windowMs);
  }
}
