package dev.vitrine.config;

import static dev.vitrine.config.ConfigRule.atLeast;
import static dev.vitrine.config.UpdateMode.CLUSTER_WIDE;

/** Keys of a broker that exist only as dynamic configuration, not in server.properties. */
final class DynamicKeys {
  private DynamicKeys() {}

  static void define(ConfigTable.Builder t) {
    t.int64("leader.replication.throttled.rate", Long.MAX_VALUE, atLeast(0), CLUSTER_WIDE)
        .doc("The most bytes a second that throttled leaders send to followers.");
    t.int64("follower.replication.throttled.rate", Long.MAX_VALUE, atLeast(0), CLUSTER_WIDE)
        .doc("The most bytes a second that throttled followers fetch.");
    t.int64(
            "replica.alter.log.dirs.io.max.bytes.per.second",
            Long.MAX_VALUE,
            atLeast(0),
            CLUSTER_WIDE)
        .doc("The most bytes a second that are moved between directories.");
  }
}
