package dev.vitrine.metadata;

import dev.vitrine.protocol.Uuid;
import org.pcollections.IntTreePMap;
import org.pcollections.PMap;

/**
 * One topic and its partitions by index, in ascending order. Immutable.
 *
 * @param id changes when a topic is deleted and created again under the same name
 */
public record TopicImage(String name, Uuid id, PMap<Integer, PartitionImage> partitions) {
  static TopicImage empty(String name, Uuid id) {
    return new TopicImage(name, id, IntTreePMap.empty());
  }

  /** The partition, or null if there is none of this index. */
  public PartitionImage partition(int index) {
    return partitions.get(index);
  }

  public int partitionCount() {
    return partitions.size();
  }

  TopicImage with(int index, PartitionImage partition) {
    return new TopicImage(name, id, partitions.plus(index, partition));
  }
}
