package dev.vitrine.config;

import static dev.vitrine.config.ConfigRule.atLeast;
import static dev.vitrine.config.Mark.NO_EFFECT;

/** The windows over which quotas are measured. */
final class QuotaKeys {
  private QuotaKeys() {}

  static void define(ConfigTable.Builder t) {
    t.int32("quota.window.num", 11, atLeast(1)).doc("How many past windows client quotas look at.");
    t.int32("quota.window.size.seconds", 1, atLeast(1))
        .doc("The length of a window of client quotas.");
    t.int32("replication.quota.window.num", 11, atLeast(1))
        .doc("How many past windows replication quotas look at.");
    t.int32("replication.quota.window.size.seconds", 1, atLeast(1))
        .doc("The length of a window of replication quotas.");
    t.int32("alter.log.dirs.replication.quota.window.num", 11, atLeast(1))
        .doc("How many past windows the quota of moves between directories looks at.");
    t.int32("alter.log.dirs.replication.quota.window.size.seconds", 1, atLeast(1))
        .doc("The length of a window of the quota of moves between directories.");
    t.int32("controller.quota.window.num", 11, atLeast(1))
        .doc("How many past windows the quota of controller mutations looks at.");
    t.int32("controller.quota.window.size.seconds", 1, atLeast(1))
        .doc("The length of a window of the quota of controller mutations.");
    t.className("client.quota.callback.class", null, NO_EFFECT)
        .doc("A class that decides on client quotas.");
  }
}
