package dev.vitrine.broker.partition;

import dev.vitrine.config.ThrottledReplicas;

/**
 * One side of the replication throttle as it stands for a topic: which of its replicas here are
 * throttled, and the rate that they share with those of all other topics. Any shard may use it.
 */
public record Throttle(ThrottledReplicas replicas, ReplicationQuota quota) {
  static final Throttle NONE = new Throttle(ThrottledReplicas.NONE, new ReplicationQuota(1, 1));

  boolean isExceeded(int partition, long ticks) {
    return replicas.contains(partition) && quota.isExceeded(ticks);
  }

  /** Bytes of this partition were copied. */
  void record(int partition, long bytes, long ticks) {
    if (bytes > 0 && replicas.contains(partition)) {
      quota.record(bytes, ticks);
    }
  }
}
