package dev.vitrine.compat.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("smoke")
class FaultRulesTest {
  private static final FaultRules.View IN_SYNC = view(true, true);
  private static final FaultRules.View READY = view(true, false);
  private static final FaultRules.View NOT_READY = view(false, false);

  private final FaultRules rules = new FaultRules(3);
  private long now;

  @Test
  void aMajorityIsLeft() throws Exception {
    rules.begun(fault(FaultKind.KILL, 1));
    assertMay(false, fault(FaultKind.KILL, 2), IN_SYNC);
    assertMay(false, fault(FaultKind.PAUSE, 3), IN_SYNC);
    assertMay(false, fault(FaultKind.ISOLATE, 3), IN_SYNC);
    assertMay(false, fault(FaultKind.CUT, 2, 3), IN_SYNC);
    assertMay(false, fault(FaultKind.CUT, 1, 3), IN_SYNC); // it is down already
    assertMay(true, fault(FaultKind.SLOW, 2), NOT_READY);
  }

  @Test
  void aCutNodeMayBeKilledAsWell() throws Exception {
    rules.begun(fault(FaultKind.CUT, 1, 2));
    assertMay(true, fault(FaultKind.KILL, 1), NOT_READY);
    assertMay(true, fault(FaultKind.KILL, 2), IN_SYNC);
    assertMay(false, fault(FaultKind.KILL, 3), IN_SYNC);
    assertMay(true, fault(FaultKind.CUT, 1, 3), IN_SYNC);
    rules.begun(fault(FaultKind.CUT, 1, 3));
    assertMay(false, fault(FaultKind.KILL, 2), IN_SYNC);
    assertMay(true, fault(FaultKind.PAUSE, 1), IN_SYNC);
  }

  @Test
  void fiveNodesBearTwoFaults() throws Exception {
    FaultRules five = new FaultRules(5);
    five.begun(fault(FaultKind.KILL, 1));
    assertEquals(true, five.refusal(fault(FaultKind.PAUSE, 2), IN_SYNC, now).isEmpty());
    five.begun(fault(FaultKind.PAUSE, 2));
    assertEquals(false, five.refusal(fault(FaultKind.STOP, 3), IN_SYNC, now).isEmpty());
  }

  @Test
  void anotherNodeWaitsForTheLast() throws Exception {
    Fault kill = fault(FaultKind.KILL, 1);
    rules.begun(kill);
    rules.ended(kill, now);
    assertMay(true, fault(FaultKind.KILL, 1), NOT_READY); // again before it is back
    assertMay(false, fault(FaultKind.KILL, 2), READY);
    assertMay(true, fault(FaultKind.KILL, 2), IN_SYNC);
    assertMay(false, hasty(FaultKind.KILL, 2), NOT_READY);
    assertMay(true, hasty(FaultKind.KILL, 2), READY);
  }

  @Test
  void aPowerCutWantsAllInSyncAndNothingElse() throws Exception {
    assertMay(false, hasty(FaultKind.POWER_CUT, 1), READY);
    assertMay(false, hasty(FaultKind.TORN_POWER_CUT, 1), READY);
    assertMay(true, hasty(FaultKind.POWER_CUT, 1), IN_SYNC);
    Fault cut = fault(FaultKind.POWER_CUT, 1);
    rules.begun(cut);
    rules.ended(cut, now);
    assertMay(false, hasty(FaultKind.POWER_CUT, 1), IN_SYNC); // it has not registered anew
    assertMay(true, fault(FaultKind.KILL, 2), IN_SYNC);
    now += FaultRules.SETTLING_MS;
    assertMay(false, hasty(FaultKind.POWER_CUT, 1), READY);
    assertMay(true, hasty(FaultKind.POWER_CUT, 2), IN_SYNC);
    rules.begun(fault(FaultKind.SLOW, 3));
    assertMay(false, hasty(FaultKind.POWER_CUT, 1), IN_SYNC);
  }

  @Test
  void aNodeIsSlowOnce() throws Exception {
    rules.begun(fault(FaultKind.SLOW, 1));
    assertMay(false, fault(FaultKind.SLOW, 1), IN_SYNC);
    assertMay(true, fault(FaultKind.SLOW, 2), IN_SYNC);
    assertMay(true, fault(FaultKind.KILL, 1), IN_SYNC);
  }

  @Test
  void aFaultOfAllIsAlone() throws Exception {
    rules.begun(fault(FaultKind.SLOW, 1));
    assertMay(false, fault(FaultKind.KILL_ALL), IN_SYNC);
    rules.ended(fault(FaultKind.SLOW, 1), now);
    assertMay(true, fault(FaultKind.KILL_ALL), IN_SYNC);
    rules.begun(fault(FaultKind.KILL_ALL));
    assertMay(false, fault(FaultKind.SLOW, 1), IN_SYNC);
  }

  private void assertMay(boolean may, Fault fault, FaultRules.View view) throws Exception {
    assertEquals(may, rules.refusal(fault, view, now).isEmpty(), fault.toString());
  }

  private static Fault fault(FaultKind kind, Integer... nodes) {
    return new Fault(1, 0, 1, kind, Fault.Victim.ANY, List.of(nodes), 0, false);
  }

  private static Fault hasty(FaultKind kind, Integer... nodes) {
    return new Fault(1, 0, 1, kind, Fault.Victim.ANY, List.of(nodes), 0, true);
  }

  private static FaultRules.View view(boolean ready, boolean inSync) {
    return new FaultRules.View() {
      @Override
      public boolean isReady() {
        return ready;
      }

      @Override
      public boolean isInSync() {
        return inSync;
      }
    };
  }
}
