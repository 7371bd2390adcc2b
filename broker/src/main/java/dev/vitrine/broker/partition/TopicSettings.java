package dev.vitrine.broker.partition;

import dev.vitrine.protocol.record.AppendRules;
import dev.vitrine.storage.LogConfig;

/**
 * A topic's effective configuration, in the parts that a partition hands on or looks at. Immutable.
 *
 * @param minInSyncReplicas {@code min.insync.replicas}; never asked for more than the partition has
 *     replicas
 */
public record TopicSettings(LogConfig log, AppendRules rules, int minInSyncReplicas) {
  int minInSync(int replicas) {
    return Math.min(minInSyncReplicas, replicas);
  }
}
