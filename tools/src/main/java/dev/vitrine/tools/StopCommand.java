package dev.vitrine.tools;

import java.util.List;
import picocli.CommandLine.Command;

/** `vitrine stop ID`: a clean stop of one node, which hands over what it leads first. */
@Command(
    name = "stop",
    description = "Stops one node cleanly (SIGTERM).",
    usageHelpAutoWidth = true)
final class StopCommand extends NodeAction {
  @Override
  String act(Supervisor supervisor, NodeDirectory node) {
    if (node.process().isEmpty()) {
      throw CommandFailure.failed("node %d is not running", node.id());
    }
    if (!supervisor.stop(List.of(node)).isEmpty()) {
      throw CommandFailure.failed("node %d did not stop in time and had to be killed", node.id());
    }
    return "Stopped node " + node.id() + ".";
  }
}
