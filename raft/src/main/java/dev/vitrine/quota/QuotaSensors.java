package dev.vitrine.quota;

import dev.vitrine.quota.QuotaRules.Bucket;
import dev.vitrine.quota.QuotaRules.Match;
import java.util.HashMap;
import java.util.Map;

/**
 * What one broker or one controller has counted for those that have a limit. Confined to one
 * thread: a limit is one for the whole node, so there is one place where it is counted. It keeps
 * nothing of those that have no limit, and forgets who was not heard of for an hour.
 */
public final class QuotaSensors {
  /** Kafka's time after which a sensor that nothing was recorded with is dropped. */
  private static final long KEPT_MS = 3_600_000;

  private static final long SWEEP_MS = 60_000;

  private final int windows;
  private final long windowMs;

  // Both are looked up by key only, and swept whole: their order is of no account.
  private final Map<Key, QuotaRate> rates = new HashMap<>();
  private final Map<Key, TokenBucket> buckets = new HashMap<>();
  private long lastSweepMs;

  private record Key(int type, Bucket bucket) {
    static Key of(QuotaType type, Match match) {
      return new Key(type.ordinal(), match.bucket());
    }
  }

  /**
   * @param windows how many of them are looked at
   * @param windowMs the length of one
   */
  public QuotaSensors(int windows, long windowMs) {
    this.windows = windows;
    this.windowMs = windowMs;
  }

  /**
   * Counts.
   *
   * @param match null for who has no limit
   * @return for how many milliseconds the client is to be held back; for {@link QuotaType#REQUEST}
   *     one window at most (KIP-124), else without a bound
   */
  public int record(QuotaType type, Match match, double amount, long nowMs) {
    if (match == null) {
      return 0;
    }
    sweep(nowMs);
    QuotaRate rate =
        rates.computeIfAbsent(Key.of(type, match), k -> new QuotaRate(windows, windowMs));
    rate.record(amount, nowMs);
    long throttleMs = rate.throttleMs(match.limit(), nowMs);
    long most = type == QuotaType.REQUEST ? windowMs : Integer.MAX_VALUE;
    return (int) Math.min(throttleMs, most);
  }

  /** Takes back what was recorded: it did not come to pass. */
  public void unrecord(QuotaType type, Match match, double amount, long nowMs) {
    QuotaRate rate = match == null ? null : rates.get(Key.of(type, match));
    if (rate != null) {
      rate.record(-amount, nowMs);
    }
  }

  /** The bucket that mutations are taken from. */
  TokenBucket bucket(Match match, long nowMs) {
    sweep(nowMs);
    return buckets.computeIfAbsent(
        Key.of(QuotaType.CONTROLLER_MUTATION, match), k -> new TokenBucket(windows, windowMs));
  }

  private void sweep(long nowMs) {
    if (nowMs - lastSweepMs >= SWEEP_MS) {
      lastSweepMs = nowMs;
      rates.values().removeIf(r -> nowMs - r.lastMs() > KEPT_MS);
      buckets.values().removeIf(b -> nowMs - b.lastMs() > KEPT_MS);
    }
  }

  /** How many are counted at present. */
  int size() {
    return rates.size() + buckets.size();
  }
}
