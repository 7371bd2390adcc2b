package dev.vitrine.tools;

import dev.vitrine.storage.powercut.LedgerException;
import dev.vitrine.storage.powercut.Losses;
import dev.vitrine.storage.powercut.PowerCut;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** `vitrine power-cut ID`: what a crash of the whole machine is. */
@Command(
    name = "power-cut",
    description =
        "Kills one node (SIGKILL) and takes away from its files what was not synced to the disk.",
    usageHelpAutoWidth = true,
    footer = {
      "",
      "Each file falls back to what was synced of it, each folder to the names that were.",
      "Works on a dead node too. `start` starts it again: it recovers what is left.",
    })
final class PowerCutCommand extends NodeAction {
  @Option(
      names = "--torn",
      description =
          "Leave a random part of what was not synced at the end of each file, at times spoiled.")
  private boolean torn;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "For --torn: the same files and seed give the same tear.")
  private Long seed;

  @Override
  String act(Supervisor supervisor, NodeDirectory node) {
    if (seed != null && !torn) {
      throw CommandFailure.usage("--seed goes with --torn");
    }
    long chance = seed == null ? new Random().nextInt(1_000_000) : seed;
    Losses losses = cut(supervisor, node, chance);
    List<String> lines = new ArrayList<>();
    String begin = "Power cut on node " + node.id() + ": ";
    losses.lines().forEach(line -> lines.add(begin + line));
    String how = torn ? " (torn with --seed " + chance + ")" : "";
    lines.add(begin + losses.summary() + how + ".");
    lines.add("`vitrine start " + node.id() + "` recovers.");
    return String.join(System.lineSeparator(), lines);
  }

  private Losses cut(Supervisor supervisor, NodeDirectory node, long chance) {
    Path ledger = node.ledger();
    try {
      PowerCut.check(ledger);
      if (node.process().isPresent()) {
        supervisor.kill(node);
      }
      supervisor.awaitFilesFree(node);
      return PowerCut.run(ledger, torn, chance);
    } catch (LedgerException e) {
      throw CommandFailure.failed(
          "it is not known what node %d has synced: %s. It must have run last with"
              + " vitrine.faults=true and vitrine.node.dir, as `up` writes them",
          node.id(), e.getMessage());
    } catch (IOException | UncheckedIOException e) {
      Throwable why = e instanceof UncheckedIOException ? e.getCause() : e;
      throw CommandFailure.failed(
          "%s; `vitrine power-cut %d` again goes on with it", why, node.id());
    }
  }
}
