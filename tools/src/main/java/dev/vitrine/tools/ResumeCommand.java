package dev.vitrine.tools;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** `vitrine resume ID`: the end of a pause. */
@Command(
    name = "resume",
    description = "Lets a paused node go on (SIGCONT), as if no time had passed for it.",
    usageHelpAutoWidth = true,
    footer = {"", "A node that is not paused takes no notice."})
final class ResumeCommand implements Callable<Integer> {
  @ParentCommand private Vitrine vitrine;
  @Spec private CommandSpec spec;
  @Mixin private DataOption data;

  @Parameters(paramLabel = "ID", description = "The node's id.")
  private int id;

  @Override
  public Integer call() {
    Supervisor supervisor = data.existing(vitrine.installation());
    supervisor.resume(supervisor.node(id));
    spec.commandLine().getOut().println("Resumed node " + id + ".");
    return 0;
  }
}
