package dev.vitrine.tools;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** `vitrine format`: what a node's data folder needs before its first start. */
@Command(
    name = "format",
    description = "Formats the data folders that a node's configuration names.",
    usageHelpAutoWidth = true)
final class FormatCommand implements Callable<Integer> {
  @ParentCommand private Vitrine vitrine;
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE.properties", description = "The node's configuration.")
  private Path file;

  @Option(
      names = "--cluster-id",
      paramLabel = "ID",
      description = "The same for all nodes of a cluster; a fresh one if not given.")
  private String clusterId;

  @Override
  public Integer call() throws IOException {
    Configuration.read(file);
    String id = clusterId == null ? ClusterDirectory.randomId() : clusterId;
    vitrine.format().format(file, id);
    spec.commandLine().getOut().println("Formatted for cluster " + id + ".");
    return 0;
  }
}
