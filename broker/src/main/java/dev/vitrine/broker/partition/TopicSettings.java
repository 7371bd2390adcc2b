package dev.vitrine.broker.partition;

import dev.vitrine.protocol.record.AppendRules;
import dev.vitrine.storage.LogConfig;

/**
 * A topic's effective configuration, in the parts that a partition hands on or looks at. Immutable.
 *
 * @param minInSyncReplicas {@code min.insync.replicas}; never asked for more than the partition has
 *     replicas
 * @param asLeader the throttle of what is sent to followers that are not in sync
 * @param asFollower the throttle of what is fetched while not in sync
 */
public record TopicSettings(
    LogConfig log,
    AppendRules rules,
    int minInSyncReplicas,
    Throttle asLeader,
    Throttle asFollower) {
  /** Without a throttle. */
  public TopicSettings(LogConfig log, AppendRules rules, int minInSyncReplicas) {
    this(log, rules, minInSyncReplicas, Throttle.NONE, Throttle.NONE);
  }

  int minInSync(int replicas) {
    return Math.min(minInSyncReplicas, replicas);
  }
}
