package dev.vitrine.broker.group.assignor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.protocol.Uuid;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** How good an assignment is: the smaller the sum of the squared loads, the more level. */
record Quality(long squares, int moves) {
  static Quality of(AssignmentInput input, Map<String, Map<Uuid, Set<Integer>>> result) {
    long squares = 0;
    int moves = 0;
    Map<Uuid, Map<Integer, String>> before = owners(input);
    for (Map.Entry<String, Map<Uuid, Set<Integer>>> m : result.entrySet()) {
      long load = 0;
      for (Map.Entry<Uuid, Set<Integer>> t : m.getValue().entrySet()) {
        load += t.getValue().size();
        for (int p : t.getValue()) {
          String owner = before.getOrDefault(t.getKey(), Map.of()).get(p);
          moves += owner != null && !owner.equals(m.getKey()) ? 1 : 0;
        }
      }
      squares += load * load;
    }
    return new Quality(squares, moves);
  }

  /** Who could keep what. */
  private static Map<Uuid, Map<Integer, String>> owners(AssignmentInput input) {
    Map<Uuid, Map<Integer, String>> owners = new TreeMap<>();
    input
        .members()
        .forEach(
            (id, m) ->
                m.target()
                    .forEach(
                        (t, ps) -> {
                          if (m.subscribedTopics().contains(t)) {
                            ps.forEach(
                                p ->
                                    owners
                                        .computeIfAbsent(t, x -> new TreeMap<>())
                                        .putIfAbsent(p, id));
                          }
                        }));
    return owners;
  }

  /** Each partition that somebody wants has one owner, who wants it. */
  static void assertComplete(
      AssignmentInput input, Map<String, Map<Uuid, Set<Integer>>> result, Object hint) {
    assertEquals(input.members().keySet(), result.keySet(), () -> "members: " + hint);
    Map<Uuid, Set<Integer>> owned = new TreeMap<>();
    result.forEach(
        (id, topics) ->
            topics.forEach(
                (t, ps) -> {
                  assertTrue(
                      input.members().get(id).subscribedTopics().contains(t),
                      () -> id + " does not want " + t + ": " + hint);
                  assertTrue(!ps.isEmpty(), () -> id + " has nothing of " + t + ": " + hint);
                  for (int p : ps) {
                    assertTrue(
                        owned.computeIfAbsent(t, x -> new TreeSet<>()).add(p),
                        () -> t + "-" + p + " has two owners: " + hint);
                  }
                }));
    Set<Uuid> wanted = new TreeSet<>();
    input.members().values().forEach(m -> wanted.addAll(m.subscribedTopics()));
    Map<Uuid, Set<Integer>> expected = new TreeMap<>();
    for (Uuid t : wanted) {
      int count = input.partitionCounts().getOrDefault(t, 0);
      if (count > 0) {
        expected.put(t, IntStream.range(0, count).boxed().collect(Collectors.toSet()));
      }
    }
    assertEquals(expected, owned, () -> "owned partitions: " + hint);
  }
}
