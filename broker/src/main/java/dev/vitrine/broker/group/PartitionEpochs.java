package dev.vitrine.broker.group;

import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Partitions of a member, each with the epoch in which it was assigned (KIP-1251). Immutable.
 *
 * @param byTopic epochs by partition by topic id; no topic is empty
 */
record PartitionEpochs(SortedMap<Uuid, SortedMap<Integer, Integer>> byTopic) {
  static final PartitionEpochs NONE = new PartitionEpochs(Collections.emptySortedMap());

  /** All of them in the same epoch. */
  static PartitionEpochs of(Map<Uuid, Set<Integer>> partitions, int epoch) {
    Builder b = new Builder();
    partitions.forEach((topic, set) -> set.forEach(p -> b.put(topic, p, epoch)));
    return b.build();
  }

  /**
   * @param memberEpoch counts where an older log does not say the epochs
   */
  static PartitionEpochs read(List<TopicPartitions> topics, int memberEpoch) {
    Builder b = new Builder();
    for (TopicPartitions t : topics) {
      List<Integer> epochs = t.assignmentEpochs();
      boolean said = epochs != null && epochs.size() == t.partitions().size();
      for (int i = 0; i < t.partitions().size(); i++) {
        b.put(t.topicId(), t.partitions().get(i), said ? epochs.get(i) : Math.max(memberEpoch, 0));
      }
    }
    return b.build();
  }

  List<TopicPartitions> write() {
    List<TopicPartitions> topics = new ArrayList<>();
    byTopic.forEach(
        (topic, epochs) ->
            topics.add(
                new TopicPartitions()
                    .topicId(topic)
                    .partitions(new ArrayList<>(epochs.keySet()))
                    .assignmentEpochs(new ArrayList<>(epochs.values()))));
    return topics;
  }

  boolean isEmpty() {
    return byTopic.isEmpty();
  }

  /** Null if the partition is not among them. */
  Integer epoch(Uuid topic, int partition) {
    SortedMap<Integer, Integer> epochs = byTopic.get(topic);
    return epochs == null ? null : epochs.get(partition);
  }

  boolean contains(Uuid topic, int partition) {
    return epoch(topic, partition) != null;
  }

  /** A static member that leaves for a while may commit for all it had. */
  PartitionEpochs withEpochZero() {
    Builder b = new Builder();
    forEach((topic, partition, epoch) -> b.put(topic, partition, 0));
    return b.build();
  }

  interface Visitor {
    void visit(Uuid topic, int partition, int epoch);
  }

  void forEach(Visitor v) {
    byTopic.forEach((topic, epochs) -> epochs.forEach((p, epoch) -> v.visit(topic, p, epoch)));
  }

  /** Puts them together. */
  static final class Builder {
    private final TreeMap<Uuid, SortedMap<Integer, Integer>> byTopic = new TreeMap<>();

    void put(Uuid topic, int partition, int epoch) {
      byTopic.computeIfAbsent(topic, t -> new TreeMap<>()).put(partition, epoch);
    }

    boolean isEmpty() {
      return byTopic.isEmpty();
    }

    PartitionEpochs build() {
      return byTopic.isEmpty() ? NONE : new PartitionEpochs(byTopic);
    }
  }
}
