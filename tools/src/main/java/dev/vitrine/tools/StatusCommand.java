package dev.vitrine.tools;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** `vitrine status`: one line a node. */
@Command(
    name = "status",
    description = "Shows each node: its process, its ports, and how it sees the cluster.",
    usageHelpAutoWidth = true,
    footer = {
      "",
      "States: ready, fenced (answers, but is not in the cluster), starting (does not",
      "answer yet), paused (`pause`), stopped, dead (it should run, but does not).",
      "Exit code 0 if every node runs, else 1.",
    })
final class StatusCommand implements Callable<Integer> {
  @ParentCommand private Vitrine vitrine;
  @Spec private CommandSpec spec;
  @Mixin private DataOption data;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    Supervisor supervisor = data.existing(vitrine.installation());
    ClusterPlan plan = supervisor.plan();
    List<NodeStatus> nodes =
        supervisor.nodes().stream().map(node -> NodeStatus.of(plan, node, true)).toList();
    nodes.forEach(node -> out.println(node.line()));
    out.println("Bootstrap servers: " + plan.bootstrapServers());
    return nodes.stream().allMatch(NodeStatus::isRunning) ? 0 : CommandFailure.FAILED;
  }
}
