package dev.vitrine.broker.group.assignor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vitrine.protocol.Uuid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class UniformAssignorTest {
  private static final Uuid A = RandomGroups.topic(0);
  private static final Uuid B = RandomGroups.topic(1);
  private static final Uuid C = RandomGroups.topic(2);

  private final UniformAssignor uniform = new UniformAssignor();
  private final SortedMap<String, AssignedMember> members = new TreeMap<>();
  private final Map<Uuid, Integer> counts = new HashMap<>();

  private void member(String id, Set<Uuid> topics, Map<Uuid, Set<Integer>> target) {
    members.put(id, new AssignedMember(Optional.empty(), Optional.empty(), topics, target));
  }

  private Map<String, Map<Uuid, Set<Integer>>> assign() {
    AssignmentInput input = new AssignmentInput(members, counts);
    Map<String, Map<Uuid, Set<Integer>>> result = uniform.assign(input);
    Quality.assertComplete(input, result, input);
    return result;
  }

  @Test
  void nobodyGetsNothing() {
    counts.put(A, 3);
    assertEquals(Map.of(), assign());
    member("m1", Set.of(), Map.of());
    member("m2", Set.of(B), Map.of());
    assertEquals(Map.of("m1", Map.of(), "m2", Map.of()), assign());
  }

  @Test
  void sharesATopicInRanges() {
    counts.put(A, 5);
    member("m1", Set.of(A), Map.of());
    member("m2", Set.of(A), Map.of());
    assertEquals(Map.of("m1", Map.of(A, Set.of(0, 1, 2)), "m2", Map.of(A, Set.of(3, 4))), assign());
  }

  @Test
  void givesEachMemberItsShareOfEachTopic() {
    counts.put(A, 4);
    counts.put(B, 4);
    member("m1", Set.of(A, B), Map.of());
    member("m2", Set.of(A, B), Map.of());
    assertEquals(
        Map.of(
            "m1", Map.of(A, Set.of(0, 1), B, Set.of(0, 1)),
            "m2", Map.of(A, Set.of(2, 3), B, Set.of(2, 3))),
        assign());
  }

  @Test
  void takesAsLittleAsNeededFromEachForOneWhoJoins() {
    counts.put(A, 6);
    member("m1", Set.of(A), Map.of(A, Set.of(0, 1, 2)));
    member("m2", Set.of(A), Map.of(A, Set.of(3, 4, 5)));
    member("m0", Set.of(A), Map.of());
    assertEquals(
        Map.of(
            "m0", Map.of(A, Set.of(2, 5)),
            "m1", Map.of(A, Set.of(0, 1)),
            "m2", Map.of(A, Set.of(3, 4))),
        assign());
  }

  @Test
  void movesOnlyWhatTheOneWhoLeavesHad() {
    counts.put(A, 6);
    member("m1", Set.of(A), Map.of(A, Set.of(0, 1)));
    member("m3", Set.of(A), Map.of(A, Set.of(4, 5)));
    assertEquals(
        Map.of("m1", Map.of(A, Set.of(0, 1, 2)), "m3", Map.of(A, Set.of(3, 4, 5))), assign());
  }

  @Test
  void keepsWhoHasOneMore() {
    counts.put(A, 3);
    member("m1", Set.of(A), Map.of(A, Set.of(2)));
    member("m2", Set.of(A), Map.of(A, Set.of(0, 1)));
    assertEquals(Map.of("m1", Map.of(A, Set.of(2)), "m2", Map.of(A, Set.of(0, 1))), assign());
  }

  @Test
  void letsGoOfWhatIsNotThereOrNotWantedAnyMore() {
    counts.put(A, 2);
    counts.put(B, 1);
    member("m1", Set.of(A, C), Map.of(A, Set.of(0, 2, 7), B, Set.of(0), C, Set.of(0)));
    member("m2", Set.of(A, B), Map.of());
    assertEquals(Map.of("m1", Map.of(A, Set.of(0, 1)), "m2", Map.of(B, Set.of(0))), assign());
  }

  @Test
  void levelsOverMembersWhoShareNoTopic() {
    counts.put(A, 4);
    counts.put(B, 2);
    // m1 can relieve nobody but through m2.
    member("m1", Set.of(A), Map.of(A, Set.of(0, 1, 2)));
    member("m2", Set.of(A, B), Map.of(A, Set.of(3), B, Set.of(0)));
    member("m3", Set.of(B), Map.of(B, Set.of(1)));
    Map<String, Map<Uuid, Set<Integer>>> result = assign();
    result.forEach((id, of) -> assertEquals(2, load(of), () -> id + " in " + result));
  }

  private static int load(Map<Uuid, Set<Integer>> of) {
    return of.values().stream().mapToInt(Set::size).sum();
  }

  @Test
  void isAsLevelAsCanBeAndMovesNoMoreThanItMust() {
    for (long seed = 0; seed < 3000; seed++) {
      RandomGroups groups = new RandomGroups(seed, 4, 3, 3);
      AssignmentInput input = groups.draw();
      if (groups.random.nextBoolean()) {
        input = RandomGroups.with(input, groups.anyTarget(input));
      }
      Map<String, Map<Uuid, Set<Integer>>> result = uniform.assign(input);
      Quality.assertComplete(input, result, seed);
      assertEquals(best(input), Quality.of(input, result), "seed " + seed);
    }
  }

  /** The best of all assignments that there are. */
  private static Quality best(AssignmentInput input) {
    List<Map.Entry<Uuid, Integer>> partitions = new ArrayList<>();
    List<List<String>> candidates = new ArrayList<>();
    new TreeMap<>(input.partitionCounts())
        .forEach(
            (t, count) -> {
              List<String> wanting = new ArrayList<>();
              input
                  .members()
                  .forEach(
                      (id, m) -> {
                        if (m.subscribedTopics().contains(t)) {
                          wanting.add(id);
                        }
                      });
              for (int p = 0; p < count && !wanting.isEmpty(); p++) {
                partitions.add(Map.entry(t, p));
                candidates.add(wanting);
              }
            });
    List<String> ids = List.copyOf(input.members().keySet());
    int[] loads = new int[ids.size()];
    Quality[] best = {new Quality(Long.MAX_VALUE, 0)};
    tryAll(input, ids, partitions, candidates, 0, 0, loads, best);
    return best[0];
  }

  private static void tryAll(
      AssignmentInput input,
      List<String> ids,
      List<Map.Entry<Uuid, Integer>> partitions,
      List<List<String>> candidates,
      int next,
      int moves,
      int[] loads,
      Quality[] best) {
    if (next == partitions.size()) {
      long squares = 0;
      for (int l : loads) {
        squares += (long) l * l;
      }
      if (squares < best[0].squares()
          || (squares == best[0].squares() && moves < best[0].moves())) {
        best[0] = new Quality(squares, moves);
      }
      return;
    }
    Uuid topic = partitions.get(next).getKey();
    int partition = partitions.get(next).getValue();
    String had = null;
    for (String id : candidates.get(next)) {
      if (had == null
          && input.members().get(id).target().getOrDefault(topic, Set.of()).contains(partition)) {
        had = id;
      }
    }
    for (String id : candidates.get(next)) {
      int m = ids.indexOf(id);
      loads[m]++;
      int moved = had != null && !had.equals(id) ? 1 : 0;
      tryAll(input, ids, partitions, candidates, next + 1, moves + moved, loads, best);
      loads[m]--;
    }
  }

  @Test
  void movesNoMoreThanTheBestWhereAllWantTheSame() {
    for (long seed = 0; seed < 3000; seed++) {
      RandomGroups groups = new RandomGroups(seed, 3, 2, 4);
      AssignmentInput drawn = groups.draw();
      Set<Uuid> topics = drawn.members().get(drawn.members().firstKey()).subscribedTopics();
      SortedMap<String, AssignedMember> same = new TreeMap<>();
      drawn
          .members()
          .keySet()
          .forEach(
              id ->
                  same.put(
                      id,
                      new AssignedMember(Optional.empty(), Optional.empty(), topics, Map.of())));
      AssignmentInput input = new AssignmentInput(same, drawn.partitionCounts());
      input = RandomGroups.with(input, groups.anyTarget(input));
      assertEquals(best(input), Quality.of(input, uniform.assign(input)), "seed " + seed);
    }
  }

  @Test
  void changesNothingWithoutACause() {
    for (long seed = 0; seed < 1000; seed++) {
      RandomGroups groups = new RandomGroups(seed, 12, 8, 12);
      AssignmentInput input = groups.draw();
      for (int step = 0; step < 5; step++) {
        Map<String, Map<Uuid, Set<Integer>>> result = uniform.assign(input);
        Quality.assertComplete(input, result, seed);
        AssignmentInput again = RandomGroups.with(input, result);
        assertEquals(result, uniform.assign(again), "seed " + seed + ", step " + step);
        input = groups.disturb(again);
      }
    }
  }

  @Test
  void answersTheSameInWhateverOrderItIsAsked() {
    for (long seed = 0; seed < 300; seed++) {
      RandomGroups groups = new RandomGroups(seed, 10, 6, 10);
      AssignmentInput input = groups.draw();
      input = RandomGroups.with(input, groups.anyTarget(input));
      SortedMap<String, AssignedMember> shuffled = new TreeMap<>();
      input
          .members()
          .forEach(
              (id, m) ->
                  shuffled.put(
                      id,
                      new AssignedMember(
                          m.instanceId(),
                          m.rackId(),
                          new HashSet<>(m.subscribedTopics()),
                          reversed(m.target()))));
      AssignmentInput other = new AssignmentInput(shuffled, reversed(input.partitionCounts()));
      assertEquals(uniform.assign(input), uniform.assign(other), "seed " + seed);
    }
  }

  private static <T> Map<Uuid, T> reversed(Map<Uuid, T> map) {
    Map<Uuid, T> reversed = new TreeMap<>(java.util.Comparator.<Uuid>naturalOrder().reversed());
    reversed.putAll(map);
    return reversed;
  }

  /** Would take minutes if anything were quadratic. */
  @Test
  void assignsTenThousandPartitionsToAThousandMembers() {
    for (int kinds : new int[] {1, 2, 100}) {
      RandomGroups groups = new RandomGroups(kinds, 1, 1, 1);
      members.clear();
      counts.clear();
      for (int t = 0; t < 200; t++) {
        counts.put(RandomGroups.topic(t), 50);
      }
      for (int m = 0; m < 1000; m++) {
        Set<Uuid> topics = new TreeSet<>();
        for (int t = 0; t < 200; t++) {
          if (t % kinds != m % kinds || kinds == 1) {
            topics.add(RandomGroups.topic(t));
          }
        }
        member(String.format("m%04d", m), topics, Map.of());
      }
      Map<String, Map<Uuid, Set<Integer>>> result = assign();
      result.values().forEach(of -> assertEquals(10, load(of)));
      // Half of them go and others come.
      AssignmentInput input = RandomGroups.with(new AssignmentInput(members, counts), result);
      members.clear();
      input
          .members()
          .forEach(
              (id, m) -> {
                if (groups.random.nextBoolean()) {
                  members.put(id, m);
                } else {
                  member("n" + id, m.subscribedTopics(), Map.of());
                }
              });
      Map<String, Map<Uuid, Set<Integer>>> next = assign();
      next.values().forEach(of -> assertEquals(10, load(of)));
      int moves = Quality.of(new AssignmentInput(members, counts), next).moves();
      assertEquals(0, moves, () -> moves + " moves with " + kinds + " kinds");
    }
  }

  /** Each topic is wanted by two neighbours: what one end has too much goes through all of them. */
  @Test
  void assignsALongChainOfMembers() {
    int n = 1000;
    for (int t = 0; t < n; t++) {
      counts.put(RandomGroups.topic(t), t == 0 ? 20 : t == n - 1 ? 1 : 10);
    }
    for (int m = 0; m < n; m++) {
      Uuid own = RandomGroups.topic(m);
      Set<Integer> all = new TreeSet<>();
      for (int p = 0; p < counts.get(own); p++) {
        all.add(p);
      }
      Set<Uuid> topics = new TreeSet<>(List.of(own, RandomGroups.topic(Math.max(0, m - 1))));
      member(String.format("m%04d", m), topics, Map.of(own, all));
    }
    Map<String, Map<Uuid, Set<Integer>>> result = assign();
    int most = result.values().stream().mapToInt(UniformAssignorTest::load).max().orElse(0);
    assertEquals(11, most);
  }
}
