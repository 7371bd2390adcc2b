package dev.vitrine.compat.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Draws the faults of a run from its seed: what, when, on whom, how long. */
final class FaultSchedule {
  private static final int LEAST_APART_MS = 500;
  private static final int MOST_APART_MS = 6_000;
  private static final int LONGEST_MS = 15_000;

  private FaultSchedule() {}

  /**
   * @param lengthMs no fault begins later, and each ends by then
   * @param kinds those to draw from; the first run through them is complete, in a drawn order, so
   *     that a run of some length has each of them
   */
  static List<Fault> draw(long seed, int nodes, long lengthMs, List<FaultKind> kinds) {
    SplittableRandom random = new SplittableRandom(seed);
    List<FaultKind> deck = new ArrayList<>();
    List<Fault> faults = new ArrayList<>();
    long at = random.nextInt(LEAST_APART_MS, 2_000);
    while (at < lengthMs - LEAST_APART_MS && !kinds.isEmpty()) {
      if (deck.isEmpty()) {
        deck.addAll(kinds);
      }
      // First the one that every failover is about, however short the run.
      boolean first = faults.isEmpty() && deck.contains(FaultKind.KILL);
      FaultKind kind =
          deck.remove(first ? deck.indexOf(FaultKind.KILL) : random.nextInt(deck.size()));
      long length = Math.min(length(random, kind), lengthMs - at);
      faults.add(
          new Fault(
              faults.size() + 1,
              at,
              length,
              kind,
              first ? Fault.Victim.LEADER : victim(random, kind),
              nodes(random, kind, nodes),
              kind == FaultKind.SLOW ? random.nextInt(20, 400) : 0,
              random.nextBoolean()));
      at += random.nextInt(LEAST_APART_MS, MOST_APART_MS);
    }
    return faults;
  }

  /** As many short ones as long ones: a pause is noticed after 9 s, a death at once. */
  private static long length(SplittableRandom random, FaultKind kind) {
    return switch (kind) {
      case KILL_ALL, POWER_CUT_ALL -> random.nextInt(0, 1_500);
      case KILL, STOP, POWER_CUT, TORN_POWER_CUT ->
          random.nextBoolean() ? random.nextInt(100, 1_000) : random.nextInt(1_000, 8_000);
      case PAUSE, SLOW, CUT, ISOLATE ->
          random.nextBoolean() ? random.nextInt(100, 4_000) : random.nextInt(4_000, LONGEST_MS);
    };
  }

  private static Fault.Victim victim(SplittableRandom random, FaultKind kind) {
    if (kind.isOfAll()) {
      return Fault.Victim.ANY;
    }
    return switch (random.nextInt(5)) {
      case 0, 1 -> Fault.Victim.LEADER;
      case 2 -> Fault.Victim.CONTROLLER;
      default -> Fault.Victim.ANY;
    };
  }

  private static List<Integer> nodes(SplittableRandom random, FaultKind kind, int count) {
    List<Integer> drawn = new ArrayList<>();
    while (drawn.size() < kind.nodes()) {
      int node = random.nextInt(1, count + 1);
      if (!drawn.contains(node)) {
        drawn.add(node);
      }
    }
    return drawn;
  }
}
