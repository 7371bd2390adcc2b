package dev.vitrine.compat.chaos;

import dev.vitrine.compat.ClusterUnderTest;
import java.util.List;

/** Does the faults to a cluster, and undoes them. Of the thread that runs the faults. */
final class FaultActions {
  private final ClusterUnderTest cluster;

  FaultActions(ClusterUnderTest cluster) {
    this.cluster = cluster;
  }

  boolean can(FaultKind kind) {
    return switch (kind) {
      case KILL, KILL_ALL, PAUSE, STOP -> true;
      case POWER_CUT, TORN_POWER_CUT, POWER_CUT_ALL, SLOW, CUT, ISOLATE -> false;
    };
  }

  void begin(Fault fault) throws Exception {
    switch (fault.kind()) {
      case KILL -> cluster.kill(fault.nodes().get(0));
      case KILL_ALL -> cluster.killAll();
      case PAUSE -> cluster.pause(fault.nodes().get(0));
      case STOP -> cluster.stop(fault.nodes().get(0));
      default -> throw new IllegalArgumentException("can't: " + fault);
    }
  }

  void end(Fault fault) throws Exception {
    switch (fault.kind()) {
      case KILL, STOP -> cluster.start(fault.nodes().get(0));
      case KILL_ALL -> startAll(cluster.nodes());
      case PAUSE -> cluster.resume(fault.nodes().get(0));
      default -> throw new IllegalArgumentException("can't: " + fault);
    }
  }

  private void startAll(List<Integer> nodes) throws Exception {
    for (int node : nodes) {
      cluster.start(node);
    }
  }
}
