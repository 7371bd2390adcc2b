package dev.vitrine.tools;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** `vitrine cut ID ID`: what a broken network between two nodes is. */
@Command(
    name = "cut",
    description = "Cuts one node off from another: what they send each other gets lost.",
    usageHelpAutoWidth = true,
    footer = {
      "",
      "It is silence: connections stay open, new ones hang, nothing is refused. Clients",
      "still reach both. `heal` ends it; what was held then arrives, as TCP would send it",
      "again. A node that starts while it lasts is cut off too.",
    })
final class CutCommand extends NodeAction {
  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "OTHER",
      description = "The other node's id.")
  private Integer other;

  @Option(
      names = "--from",
      paramLabel = "OTHER",
      description = "One way only: what OTHER sends does not reach ID.")
  private Integer from;

  @Override
  String act(Supervisor supervisor, NodeDirectory node) {
    if ((other == null) == (from == null)) {
      throw CommandFailure.usage("cut takes ID OTHER, or ID --from OTHER");
    }
    NodeDirectory second = supervisor.node(other == null ? from : other);
    new Faults(supervisor).cut(node, second, from != null);
    return from == null
        ? "Cut node " + node.id() + " off from node " + second.id() + "."
        : "Node " + node.id() + " hears nothing from node " + second.id() + ".";
  }
}
