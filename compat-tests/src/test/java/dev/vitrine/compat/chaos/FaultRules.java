package dev.vitrine.compat.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Which faults may be there at once. Kept so that what Kafka's protocol promises still is promised:
 *
 * <ul>
 *   <li>But for faults of all nodes, a majority is up and hears one another. A cut between two
 *       nodes counts as if one of them were gone; a slow node is there.
 *   <li>A fault on another node than the last waits until all brokers are back, and half of them
 *       (those that are not hasty) until all replicas are in sync.
 *   <li>A fault of all nodes has no other beside it.
 *   <li><b>Power cuts</b>: what was acknowledged is in the page caches of at least {@code
 *       min.insync.replicas} = 2 of the replicas in sync. So one of them may lose what it has not
 *       synced, if another was in sync at that moment and doesn't lose its own before the first has
 *       caught up. Hence a power cut begins only while no other fault is there and every replica of
 *       every partition is in sync; that holds for the next power cut too, which therefore waits
 *       until the node of the last is in sync again. A SIGKILL takes nothing from a page cache, so
 *       kills may come in between.
 * </ul>
 *
 * Pure state of the thread that runs the faults.
 */
final class FaultRules {
  /** More than it takes to find out that a node was dead. */
  static final long SETTLING_MS = 6_000;

  private final int nodes;
  private final List<Fault> active = new ArrayList<>();
  private int lastImpaired;
  private long lastStartMs = Long.MIN_VALUE / 2;

  /** What a client can see of the cluster; asked only where a rule needs it. */
  interface View {
    /** All brokers are registered and not fenced. */
    boolean isReady() throws Exception;

    /** And all replicas of all partitions are in sync. */
    boolean isInSync() throws Exception;
  }

  FaultRules(int nodes) {
    this.nodes = nodes;
  }

  /** Whether nothing drawn later may come first, for else it would never have its turn. */
  static boolean isPatient(FaultKind kind) {
    return kind.isOfAll() || kind.isPowerCut();
  }

  /** Why the fault may not begin now; empty if it may. */
  Optional<String> refusal(Fault fault, View view, long nowMs) throws Exception {
    FaultKind kind = fault.kind();
    if (active.stream().anyMatch(other -> other.kind().isOfAll())) {
      return Optional.of("all nodes are down");
    }
    if (!active.isEmpty() && (kind.isOfAll() || kind.isPowerCut())) {
      return Optional.of("other faults are there");
    }
    if (active.stream().anyMatch(other -> excludes(other, fault))) {
      return Optional.of("a node of it is down or has the same fault");
    }
    List<Fault> all = new ArrayList<>(active);
    all.add(fault);
    if (impaired(all) > (nodes - 1) / 2) {
      return Optional.of("no majority would be left");
    }
    if (kind.isPowerCut() && nowMs - lastStartMs < SETTLING_MS) {
      return Optional.of("a node has just been started");
    }
    if (kind.isPowerCut()) {
      return view.isInSync() ? Optional.empty() : Optional.of("not all are in sync");
    }
    if (kind == FaultKind.SLOW || fault.nodes().contains(lastImpaired)) {
      return Optional.empty();
    }
    boolean fine = fault.hasty() ? view.isReady() : view.isInSync();
    return fine ? Optional.empty() : Optional.of("the others are not back yet");
  }

  /** Whether a node of both is dead, paused or isolated, or would be slow twice. */
  private static boolean excludes(Fault there, Fault fault) {
    boolean goesOn = there.kind() == FaultKind.CUT || there.kind() == FaultKind.SLOW;
    boolean twice = there.kind() == FaultKind.SLOW && fault.kind() == FaultKind.SLOW;
    return (twice || !goesOn) && fault.nodes().stream().anyMatch(there.nodes()::contains);
  }

  void begun(Fault fault) {
    active.add(fault);
    if (fault.kind() != FaultKind.SLOW) {
      lastImpaired = fault.kind().isOfAll() ? 0 : fault.nodes().get(0);
    }
  }

  void ended(Fault fault, long nowMs) {
    active.remove(fault);
    if (fault.kind().isDeath()) {
      lastStartMs = nowMs;
    }
  }

  /** The least number of nodes without which all the others are up and hear one another. */
  private int impaired(List<Fault> faults) {
    int least = nodes;
    for (int gone = 0; gone < 1 << nodes; gone++) {
      int set = gone;
      if (faults.stream().allMatch(fault -> isCovered(fault, set))) {
        least = Math.min(least, Integer.bitCount(set));
      }
    }
    return least;
  }

  private static boolean isCovered(Fault fault, int gone) {
    return switch (fault.kind()) {
      case SLOW, KILL_ALL, POWER_CUT_ALL -> true;
      case CUT -> fault.nodes().stream().anyMatch(node -> has(gone, node));
      default -> fault.nodes().stream().allMatch(node -> has(gone, node));
    };
  }

  private static boolean has(int set, int node) {
    return (set >> (node - 1) & 1) == 1;
  }
}
