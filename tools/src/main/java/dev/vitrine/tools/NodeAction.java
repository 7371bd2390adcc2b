package dev.vitrine.tools;

import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** A command that does one thing to one node of a cluster. */
abstract class NodeAction implements Callable<Integer> {
  @ParentCommand private Vitrine vitrine;
  @Spec private CommandSpec spec;
  @Mixin private DataOption data;

  @Parameters(index = "0", paramLabel = "ID", description = "The node's id.")
  private int id;

  /**
   * @return what to say when it is done
   * @throws CommandFailure if it can't be
   */
  abstract String act(Supervisor supervisor, NodeDirectory node);

  @Override
  public final Integer call() {
    Supervisor supervisor = data.existing(vitrine.installation());
    spec.commandLine().getOut().println(act(supervisor, supervisor.node(id)));
    return 0;
  }
}
