package dev.vitrine.broker.partition;

import dev.vitrine.metadata.PartitionImage;
import java.util.List;

/**
 * What the controller has decided of a partition, as far as a replica cares. Immutable.
 *
 * @param leader a broker id, or -1 while there is none
 */
public record Assignment(
    List<Integer> replicas, List<Integer> isr, int leader, int leaderEpoch, int partitionEpoch) {
  public static Assignment of(PartitionImage image) {
    return new Assignment(
        image.replicas(), image.isr(), image.leader(), image.leaderEpoch(), image.partitionEpoch());
  }

  boolean isNewerThan(Assignment other) {
    return other == null
        || leaderEpoch > other.leaderEpoch
        || partitionEpoch > other.partitionEpoch;
  }
}
