package dev.vitrine.tools;

import picocli.CommandLine.Command;

/** `vitrine kill ID`: what a crash is. */
@Command(
    name = "kill",
    description = "Kills one node (SIGKILL): it can do nothing more, not even say so.",
    usageHelpAutoWidth = true)
final class KillCommand extends NodeAction {
  @Override
  String act(Supervisor supervisor, NodeDirectory node) {
    supervisor.kill(node);
    return "Killed node " + node.id() + ".";
  }
}
