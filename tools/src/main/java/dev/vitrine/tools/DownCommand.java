package dev.vitrine.tools;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** `vitrine down`: stops all nodes; the data stay. */
@Command(
    name = "down",
    description = "Stops all nodes of a cluster; its data stay.",
    usageHelpAutoWidth = true)
final class DownCommand implements Callable<Integer> {
  @ParentCommand private Vitrine vitrine;
  @Spec private CommandSpec spec;
  @Mixin private DataOption data;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    Supervisor supervisor = data.existing(vitrine.installation());
    List<NodeDirectory> running = supervisor.running();
    List<NodeDirectory> killed = supervisor.stop(supervisor.nodes());
    if (running.isEmpty()) {
      out.println("No node of the cluster in " + data.directory().path() + " was running.");
    } else {
      out.println("Stopped " + Supervisor.names(running) + ".");
    }
    if (!killed.isEmpty()) {
      throw CommandFailure.failed(
          "%s did not stop in time and had to be killed", Supervisor.names(killed));
    }
    return 0;
  }
}
