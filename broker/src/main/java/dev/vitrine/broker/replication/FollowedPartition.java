package dev.vitrine.broker.replication;

import dev.vitrine.broker.partition.Partition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.FetchRequest.FetchPartition;

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

  private FetchPartition last;

  FollowedPartition(Partition partition, int leaderEpoch) {
    this.partition = partition;
    this.leaderEpoch = leaderEpoch;
  }

  /**
   * What to ask the leader for: the same object as long as nothing has changed, which for most
   * partitions is most of the time.
   */
  FetchPartition request(int lastFetchedEpoch, long highWatermark, int maxBytes) {
    long end = partition.logEndOffset();
    long start = partition.logStartOffset();
    Uuid directory = partition.directoryId();
    boolean same =
        last != null
            && last.fetchOffset() == end
            && last.logStartOffset() == start
            && last.highWatermark() == highWatermark
            && last.lastFetchedEpoch() == lastFetchedEpoch
            && last.replicaDirectoryId().equals(directory);
    if (!same) {
      last =
          new FetchPartition()
              .partition(partition.name().partition())
              .currentLeaderEpoch(leaderEpoch)
              .fetchOffset(end)
              .lastFetchedEpoch(lastFetchedEpoch)
              .logStartOffset(start)
              .highWatermark(highWatermark)
              .partitionMaxBytes(maxBytes)
              .replicaDirectoryId(directory);
    }
    return last;
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
