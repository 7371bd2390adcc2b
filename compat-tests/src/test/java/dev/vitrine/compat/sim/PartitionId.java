package dev.vitrine.compat.sim;

import dev.vitrine.broker.partition.Partition;
import dev.vitrine.protocol.Uuid;

/** A partition of one life of a topic: of two topics that once had the same name, each its own. */
record PartitionId(Uuid topic, int index) {
  static PartitionId of(Partition p) {
    return new PartitionId(p.topicId(), p.name().partition());
  }
}
