package dev.vitrine.tools;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The option that says which cluster a command is about. */
final class DataOption {
  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "The cluster's data folder; ./vitrine-data if not given.")
  private Path data = ClusterDirectory.DEFAULT;

  ClusterDirectory directory() {
    return ClusterDirectory.of(data);
  }

  /**
   * @throws CommandFailure if there is no cluster; it says where the last one was started, since a
   *     forgotten --data is the usual reason
   */
  Supervisor existing(Installation installation) {
    ClusterDirectory directory = directory();
    if (!directory.exists()) {
      String hint =
          installation
              .last()
              .filter(last -> !last.equals(directory.path()) && new ClusterDirectory(last).exists())
              .map(last -> "; the last one started is --data " + last)
              .orElse("; `vitrine up` makes one");
      throw CommandFailure.failed("there is no cluster in %s%s", directory.path(), hint);
    }
    return new Supervisor(installation, directory, directory.read());
  }
}
