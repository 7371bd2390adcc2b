package dev.vitrine.quota;

import dev.vitrine.quota.QuotaRules.Match;

/**
 * What one request may change of the cluster, counted in partitions made or deleted (KIP-599).
 * Confined to the thread of its bucket. A strict one refuses each change while the bucket is
 * overdrawn; the other, for clients of before the error was there, lets it be done and has the
 * client wait for it.
 */
public final class MutationQuota {
  /** Of who has no limit. */
  public static final MutationQuota UNLIMITED = new MutationQuota(null, 0, false, 0);

  private final TokenBucket bucket;
  private final double rate;
  private final boolean strict;
  private final long nowMs;
  private long throttleMs;

  private MutationQuota(TokenBucket bucket, double rate, boolean strict, long nowMs) {
    this.bucket = bucket;
    this.rate = rate;
    this.strict = strict;
    this.nowMs = nowMs;
  }

  /**
   * @param match null for who has no limit
   */
  public static MutationQuota of(QuotaSensors sensors, Match match, boolean strict, long nowMs) {
    return match == null
        ? UNLIMITED
        : new MutationQuota(sensors.bucket(match, nowMs), match.limit(), strict, nowMs);
  }

  /**
   * Counts so many partitions.
   *
   * @return false if they must not be changed; then nothing was counted
   */
  public boolean take(int partitions) {
    if (bucket == null) {
      return true;
    }
    if (strict) {
      throttleMs = Math.max(throttleMs, bucket.throttleMs(rate, nowMs));
      if (bucket.left(rate, nowMs) < 0) {
        return false;
      }
      bucket.take(partitions, rate, nowMs);
    } else {
      bucket.take(partitions, rate, nowMs);
      throttleMs = bucket.throttleMs(rate, nowMs);
    }
    return true;
  }

  /** How long the client is to wait, as of then. */
  public int throttleMs(long thenMs) {
    return (int) Math.min(Integer.MAX_VALUE, Math.max(0, throttleMs - (thenMs - nowMs)));
  }
}
