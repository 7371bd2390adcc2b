package dev.vitrine.tools;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** `vitrine stop ID`: a clean stop of one node, which hands over what it leads first. */
@Command(
    name = "stop",
    description = "Stops one node cleanly (SIGTERM).",
    usageHelpAutoWidth = true)
final class StopCommand implements Callable<Integer> {
  @ParentCommand private Vitrine vitrine;
  @Spec private CommandSpec spec;
  @Mixin private DataOption data;

  @Parameters(paramLabel = "ID", description = "The node's id.")
  private int id;

  @Override
  public Integer call() {
    Supervisor supervisor = data.existing(vitrine.installation());
    NodeDirectory node = supervisor.node(id);
    if (node.process().isEmpty()) {
      throw CommandFailure.failed("node %d is not running", id);
    }
    if (!supervisor.stop(List.of(node)).isEmpty()) {
      throw CommandFailure.failed("node %d did not stop in time and had to be killed", id);
    }
    spec.commandLine().getOut().println("Stopped node " + id + ".");
    return 0;
  }
}
