package dev.vitrine.tools;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** `vitrine heal [ID ID]`: the end of a `cut`. */
@Command(
    name = "heal",
    description = "Ends what `cut` began, between two nodes or, without ids, between all.",
    usageHelpAutoWidth = true)
final class HealCommand implements Callable<Integer> {
  @ParentCommand private Vitrine vitrine;
  @Spec private CommandSpec spec;
  @Mixin private DataOption data;

  @Parameters(paramLabel = "ID", arity = "0..2", description = "The ids of the two nodes.")
  private List<Integer> ids = List.of();

  @Override
  public Integer call() {
    if (ids.size() == 1) {
      throw CommandFailure.usage("heal takes two ids, or none for all");
    }
    Supervisor supervisor = data.existing(vitrine.installation());
    Faults faults = new Faults(supervisor);
    boolean was =
        ids.isEmpty()
            ? faults.healAll()
            : faults.heal(supervisor.node(ids.get(0)), supervisor.node(ids.get(1)));
    String what = ids.isEmpty() ? "all links" : "nodes " + ids.get(0) + " and " + ids.get(1);
    spec.commandLine()
        .getOut()
        .println(was ? "Healed " + what + "." : "There was nothing to heal.");
    return 0;
  }
}
