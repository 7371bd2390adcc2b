package dev.vitrine.broker.replication;

import dev.vitrine.broker.partition.Partition;

/**
 * A partition that one fetcher copies from its leader, and when it may be asked for next. Belongs
 * to the fetcher.
 */
final class FollowedPartition {
  final Partition partition;
  final int leaderEpoch;
  private static final long FIRST_RETRY_MS = 10;

  private long notBefore;
  private int timesTooEarly;
  private boolean asked;

  FollowedPartition(Partition partition, int leaderEpoch) {
    this.partition = partition;
    this.leaderEpoch = leaderEpoch;
  }

  /** A request is about to be sent that names it. */
  void asked() {
    asked = true;
  }

  /**
   * Whether an answer can be meant for it. The same partition may have been followed here before,
   * in an older epoch: what was asked then is not to be done to the log as it is now.
   */
  boolean wasAsked() {
    return asked;
  }

  boolean isReady(long ticks) {
    return ticks >= notBefore;
  }

  /**
   * The leader does not know yet that it leads, or in which epoch: most likely it will in a moment.
   * Asks again soon, and less and less often.
   */
  void tooEarly(long ticks, long backoffMs) {
    notBefore = ticks + Math.min(backoffMs, FIRST_RETRY_MS << Math.min(timesTooEarly++, 20));
  }

  /** The leader has answered as one. */
  void welcome() {
    timesTooEarly = 0;
  }

  void delayUntil(long ticks) {
    notBefore = ticks;
  }

  long notBefore() {
    return notBefore;
  }
}
