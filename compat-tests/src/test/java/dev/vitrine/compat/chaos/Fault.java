package dev.vitrine.compat.chaos;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A fault as it was drawn.
 *
 * @param atMs when, since the faults began; it may be later if the rules want that
 * @param lengthMs how long
 * @param victim how its first node is found when it begins
 * @param nodes drawn ones, the first of which {@code victim} may replace; empty if all are meant
 * @param amount of a slow node: the delay in ms; else 0
 * @param hasty whether it need not wait until all replicas are in sync again
 */
record Fault(
    int number,
    long atMs,
    long lengthMs,
    FaultKind kind,
    Victim victim,
    List<Integer> nodes,
    int amount,
    boolean hasty) {

  /** Whom a fault looks for. */
  enum Victim {
    ANY,
    /** Whoever leads one of the partitions that are written to. */
    LEADER,
    CONTROLLER
  }

  /** The same fault on the node that its victim turned out to be. */
  Fault on(int node) {
    if (nodes.isEmpty() || nodes.get(0) == node) {
      return this;
    }
    List<Integer> others = nodes.stream().skip(1).toList();
    List<Integer> all =
        others.contains(node)
            ? List.of(node, nodes.get(0))
            : others.isEmpty() ? List.of(node) : List.of(node, others.get(0));
    return new Fault(number, atMs, lengthMs, kind, victim, all, amount, hasty);
  }

  String nodesText() {
    return nodes.stream().map(String::valueOf).collect(Collectors.joining(","));
  }
}
