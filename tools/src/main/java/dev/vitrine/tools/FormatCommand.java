package dev.vitrine.tools;

import dev.vitrine.broker.InitialQuorum;
import dev.vitrine.config.ConfigException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
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

  /** As kafka-storage has them: at most one. */
  private static final class Voters {
    @Option(
        names = {"-s", "--standalone"},
        description = "This controller is the first voter, and the only one.")
    private boolean standalone;

    @Option(
        names = {"-I", "--initial-controllers"},
        paramLabel = "ID@HOST:PORT:DIRECTORY",
        description =
            "The first voters, comma-separated, each with its directory.id; the same for all nodes.")
    private String initial;

    @Option(
        names = {"-N", "--no-initial-controllers"},
        description = "The voters are known elsewhere; this node may join them later.")
    private boolean none;
  }

  @ArgGroup private Voters voters;

  @Option(
      names = {"-f", "--feature"},
      paramLabel = "FEATURE=LEVEL",
      description = "The level to begin with: kraft.version=0 or kraft.version=1.")
  private List<String> features = List.of();

  @Override
  public Integer call() throws IOException {
    Configuration.read(file);
    String id = clusterId == null ? ClusterDirectory.randomId() : clusterId;
    InitialQuorum quorum =
        voters == null
            ? InitialQuorum.UNSAID
            : new InitialQuorum(voters.standalone, voters.none, voters.initial, null);
    try {
      vitrine.format().format(file, id, quorum.with(features));
    } catch (ConfigException e) {
      throw CommandFailure.failed("%s", e.getMessage());
    }
    spec.commandLine().getOut().println("Formatted for cluster " + id + ".");
    return 0;
  }
}
