package dev.vitrine.compat.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("smoke")
class FaultScheduleTest {
  private static final int LENGTH_MS = 120_000;

  @Test
  void aSeedIsOneSchedule() {
    assertEquals(draw(1), draw(1));
    assertNotEquals(draw(1), draw(2));
  }

  @Test
  void everyFaultIsWithinTheRun() {
    for (long seed = 0; seed < 200; seed++) {
      long last = 0;
      for (Fault fault : draw(seed)) {
        assertTrue(fault.atMs() >= last && fault.lengthMs() >= 0, fault.toString());
        assertTrue(fault.atMs() + fault.lengthMs() <= LENGTH_MS, fault.toString());
        assertEquals(fault.kind().nodes(), Set.copyOf(fault.nodes()).size(), fault.toString());
        assertTrue(fault.nodes().stream().allMatch(n -> n >= 1 && n <= 3), fault.toString());
        last = fault.atMs();
      }
    }
  }

  @Test
  void theFirstIsTheDeathOfALeader() {
    for (long seed = 0; seed < 20; seed++) {
      Fault first = draw(seed).get(0);
      assertEquals(FaultKind.KILL, first.kind());
      assertEquals(Fault.Victim.LEADER, first.victim());
    }
    List<FaultKind> pauses = List.of(FaultKind.PAUSE);
    assertEquals(FaultKind.PAUSE, FaultSchedule.draw(1, 3, LENGTH_MS, pauses).get(0).kind());
  }

  @Test
  void aRunOfTwoMinutesHasEveryKind() {
    for (long seed = 0; seed < 200; seed++) {
      Set<FaultKind> kinds = EnumSet.noneOf(FaultKind.class);
      draw(seed).forEach(fault -> kinds.add(fault.kind()));
      assertEquals(EnumSet.copyOf(FaultKind.SAFE), kinds, "seed " + seed);
    }
  }

  @Test
  void everyNodeAndVictimIsDrawn() {
    Set<Object> drawn = new HashSet<>();
    for (Fault fault : draw(7)) {
      drawn.addAll(fault.nodes());
      drawn.add(fault.victim());
      drawn.add(fault.hasty());
    }
    assertEquals(3 + Fault.Victim.values().length + 2, drawn.size(), drawn.toString());
  }

  @Test
  void aVictimTakesThePlaceOfTheFirst() {
    Fault kill = new Fault(1, 0, 1, FaultKind.KILL, Fault.Victim.LEADER, List.of(1), 0, false);
    assertEquals(List.of(2), kill.on(2).nodes());
    Fault cut = new Fault(1, 0, 1, FaultKind.CUT, Fault.Victim.LEADER, List.of(1, 2), 0, false);
    assertEquals(List.of(3, 2), cut.on(3).nodes());
    assertEquals(List.of(2, 1), cut.on(2).nodes());
    assertEquals(List.of(1, 2), cut.on(1).nodes());
  }

  private static List<Fault> draw(long seed) {
    return FaultSchedule.draw(seed, 3, LENGTH_MS, FaultKind.SAFE);
  }
}
