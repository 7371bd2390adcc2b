package dev.vitrine.compat.sim;

import dev.vitrine.broker.partition.Partition;

/**
 * The epoch in which a node had a partition when a client sent its request: an answer without error
 * must be from this epoch or a later one, and not from before the client's.
 */
record NodeEpoch(SimNode node, int incarnation, int epoch) {
  static NodeEpoch of(SimNode n, PartitionId id) {
    Partition p = n.partition(id);
    return new NodeEpoch(n, n.incarnation, p == null ? -1 : p.leaderEpoch());
  }

  /** The node has served a client that told this epoch. */
  void check(ClusterSim sim, PartitionId id, int told, String what) {
    Partition p = node.partition(id);
    if (node.incarnation == incarnation && p != null) {
      sim.check(
          epoch <= told && told <= p.leaderEpoch(),
          node,
          what + " in epoch " + told + " and is served, in epoch " + epoch);
    }
  }
}
