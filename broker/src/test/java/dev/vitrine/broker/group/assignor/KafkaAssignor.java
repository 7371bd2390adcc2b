package dev.vitrine.broker.group.assignor;

import dev.vitrine.protocol.Uuid;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.coordinator.group.api.assignor.ConsumerGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.GroupSpec;
import org.apache.kafka.coordinator.group.api.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.assignor.MemberSubscription;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;

/**
 * Apache Kafka's own assignors behind our interface: the oracle. Kafka's coordinator never shows
 * them topics or partitions that are not there, so neither does this.
 */
record KafkaAssignor(ConsumerGroupPartitionAssignor assignor) implements ServerAssignor {
  @Override
  public String name() {
    return assignor.name();
  }

  @Override
  public Map<String, Map<Uuid, Set<Integer>>> assign(AssignmentInput input) {
    Map<String, Map<Uuid, Set<Integer>>> result = new TreeMap<>();
    assignor
        .assign(new Spec(input), new Topics(input))
        .members()
        .forEach(
            (id, a) -> {
              Map<Uuid, Set<Integer>> of = new TreeMap<>();
              a.partitions().forEach((t, ps) -> of.put(ours(t), new TreeSet<>(ps)));
              of.values().removeIf(Set::isEmpty);
              result.put(id, of);
            });
    input.members().keySet().forEach(id -> result.putIfAbsent(id, Map.of()));
    return result;
  }

  private static Uuid ours(org.apache.kafka.common.Uuid id) {
    return new Uuid(id.getMostSignificantBits(), id.getLeastSignificantBits());
  }

  private static org.apache.kafka.common.Uuid theirs(Uuid id) {
    return new org.apache.kafka.common.Uuid(id.mostSignificantBits(), id.leastSignificantBits());
  }

  private record Topics(AssignmentInput input) implements SubscribedTopicDescriber {
    @Override
    public int numPartitions(org.apache.kafka.common.Uuid topicId) {
      return input.partitionCounts().getOrDefault(ours(topicId), -1);
    }

    @Override
    public Set<String> racksForPartition(org.apache.kafka.common.Uuid topicId, int partition) {
      throw new AssertionError("racks count after all");
    }
  }

  private record Member(AssignedMember m, AssignmentInput input)
      implements MemberSubscription, MemberAssignment {
    @Override
    public Optional<String> rackId() {
      return m.rackId();
    }

    @Override
    public Optional<String> instanceId() {
      return m.instanceId();
    }

    @Override
    public Set<org.apache.kafka.common.Uuid> subscribedTopicIds() {
      Set<org.apache.kafka.common.Uuid> ids = new LinkedHashSet<>();
      for (Uuid t : new TreeSet<>(m.subscribedTopics())) {
        if (input.partitionCounts().containsKey(t)) {
          ids.add(theirs(t));
        }
      }
      return ids;
    }

    @Override
    public Map<org.apache.kafka.common.Uuid, Set<Integer>> partitions() {
      Map<org.apache.kafka.common.Uuid, Set<Integer>> all = new LinkedHashMap<>();
      new TreeMap<>(m.target())
          .forEach(
              (t, ps) -> {
                Set<Integer> there = new TreeSet<>(ps);
                there.removeIf(p -> p >= input.partitionCounts().getOrDefault(t, 0));
                all.put(theirs(t), there);
              });
      return Collections.unmodifiableMap(all); // it insists
    }
  }

  private record Spec(AssignmentInput input) implements GroupSpec {
    @Override
    public Collection<String> memberIds() {
      return input.members().keySet();
    }

    @Override
    public SubscriptionType subscriptionType() {
      Set<Set<org.apache.kafka.common.Uuid>> different = new LinkedHashSet<>();
      input.members().keySet().forEach(id -> different.add(member(id).subscribedTopicIds()));
      return different.size() <= 1 ? SubscriptionType.HOMOGENEOUS : SubscriptionType.HETEROGENEOUS;
    }

    @Override
    public boolean isPartitionAssigned(org.apache.kafka.common.Uuid topicId, int partition) {
      for (AssignedMember m : input.members().values()) {
        if (m.target().getOrDefault(ours(topicId), Set.of()).contains(partition)) {
          return true;
        }
      }
      return false;
    }

    @Override
    public boolean isPartitionAssignable(org.apache.kafka.common.Uuid topicId, int partition) {
      return true;
    }

    @Override
    public MemberSubscription memberSubscription(String memberId) {
      return member(memberId);
    }

    @Override
    public MemberAssignment memberAssignment(String memberId) {
      return member(memberId);
    }

    private Member member(String id) {
      return new Member(input.members().get(id), input);
    }
  }
}
