package dev.vitrine.tools;

import dev.vitrine.broker.fault.CutLines;
import dev.vitrine.broker.fault.LinkFaults.Cut;
import dev.vitrine.seam.Endpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Breaks the nodes of one cluster in what only they can do: slow, cut links, fault points. Used by
 * one thread.
 *
 * <p>Slowness and fault points are the process's and end with it. A cut link outlives the processes
 * at its ends: each node's part of it is in its folder, where the node finds it when it starts.
 */
final class Faults {
  private final Supervisor supervisor;

  Faults(Supervisor supervisor) {
    this.supervisor = supervisor;
  }

  /** Nothing passes between the two; with {@code oneWay}, only nothing from the second. */
  void cut(NodeDirectory a, NodeDirectory b, boolean oneWay) {
    if (a.id() == b.id()) {
      throw CommandFailure.usage("node %d can't be cut off from itself", a.id());
    }
    Map<Integer, Cut> ofA = cuts(a);
    Map<Integer, Cut> ofB = cuts(b);
    Cut before = ofA.get(b.id());
    boolean sends = !oneWay || before != null && before.sends();
    ofA.put(b.id(), new Cut(sends, true, endpoints(b)));
    ofB.put(a.id(), new Cut(true, sends, endpoints(a)));
    set(a, ofA);
    set(b, ofB);
  }

  /** Whether there was anything to heal. */
  boolean heal(NodeDirectory a, NodeDirectory b) {
    Map<Integer, Cut> ofA = cuts(a);
    Map<Integer, Cut> ofB = cuts(b);
    boolean was = ofA.remove(b.id()) != null | ofB.remove(a.id()) != null;
    if (was) {
      set(a, ofA);
      set(b, ofB);
    }
    return was;
  }

  boolean healAll() {
    boolean was = false;
    for (NodeDirectory node : supervisor.nodes()) {
      if (!cuts(node).isEmpty()) {
        was = true;
        set(node, Map.of());
      }
    }
    return was;
  }

  void slow(NodeDirectory node, long delayMs) {
    require(node);
    tell(node, "/faults/slow", Map.of("delay", String.valueOf(delayMs)));
  }

  /** What the node says of its fault points after that. */
  String tell(NodeDirectory node, String path, Map<String, String> parameters) {
    require(node);
    try {
      return NodeHttp.post(node, path, parameters, "");
    } catch (IOException e) {
      throw unreachable(node, e);
    }
  }

  /** A line for each fault of a running node. */
  String list(NodeDirectory node) {
    require(node);
    try {
      return NodeHttp.get(node, "/faults");
    } catch (IOException e) {
      throw unreachable(node, e);
    }
  }

  private static CommandFailure unreachable(NodeDirectory node, IOException e) {
    return CommandFailure.failed(
        "node %d takes no commands (%s): it needs vitrine.faults=true, vitrine.node.dir and"
            + " vitrine.http.listener, as `up` writes them",
        node.id(), e.getMessage());
  }

  private static void require(NodeDirectory node) {
    ProcessHandle process =
        node.process()
            .orElseThrow(() -> CommandFailure.failed("node %d is not running", node.id()));
    if (StopSignal.isStopped(process)) {
      throw CommandFailure.failed("node %d is paused; `vitrine resume %1$d` first", node.id());
    }
  }

  private List<Endpoint> endpoints(NodeDirectory node) {
    ClusterPlan plan = supervisor.plan();
    return List.of(
        new Endpoint(ClusterPlan.HOST, plan.clientPort(node.id())),
        new Endpoint(ClusterPlan.HOST, plan.controllerPort(node.id())));
  }

  /** The links of a node that are cut, by the id of the other node. */
  static Map<Integer, Cut> cuts(NodeDirectory node) {
    try {
      Path file = node.cuts();
      return Files.exists(file) ? CutLines.read(Files.readString(file)) : new TreeMap<>();
    } catch (IOException | IllegalArgumentException e) {
      throw CommandFailure.failed("%s can't be read: %s", node.cuts(), e.getMessage());
    }
  }

  /** The file first: a node that starts just now finds it. */
  private static void set(NodeDirectory node, Map<Integer, Cut> cuts) {
    StringBuilder lines = new StringBuilder();
    cuts.forEach((id, cut) -> lines.append(CutLines.line(id, cut)).append('\n'));
    write(node, lines.toString());
    try {
      if (node.process().isEmpty()) {
        return;
      }
      if (StopSignal.isStopped(node.process().get())) {
        NodeHttp.leave(node, "/faults/cuts", lines.toString());
      } else {
        NodeHttp.post(node, "/faults/cuts", Map.of(), lines.toString());
      }
    } catch (IOException e) {
      if (node.process().isPresent()) {
        throw unreachable(node, e);
      }
    }
  }

  private static void write(NodeDirectory node, String lines) {
    Path file = node.cuts();
    try {
      if (lines.isEmpty()) {
        Files.deleteIfExists(file);
      } else {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(fresh, lines);
        Files.move(
            fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (IOException e) {
      throw CommandFailure.failed("%s can't be written: %s", file, e.getMessage());
    }
  }
}
