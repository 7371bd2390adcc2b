package dev.vitrine.broker.group.assignor;

import dev.vitrine.protocol.Uuid;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * {@code range}: of each topic each subscriber gets one range, the first ones a partition more
 * where it does not divide. All topics are dealt out in the same order of members, so topics that
 * have as many partitions and the same subscribers are co-partitioned: whoever has partition 3 of
 * one has partition 3 of the other. Static members come first, in the order of their instance ids,
 * and so keep their ranges when they come back with another member id. What members had before does
 * not count.
 */
final class RangeAssignor implements ServerAssignor {
  /** Present before absent. */
  private static final Comparator<Optional<String>> STATIC_FIRST =
      Comparator.comparing((Optional<String> i) -> i.isEmpty()).thenComparing(i -> i.orElse(""));

  /** How far the partitions of one topic have been dealt out. */
  private static final class Deal {
    final int partitions;
    int subscribers;
    int dealtMembers;
    int nextPartition;

    Deal(int partitions) {
      this.partitions = partitions;
    }

    /** The end of the next member's range, exclusive. */
    int nextEnd() {
      int share = partitions / subscribers;
      int withOneMore = partitions % subscribers;
      int end = nextPartition + share + (dealtMembers < withOneMore ? 1 : 0);
      dealtMembers++;
      return end;
    }
  }

  @Override
  public String name() {
    return "range";
  }

  @Override
  public Map<String, Map<Uuid, Set<Integer>>> assign(AssignmentInput input) {
    Map<Uuid, Deal> deals = new TreeMap<>();
    for (AssignedMember m : input.members().values()) {
      for (Uuid topic : m.subscribedTopics()) {
        Integer partitions = input.partitionCounts().get(topic);
        if (partitions != null) {
          deals.computeIfAbsent(topic, t -> new Deal(partitions)).subscribers++;
        }
      }
    }
    Map<String, Map<Uuid, Set<Integer>>> result = new TreeMap<>();
    for (Map.Entry<String, AssignedMember> m : inOrder(input)) {
      Map<Uuid, Set<Integer>> ranges = new TreeMap<>();
      for (Uuid topic : m.getValue().subscribedTopics()) {
        Deal deal = deals.get(topic);
        if (deal != null) {
          Set<Integer> range = range(deal);
          if (!range.isEmpty()) {
            ranges.put(topic, range);
          }
        }
      }
      result.put(m.getKey(), ranges);
    }
    return result;
  }

  private static List<Map.Entry<String, AssignedMember>> inOrder(AssignmentInput input) {
    List<Map.Entry<String, AssignedMember>> members = new ArrayList<>(input.members().entrySet());
    members.sort(
        Comparator.comparing(
                (Map.Entry<String, AssignedMember> m) -> m.getValue().instanceId(), STATIC_FIRST)
            .thenComparing(Map.Entry::getKey));
    return members;
  }

  private static Set<Integer> range(Deal deal) {
    Set<Integer> range = new TreeSet<>();
    for (int end = deal.nextEnd(); deal.nextPartition < end; deal.nextPartition++) {
      range.add(deal.nextPartition);
    }
    return range;
  }
}
