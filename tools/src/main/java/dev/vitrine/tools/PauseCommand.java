package dev.vitrine.tools;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** `vitrine pause ID`: what a long stall is, or a host that hangs. */
@Command(
    name = "pause",
    description = "Pauses one node (SIGSTOP): it falls silent, with all its connections open.",
    usageHelpAutoWidth = true,
    footer = {
      "",
      "The others can tell only by the time that passes (broker.session.timeout.ms,",
      "replica.lag.time.max.ms). `resume` lets it go on. `stop` and `down` resume it",
      "too, so that it can stop; `kill` works as on any other.",
    })
final class PauseCommand implements Callable<Integer> {
  @ParentCommand private Vitrine vitrine;
  @Spec private CommandSpec spec;
  @Mixin private DataOption data;

  @Parameters(paramLabel = "ID", description = "The node's id.")
  private int id;

  @Override
  public Integer call() {
    Supervisor supervisor = data.existing(vitrine.installation());
    supervisor.pause(supervisor.node(id));
    spec.commandLine().getOut().println("Paused node " + id + ".");
    return 0;
  }
}
