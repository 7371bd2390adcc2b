package dev.vitrine.compat.chaos;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** What can be done to a cluster. */
enum FaultKind {
  /** SIGKILL, and started again at the end. */
  KILL(1),
  /** SIGKILL to all nodes at once. */
  KILL_ALL(0),
  /** SIGSTOP, and SIGCONT at the end. */
  PAUSE(1),
  /** SIGTERM, and started again at the end. */
  STOP(1),
  /** SIGKILL, and the files fall back to what was synced. */
  POWER_CUT(1),
  /** The same, with a part of what was not synced left in place. */
  TORN_POWER_CUT(1),
  /** Everything from and to the node takes longer. */
  SLOW(1),
  /** Two nodes don't hear each other. */
  CUT(2),
  /** A node and all others don't hear each other. */
  ISOLATE(1),
  /** The power of all nodes at once: what was acknowledged may be lost. */
  POWER_CUT_ALL(0);

  /** Those that must lose nothing. */
  static final List<FaultKind> SAFE =
      Arrays.stream(values()).filter(kind -> kind != POWER_CUT_ALL).toList();

  private final int nodes;

  FaultKind(int nodes) {
    this.nodes = nodes;
  }

  /** How many nodes are drawn for it; 0 if it is all. */
  int nodes() {
    return nodes;
  }

  /** As histories and options name it. */
  String word() {
    return name().toLowerCase().replace('_', '-');
  }

  static Optional<FaultKind> named(String word) {
    return Arrays.stream(values()).filter(kind -> kind.word().equals(word)).findFirst();
  }

  boolean isPowerCut() {
    return this == POWER_CUT || this == TORN_POWER_CUT || this == POWER_CUT_ALL;
  }

  /** Whether all nodes die of it. */
  boolean isOfAll() {
    return nodes == 0;
  }

  /** Whether it leaves the process of its nodes dead. */
  boolean isDeath() {
    return this == KILL || this == STOP || this == KILL_ALL || isPowerCut();
  }

  /** Whether somebody may go on without having heard what others decided. */
  boolean isSilence() {
    return this == PAUSE || this == SLOW || this == CUT || this == ISOLATE;
  }
}
