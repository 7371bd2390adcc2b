package dev.vitrine.compat.chaos;

import dev.vitrine.compat.ClusterUnderTest;
import dev.vitrine.compat.Target;
import dev.vitrine.storage.powercut.PowerCut;
import dev.vitrine.storage.powercut.PowerCutDisk;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.StringJoiner;
import java.util.TreeSet;

/** Does the faults to a cluster, and undoes them. Of the thread that runs the faults. */
final class FaultActions {
  private final ClusterUnderTest cluster;
  private final LineFaults lines;
  private final SplittableRandom random;

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
   * @param lines empty if nothing can be done to them
   * @param random for the tears of torn power cuts
   */
  FaultActions(ClusterUnderTest cluster, Optional<LineFaults> lines, SplittableRandom random) {
    this.cluster = cluster;
    this.lines = lines.orElse(null);
    this.random = random;
  }

  /** Whether this host, user and target can have such a fault. */
  boolean can(FaultKind kind) {
    return switch (kind) {
      case KILL, KILL_ALL, PAUSE, STOP -> true;
      case SLOW, CUT, ISOLATE -> lines != null;
      case POWER_CUT, TORN_POWER_CUT, POWER_CUT_ALL -> Target.isVitrine();
    };
  }

  /** What there is to be said of it, such as what was lost; mostly nothing. */
  String begin(Fault fault) throws Exception {
    switch (fault.kind()) {
      case KILL -> cluster.kill(fault.nodes().get(0));
      case KILL_ALL -> cluster.killAll();
      case PAUSE -> cluster.pause(fault.nodes().get(0));
      case STOP -> cluster.stop(fault.nodes().get(0));
      case SLOW -> lines.slow(fault.nodes().get(0), fault.amount());
      case CUT, ISOLATE -> {
        for (Wire wire : wires(fault)) {
          cut(wire);
        }
      }
      case POWER_CUT, TORN_POWER_CUT -> {
        int node = fault.nodes().get(0);
        cluster.kill(node);
        return powerCut(node, fault.kind() == FaultKind.TORN_POWER_CUT);
      }
      case POWER_CUT_ALL -> {
        cluster.killAll();
        StringJoiner said = new StringJoiner("; ");
        for (int node : cluster.nodes()) {
          said.add(powerCut(node, false));
        }
        return said.toString();
      }
    }
    return "";
  }

  private String powerCut(int node, boolean torn) throws Exception {
    Path ledger = cluster.nodeDir(node).resolve(PowerCutDisk.FOLDER);
    return PowerCut.run(ledger, torn, random.nextLong()).summary();
  }

  void end(Fault fault) throws Exception {
    switch (fault.kind()) {
      case KILL, STOP, POWER_CUT, TORN_POWER_CUT -> cluster.start(fault.nodes().get(0));
      case KILL_ALL, POWER_CUT_ALL -> startAll();
      case PAUSE -> cluster.resume(fault.nodes().get(0));
      case SLOW -> lines.fast(fault.nodes().get(0));
      case CUT, ISOLATE -> {
        for (Wire wire : wires(fault)) {
          heal(wire);
        }
      }
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

  private void cut(Wire wire) throws Exception {
    if (cut.stream().noneMatch(wire::isSame)) {
      lines.cut(wire.one(), wire.other());
    }
    cut.add(wire);
  }

  private void heal(Wire wire) throws Exception {
    cut.remove(wire);
    if (cut.stream().noneMatch(wire::isSame)) {
      lines.heal(wire.one(), wire.other());
    }
  }
}
