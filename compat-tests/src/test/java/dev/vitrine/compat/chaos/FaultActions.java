package dev.vitrine.compat.chaos;

import dev.vitrine.compat.ClusterUnderTest;
import dev.vitrine.compat.Namespaces;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Does the faults to a cluster, and undoes them. Of the thread that runs the faults. */
final class FaultActions {
  private final ClusterUnderTest cluster;
  private final Namespaces wires;

  /** The wires that are cut by each fault: one may be by two. */
  private final Set<Wire> cut = new TreeSet<>();

  private record Wire(int one, int other, int fault) implements Comparable<Wire> {
    boolean isSame(Wire wire) {
      return one == wire.one && other == wire.other;
    }

    @Override
    public int compareTo(Wire wire) {
      return toString().compareTo(wire.toString());
    }
  }

  /**
   * @param wires empty if they can't be cut
   */
  FaultActions(ClusterUnderTest cluster, Optional<Namespaces> wires) {
    this.cluster = cluster;
    this.wires = wires.orElse(null);
  }

  /** Whether this host, user and target can have such a fault. */
  boolean can(FaultKind kind) {
    return switch (kind) {
      case KILL, KILL_ALL, PAUSE, STOP -> true;
      case SLOW, CUT, ISOLATE -> wires != null;
      case POWER_CUT, TORN_POWER_CUT, POWER_CUT_ALL -> false;
    };
  }

  void begin(Fault fault) throws Exception {
    switch (fault.kind()) {
      case KILL -> cluster.kill(fault.nodes().get(0));
      case KILL_ALL -> cluster.killAll();
      case PAUSE -> cluster.pause(fault.nodes().get(0));
      case STOP -> cluster.stop(fault.nodes().get(0));
      case SLOW -> wires.slow(fault.nodes().get(0), fault.amount());
      case CUT, ISOLATE -> wires(fault).forEach(this::cut);
      default -> throw new IllegalArgumentException("can't: " + fault);
    }
  }

  void end(Fault fault) throws Exception {
    switch (fault.kind()) {
      case KILL, STOP -> cluster.start(fault.nodes().get(0));
      case KILL_ALL -> startAll();
      case PAUSE -> cluster.resume(fault.nodes().get(0));
      case SLOW -> wires.fast(fault.nodes().get(0));
      case CUT, ISOLATE -> wires(fault).forEach(this::heal);
      default -> throw new IllegalArgumentException("can't: " + fault);
    }
  }

  private void startAll() throws Exception {
    for (int node : cluster.nodes()) {
      cluster.start(node);
    }
  }

  private List<Wire> wires(Fault fault) {
    int node = fault.nodes().get(0);
    List<Integer> others =
        fault.kind() == FaultKind.CUT
            ? List.of(fault.nodes().get(1))
            : cluster.nodes().stream().filter(other -> other != node).toList();
    return others.stream()
        .map(other -> new Wire(Math.min(node, other), Math.max(node, other), fault.number()))
        .toList();
  }

  private void cut(Wire wire) {
    if (cut.stream().noneMatch(wire::isSame)) {
      wires.cut(wire.one(), wire.other());
    }
    cut.add(wire);
  }

  private void heal(Wire wire) {
    cut.remove(wire);
    if (cut.stream().noneMatch(wire::isSame)) {
      wires.heal(wire.one(), wire.other());
    }
  }
}
