package dev.vitrine.tools;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What can be seen of one node from outside: its process, and what it answers a client.
 *
 * @param pid its process, if it runs
 * @param state one word
 * @param view how it sees the cluster, if it answers
 * @param faults how it is broken on purpose, such as {@code slow 200 ms}
 */
record NodeStatus(
    ClusterPlan plan,
    NodeDirectory node,
    Optional<Long> pid,
    String state,
    Optional<NodeProbe.View> view,
    Optional<Integer> quorumLeader,
    List<String> faults) {

  static NodeStatus of(ClusterPlan plan, NodeDirectory node, boolean ask) {
    Optional<ProcessHandle> process = node.process();
    if (process.isEmpty()) {
      String state = node.hasPid() ? "dead" : "stopped";
      return new NodeStatus(
          plan, node, Optional.empty(), state, Optional.empty(), Optional.empty(), cuts(node));
    }
    Optional<Long> pid = Optional.of(process.get().pid());
    if (StopSignal.isStopped(process.get())) {
      return new NodeStatus(
          plan, node, pid, "paused", Optional.empty(), Optional.empty(), cuts(node));
    }
    int port = plan.clientPort(node.id());
    Optional<NodeProbe.View> view = ask ? NodeProbe.view(port) : Optional.empty();
    boolean ready = view.filter(seen -> seen.brokers().contains(node.id())).isPresent();
    return new NodeStatus(
        plan,
        node,
        pid,
        ready ? "ready" : view.isPresent() ? "fenced" : "starting",
        view,
        view.flatMap(seen -> NodeProbe.quorumLeader(port)),
        ask ? faults(node) : cuts(node));
  }

  private static List<String> cuts(NodeDirectory node) {
    List<String> cuts = new ArrayList<>();
    Faults.cuts(node)
        .forEach(
            (id, cut) ->
                cuts.add(
                    (cut.receives() ? cut.sends() ? "cut off from " : "deaf to " : "unheard by ")
                        + id));
    return cuts;
  }

  private static List<String> faults(NodeDirectory node) {
    List<String> faults = cuts(node);
    try {
      List<String> lines = NodeHttp.get(node, "/faults").lines().toList();
      lines.stream().filter(line -> line.startsWith("slow ")).forEach(faults::add);
      long points = lines.stream().filter(line -> line.startsWith("fault ")).count();
      if (points > 0) {
        faults.add(points + (points == 1 ? " fault point" : " fault points"));
      }
    } catch (IOException e) {
      // It has no such listener, or not yet.
    }
    return faults;
  }

  boolean isRunning() {
    return pid.isPresent();
  }

  String line() {
    StringBuilder line = new StringBuilder();
    line.append(
        "node %-3d %-8s %-11s clients %s:%d  controller %s:%d"
            .formatted(
                node.id(),
                state,
                pid.map(id -> "pid " + id).orElse("-"),
                ClusterPlan.HOST,
                plan.clientPort(node.id()),
                ClusterPlan.HOST,
                plan.controllerPort(node.id())));
    quorumLeader.ifPresent(
        leader ->
            line.append(leader == node.id() ? "  leads the quorum" : "  follows node " + leader));
    view.ifPresent(seen -> line.append("  sees brokers ").append(list(seen)));
    faults.forEach(fault -> line.append("  ").append(fault));
    return line.toString();
  }

  private static String list(NodeProbe.View view) {
    return view.brokers().toString().replaceAll("[\\[\\] ]", "");
  }
}
