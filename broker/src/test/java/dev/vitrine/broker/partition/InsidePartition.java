package dev.vitrine.broker.partition;

import java.util.List;

/** What a simulation needs of a leader's inside, and nobody else: opened here for tests alone. */
public final class InsidePartition {
  private InsidePartition() {}

  /** The in-sync replicas as the controller last told this leader; null of a follower. */
  public static List<Integer> inSync(Partition p) {
    IsrState isr = p.inSync();
    return isr == null ? null : isr.committed();
  }

  /** What this leader has asked the controller for; null if nothing. */
  public static List<Integer> proposed(Partition p) {
    IsrState isr = p.inSync();
    return isr == null ? null : isr.proposed();
  }

  /** {@code min.insync.replicas} as it holds for this partition. */
  public static int minInSync(Partition p) {
    return p.minInSync();
  }
}
