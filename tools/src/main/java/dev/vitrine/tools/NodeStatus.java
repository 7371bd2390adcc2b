package dev.vitrine.tools;

import java.util.Optional;

/**
 * What can be seen of one node from outside: its process, and what it answers a client.
 *
 * @param pid its process, if it runs
 * @param state one word
 * @param view how it sees the cluster, if it answers
 */
record NodeStatus(
    ClusterPlan plan,
    NodeDirectory node,
    Optional<Long> pid,
    String state,
    Optional<NodeProbe.View> view,
    Optional<Integer> quorumLeader) {

  static NodeStatus of(ClusterPlan plan, NodeDirectory node, boolean ask) {
    Optional<ProcessHandle> process = node.process();
    if (process.isEmpty()) {
      String state = node.hasPid() ? "dead" : "stopped";
      return new NodeStatus(
          plan, node, Optional.empty(), state, Optional.empty(), Optional.empty());
    }
    Optional<Long> pid = Optional.of(process.get().pid());
    if (StopSignal.isStopped(process.get())) {
      return new NodeStatus(plan, node, pid, "paused", Optional.empty(), Optional.empty());
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
        view.flatMap(seen -> NodeProbe.quorumLeader(port)));
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
    return line.toString();
  }

  private static String list(NodeProbe.View view) {
    return view.brokers().toString().replaceAll("[\\[\\] ]", "");
  }
}
