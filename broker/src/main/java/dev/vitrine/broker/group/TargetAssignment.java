package dev.vitrine.broker.group;

import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.ConsumerGroupTargetAssignmentMemberValue;
import dev.vitrine.protocol.message.ConsumerGroupTargetAssignmentMemberValue.TopicPartition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a member is to own. Immutable.
 *
 * @param partitions by topic id, all sorted
 */
record TargetAssignment(SortedMap<Uuid, Set<Integer>> partitions) {
  static final TargetAssignment NONE = new TargetAssignment(Collections.emptySortedMap());

  static TargetAssignment of(Map<Uuid, ? extends Collection<Integer>> partitions) {
    TreeMap<Uuid, Set<Integer>> sorted = new TreeMap<>();
    partitions.forEach((topic, p) -> sorted.put(topic, new TreeSet<>(p)));
    return sorted.isEmpty() ? NONE : new TargetAssignment(sorted);
  }

  static TargetAssignment read(ConsumerGroupTargetAssignmentMemberValue v) {
    TreeMap<Uuid, Collection<Integer>> partitions = new TreeMap<>();
    v.topicPartitions().forEach(t -> partitions.put(t.topicId(), t.partitions()));
    return of(partitions);
  }

  ConsumerGroupTargetAssignmentMemberValue write() {
    List<TopicPartition> topics = new ArrayList<>();
    partitions.forEach(
        (topic, p) ->
            topics.add(new TopicPartition().topicId(topic).partitions(new ArrayList<>(p))));
    return new ConsumerGroupTargetAssignmentMemberValue().topicPartitions(topics);
  }

  Set<Integer> of(Uuid topic) {
    return partitions.getOrDefault(topic, Collections.emptySet());
  }
}
