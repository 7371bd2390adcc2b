package dev.vitrine.tools;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** `vitrine start ID`: one node again, on its own data and ports. */
@Command(
    name = "start",
    description = "Starts one node again and waits until it is in the cluster.",
    usageHelpAutoWidth = true)
final class StartCommand implements Callable<Integer> {
  @ParentCommand private Vitrine vitrine;
  @Spec private CommandSpec spec;
  @Mixin private DataOption data;

  @Option(names = "--no-wait", description = "Return at once; the node goes on starting.")
  private boolean noWait;

  @Parameters(paramLabel = "ID", description = "The node's id.")
  private int id;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    Installation installation = vitrine.installation();
    Supervisor supervisor = data.existing(installation);
    NodeDirectory node = supervisor.node(id);
    if (node.process().isPresent()) {
      throw CommandFailure.failed("node %d is already running", id);
    }
    supervisor.requirePorts(List.of(node));
    installation.rememberLast(data.directory().path());
    supervisor.start(node);
    int quorum = supervisor.plan().nodes() / 2 + 1;
    int running = supervisor.running().size();
    if (!noWait && running >= quorum) {
      supervisor.awaitReady(List.of(node), List.of(node), ready -> {});
    }
    out.println(NodeStatus.of(supervisor.plan(), node, !noWait).line());
    if (running < quorum) {
      out.printf(
          "%d of %d nodes run; it takes %d before any of them can be ready.%n",
          running, supervisor.plan().nodes(), quorum);
    }
    return 0;
  }
}
