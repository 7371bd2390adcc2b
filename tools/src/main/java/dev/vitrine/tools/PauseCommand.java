package dev.vitrine.tools;

import picocli.CommandLine.Command;

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
final class PauseCommand extends NodeAction {
  @Override
  String act(Supervisor supervisor, NodeDirectory node) {
    supervisor.pause(node);
    return "Paused node " + node.id() + ".";
  }
}
