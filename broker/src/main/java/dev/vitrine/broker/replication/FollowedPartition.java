package dev.vitrine.broker.replication;

import dev.vitrine.broker.partition.Partition;

/**
 * A partition that one fetcher copies from its leader, and when it may be asked for next. Belongs
 * to the fetcher.
 */
final class FollowedPartition {
  final Partition partition;
  final int leaderEpoch;
  private long notBefore;

  FollowedPartition(Partition partition, int leaderEpoch) {
    this.partition = partition;
    this.leaderEpoch = leaderEpoch;
  }

  boolean isReady(long ticks) {
    return ticks >= notBefore;
  }

  void delayUntil(long ticks) {
    notBefore = ticks;
  }

  long notBefore() {
    return notBefore;
  }
}
