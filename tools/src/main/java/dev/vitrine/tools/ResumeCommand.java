package dev.vitrine.tools;

import picocli.CommandLine.Command;

/** `vitrine resume ID`: the end of a pause. */
@Command(
    name = "resume",
    description = "Lets a paused node go on (SIGCONT), as if no time had passed for it.",
    usageHelpAutoWidth = true,
    footer = {"", "A node that is not paused takes no notice."})
final class ResumeCommand extends NodeAction {
  @Override
  String act(Supervisor supervisor, NodeDirectory node) {
    supervisor.resume(node);
    return "Resumed node " + node.id() + ".";
  }
}
