package dev.vitrine.broker.group.assignor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vitrine.protocol.Uuid;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RangeAssignorTest {
  private static final Uuid A = RandomGroups.topic(0);
  private static final Uuid B = RandomGroups.topic(1);

  private final RangeAssignor range = new RangeAssignor();
  private final SortedMap<String, AssignedMember> members = new TreeMap<>();
  private final Map<Uuid, Integer> counts = new HashMap<>();

  private void member(String id, String instance, Set<Uuid> topics) {
    members.put(
        id, new AssignedMember(Optional.ofNullable(instance), Optional.empty(), topics, Map.of()));
  }

  private Map<String, Map<Uuid, Set<Integer>>> assign() {
    AssignmentInput input = new AssignmentInput(members, counts);
    Map<String, Map<Uuid, Set<Integer>>> result = range.assign(input);
    Quality.assertComplete(input, result, input);
    return result;
  }

  @Test
  void givesTheFirstMembersOneMore() {
    counts.put(A, 5);
    member("m1", null, Set.of(A));
    member("m2", null, Set.of(A));
    member("m3", null, Set.of(A));
    assertEquals(
        Map.of(
            "m1",
            Map.of(A, Set.of(0, 1)),
            "m2",
            Map.of(A, Set.of(2, 3)),
            "m3",
            Map.of(A, Set.of(4))),
        assign());
  }

  @Test
  void putsStaticMembersFirstInTheOrderOfTheirInstances() {
    counts.put(A, 4);
    member("m1", null, Set.of(A));
    member("m2", "i2", Set.of(A));
    member("m3", "i1", Set.of(A));
    assertEquals(
        Map.of(
            "m3", Map.of(A, Set.of(0, 1)), "m2", Map.of(A, Set.of(2)), "m1", Map.of(A, Set.of(3))),
        assign());
  }

  @Test
  void coPartitionsTopicsWithTheSameSubscribers() {
    counts.put(A, 7);
    counts.put(B, 7);
    member("m1", null, Set.of(A, B));
    member("m2", "i1", Set.of(A, B));
    member("m3", null, Set.of(A, B));
    assign().values().forEach(of -> assertEquals(of.get(A), of.get(B)));
  }

  @Test
  void leavesOutWhoDoesNotWantATopicAndTopicsThatAreNotThere() {
    counts.put(A, 2);
    counts.put(B, 2);
    member("m1", null, Set.of(A));
    member("m2", null, Set.of(A, B, RandomGroups.topic(9)));
    member("m3", null, Set.of());
    assertEquals(
        Map.of(
            "m1", Map.of(A, Set.of(0)),
            "m2", Map.of(A, Set.of(1), B, Set.of(0, 1)),
            "m3", Map.of()),
        assign());
  }
}
