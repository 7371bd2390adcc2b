package dev.vitrine.broker.partition;

/**
 * How far one follower is, as its leader knows it from the follower's fetches. Belongs to the shard
 * of the partition.
 *
 * <p>"Caught up" is Kafka's notion: at some moment the follower had asked for all that the leader
 * had when the follower's fetch before came in. A follower that keeps pace with a busy leader is
 * never exactly at its end.
 */
final class FollowerProgress {
  static final long UNKNOWN = -1;
  private static final long NEVER = Long.MIN_VALUE / 2;

  final int brokerId;
  private long brokerEpoch = UNKNOWN;
  private long logStartOffset = UNKNOWN;
  private long logEndOffset = UNKNOWN;
  private long leaderEndAtLastFetch;
  private long lastFetchTicks = NEVER;
  private long lastCaughtUpTicks;

  /**
   * @param presumedCaughtUp true for a member of the in-sync set when leadership begins: it gets
   *     the whole lag time to prove itself
   */
  FollowerProgress(int brokerId, boolean presumedCaughtUp, long ticks) {
    this.brokerId = brokerId;
    this.lastCaughtUpTicks = presumedCaughtUp ? ticks : NEVER;
  }

  /** The follower has everything below {@code fetchOffset}: a fetch is its acknowledgement. */
  void fetched(
      long fetchOffset, long followerStart, long followerEpoch, long leaderEnd, long ticks) {
    if (fetchOffset >= leaderEnd) {
      lastCaughtUpTicks = Math.max(lastCaughtUpTicks, ticks);
    } else if (fetchOffset >= leaderEndAtLastFetch) {
      lastCaughtUpTicks = Math.max(lastCaughtUpTicks, lastFetchTicks);
    }
    brokerEpoch = followerEpoch;
    logStartOffset = followerStart;
    logEndOffset = fetchOffset;
    leaderEndAtLastFetch = leaderEnd;
    lastFetchTicks = ticks;
  }

  /** Whether it has been caught up within the last {@code maxLagMs} milliseconds. */
  boolean isCaughtUp(long leaderEnd, long ticks, long maxLagMs) {
    return logEndOffset == leaderEnd || ticks - lastCaughtUpTicks <= maxLagMs;
  }

  long lastCaughtUpTicks() {
    return lastCaughtUpTicks;
  }

  long brokerEpoch() {
    return brokerEpoch;
  }

  long logStartOffset() {
    return logStartOffset;
  }

  long logEndOffset() {
    return logEndOffset;
  }
}
