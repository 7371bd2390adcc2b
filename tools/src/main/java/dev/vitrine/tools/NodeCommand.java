package dev.vitrine.tools;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * `vitrine node FILE.properties`: one node in the foreground. The script itself becomes the node's
 * JVM, so that signals and exit code are the node's own; only help and wrong usage come here.
 */
@Command(
    name = "node",
    description = "Runs one node in the foreground, with Kafka's own configuration keys.",
    usageHelpAutoWidth = true,
    footer = {"", "Its data must have been formatted; see `vitrine format`."})
final class NodeCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE.properties", description = "The node's configuration.")
  private Path file;

  @Override
  public Integer call() {
    if (!Files.isRegularFile(file)) {
      throw CommandFailure.usage("%s is not a file", file);
    }
    throw CommandFailure.usage("`node` runs by the script `vitrine` only");
  }
}
