package dev.vitrine.tools;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** `vitrine kill ID`: what a crash is. */
@Command(
    name = "kill",
    description = "Kills one node (SIGKILL): it can do nothing more, not even say so.",
    usageHelpAutoWidth = true)
final class KillCommand implements Callable<Integer> {
  @ParentCommand private Vitrine vitrine;
  @Spec private CommandSpec spec;
  @Mixin private DataOption data;

  @Parameters(paramLabel = "ID", description = "The node's id.")
  private int id;

  @Override
  public Integer call() {
    Supervisor supervisor = data.existing(vitrine.installation());
    supervisor.kill(supervisor.node(id));
    spec.commandLine().getOut().println("Killed node " + id + ".");
    return 0;
  }
}
