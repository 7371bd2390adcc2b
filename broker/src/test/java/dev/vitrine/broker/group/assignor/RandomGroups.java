package dev.vitrine.broker.group.assignor;

import dev.vitrine.protocol.Uuid;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Draws groups and what may happen to them, from a seed. */
final class RandomGroups {
  final Random random;
  private final int maxMembers;
  private final int maxTopics;
  private final int maxPartitions;

  RandomGroups(long seed, int maxMembers, int maxTopics, int maxPartitions) {
    this.random = new Random(seed);
    this.maxMembers = maxMembers;
    this.maxTopics = maxTopics;
    this.maxPartitions = maxPartitions;
  }

  static Uuid topic(int i) {
    return new Uuid(7, 1000 + i);
  }

  private static AssignedMember member(Optional<String> instance, Set<Uuid> topics) {
    return new AssignedMember(instance, Optional.empty(), topics, Map.of());
  }

  /** A group whose members have nothing yet. */
  AssignmentInput draw() {
    Map<Uuid, Integer> counts = new TreeMap<>();
    int topics = 1 + random.nextInt(maxTopics);
    for (int t = 0; t < topics; t++) {
      counts.put(topic(t), 1 + random.nextInt(maxPartitions));
    }
    boolean homogeneous = random.nextInt(3) == 0;
    Set<Uuid> common = subset(counts.keySet());
    SortedMap<String, AssignedMember> members = new TreeMap<>();
    int n = 1 + random.nextInt(maxMembers);
    for (int m = 0; m < n; m++) {
      members.put(id(), member(instance(m), homogeneous ? common : subset(counts.keySet())));
    }
    return new AssignmentInput(members, counts);
  }

  private String id() {
    return String.format("m-%08x", random.nextInt());
  }

  private Optional<String> instance(int m) {
    return random.nextInt(4) == 0
        ? Optional.of("i-" + random.nextInt(50) + "-" + m)
        : Optional.empty();
  }

  /** Mostly not empty. */
  private Set<Uuid> subset(Set<Uuid> of) {
    List<Uuid> all = new ArrayList<>(of);
    Set<Uuid> some = new LinkedHashSet<>();
    int n = random.nextInt(20) == 0 ? 0 : 1 + random.nextInt(all.size());
    for (int i = 0; i < n; i++) {
      some.add(all.get(random.nextInt(all.size())));
    }
    return some;
  }

  /** The same group with this as its members' targets. */
  static AssignmentInput with(AssignmentInput input, Map<String, Map<Uuid, Set<Integer>>> target) {
    SortedMap<String, AssignedMember> members = new TreeMap<>();
    input
        .members()
        .forEach(
            (id, m) ->
                members.put(
                    id,
                    new AssignedMember(
                        m.instanceId(),
                        m.rackId(),
                        m.subscribedTopics(),
                        target.getOrDefault(id, Map.of()))));
    return new AssignmentInput(members, input.partitionCounts());
  }

  /** Members come and go or change their minds; topics come, go and grow. */
  AssignmentInput disturb(AssignmentInput before) {
    SortedMap<String, AssignedMember> members = new TreeMap<>(before.members());
    Map<Uuid, Integer> counts = new TreeMap<>(before.partitionCounts());
    int changes = 1 + random.nextInt(3);
    for (int i = 0; i < changes; i++) {
      List<String> ids = new ArrayList<>(members.keySet());
      String some = ids.get(random.nextInt(ids.size()));
      AssignedMember m = members.get(some);
      switch (random.nextInt(6)) {
        case 0 -> members.put(id(), member(instance(ids.size()), subset(counts.keySet())));
        case 1 -> members.put(id(), member(Optional.empty(), m.subscribedTopics()));
        case 2 -> {
          if (ids.size() > 1) {
            members.remove(some);
          }
        }
        case 3 ->
            members.put(
                some,
                new AssignedMember(
                    m.instanceId(), m.rackId(), subset(counts.keySet()), m.target()));
        case 4 -> counts.put(topic(random.nextInt(maxTopics)), 1 + random.nextInt(maxPartitions));
        default -> {
          if (counts.size() > 1) {
            counts.remove(topic(random.nextInt(maxTopics)));
          }
        }
      }
    }
    if (counts.isEmpty()) {
      counts.put(topic(0), 1);
    }
    return new AssignmentInput(members, counts);
  }

  /** Something that no assignor has made: unbalanced, not wanted, not there, and owned twice. */
  Map<String, Map<Uuid, Set<Integer>>> anyTarget(AssignmentInput input) {
    Map<String, Map<Uuid, Set<Integer>>> target = new TreeMap<>();
    for (String id : input.members().keySet()) {
      Map<Uuid, Set<Integer>> of = new TreeMap<>();
      for (int i = random.nextInt(4); i > 0; i--) {
        Set<Integer> some = new TreeSet<>();
        for (int p = 0; p < maxPartitions + 1; p++) {
          if (random.nextInt(3) == 0) {
            some.add(p);
          }
        }
        of.put(topic(random.nextInt(maxTopics + 1)), some);
      }
      target.put(id, of);
    }
    return target;
  }
}
