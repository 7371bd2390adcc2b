package dev.vitrine.tools;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** `vitrine slow ID --delay MS`: what a slow host or a long way to it is. */
@Command(
    name = "slow",
    description = "Lets everything that one node sends and receives be late.",
    usageHelpAutoWidth = true,
    footer = {
      "",
      "Clients and other nodes see it alike: an answer takes twice the delay longer.",
      "It ends with --delay 0, and with the node's process.",
    })
final class SlowCommand extends NodeAction {
  @Option(
      names = "--delay",
      paramLabel = "MS",
      required = true,
      description = "Milliseconds in each direction, up to 60000; 0 ends it.")
  private long delayMs;

  @Override
  String act(Supervisor supervisor, NodeDirectory node) {
    new Faults(supervisor).slow(node, delayMs);
    return delayMs == 0
        ? "Node " + node.id() + " is no longer slow."
        : "Node " + node.id() + " is slow: " + delayMs + " ms in each direction.";
  }
}
