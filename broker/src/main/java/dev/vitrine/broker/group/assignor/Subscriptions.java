package dev.vitrine.broker.group.assignor;

import dev.vitrine.protocol.Uuid;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The input of {@link UniformAssignor} as numbers: members by index in the order of their ids, and
 * the topics in classes. Knows what of the members' targets still stands.
 */
final class Subscriptions {
  final String[] members;

  /** Those with the fewest subscribers first: they have the least choice. */
  final List<TopicClass> classes;

  private Subscriptions(String[] members, List<TopicClass> classes) {
    this.members = members;
    this.classes = classes;
  }

  static Subscriptions of(AssignmentInput input) {
    String[] members = input.members().keySet().toArray(new String[0]);
    Map<Uuid, BitSet> subscribers = new TreeMap<>();
    int index = 0;
    for (AssignedMember m : input.members().values()) {
      for (Uuid topic : m.subscribedTopics()) {
        if (input.partitionCounts().containsKey(topic)) {
          subscribers.computeIfAbsent(topic, t -> new BitSet(members.length)).set(index);
        }
      }
      index++;
    }
    Map<Uuid, int[]> owners = owners(input, subscribers);
    Map<BitSet, List<Uuid>> topics = new LinkedHashMap<>();
    subscribers.forEach((t, who) -> topics.computeIfAbsent(who, w -> new ArrayList<>()).add(t));
    List<TopicClass> classes = new ArrayList<>();
    topics.forEach((who, of) -> classes.add(topicClass(of, who.stream().toArray(), owners)));
    classes.sort(Comparator.comparingInt((TopicClass c) -> c.subscribers.length));
    return new Subscriptions(members, classes);
  }

  /** Who was to have each partition and may keep it; the first, if several were. */
  private static Map<Uuid, int[]> owners(AssignmentInput input, Map<Uuid, BitSet> subscribers) {
    Map<Uuid, int[]> owners = new TreeMap<>();
    for (Uuid topic : subscribers.keySet()) {
      int[] none = new int[input.partitionCounts().get(topic)];
      Arrays.fill(none, -1);
      owners.put(topic, none);
    }
    int index = 0;
    for (AssignedMember m : input.members().values()) {
      for (Map.Entry<Uuid, Set<Integer>> had : m.target().entrySet()) {
        int[] of = owners.get(had.getKey());
        if (of != null && subscribers.get(had.getKey()).get(index)) {
          for (int p : had.getValue()) {
            if (p >= 0 && p < of.length && of[p] < 0) {
              of[p] = index;
            }
          }
        }
      }
      index++;
    }
    return owners;
  }

  private static TopicClass topicClass(
      List<Uuid> topics, int[] subscribers, Map<Uuid, int[]> ownersOf) {
    int[][] owners = topics.stream().map(ownersOf::get).toArray(int[][]::new);
    TopicClass c = new TopicClass(topics.toArray(new Uuid[0]), owners, subscribers);
    for (int[] of : owners) {
      for (int member : of) {
        if (member < 0) {
          c.unowned++;
        } else {
          c.had[Arrays.binarySearch(subscribers, member)]++;
        }
      }
    }
    System.arraycopy(c.had, 0, c.has, 0, c.had.length);
    return c;
  }
}
