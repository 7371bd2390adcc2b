package dev.vitrine.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/**
 * Runs a cluster for a moment, so that the JVM of a node writes down which classes it loads: from
 * such an archive the next ones start in half the time. The script does this after a build; this
 * command's own JVM leaves an archive for the command in the same run.
 */
@Command(name = "warm-up", hidden = true)
final class WarmUpCommand implements Callable<Integer> {
  /** With less than three, a node would never come to speak to another. */
  private static final int NODES = 3;

  private static final int MOST_TRIES = 50;

  @ParentCommand private Vitrine vitrine;

  @Option(names = "--node-archive", required = true)
  private Path archive;

  @Override
  public Integer call() throws IOException {
    Installation plain = vitrine.installation();
    Installation writing = plain.withOption("-XX:ArchiveClassesAtExit=" + archive);
    Path folder = Files.createTempDirectory("vitrine-warm-up");
    try {
      ClusterDirectory directory = ClusterDirectory.of(folder);
      ClusterPlan plan = planOnFreePorts(plain, directory);
      directory.create(plan, vitrine.format());
      Supervisor first = new Supervisor(writing, directory, plan);
      Supervisor others = new Supervisor(plain, directory, plan);
      List<NodeDirectory> all = first.nodes();
      try {
        first.start(all.get(0));
        all.subList(1, NODES).forEach(others::start);
        first.awaitReady(all, all, ready -> {});
        NodeStatus.of(plan, all.get(0), true).line();
      } finally {
        first.stop(all);
      }
    } finally {
      delete(folder);
    }
    return 0;
  }

  /** From below the range that the system gives to outgoing connections. */
  private static ClusterPlan planOnFreePorts(
      Installation installation, ClusterDirectory directory) {
    Random random = new Random();
    for (int tries = 0; ; tries++) {
      ClusterPlan plan = new ClusterPlan(NODES, 12_000 + random.nextInt(19_000), Map.of());
      try {
        Supervisor supervisor = new Supervisor(installation, directory, plan);
        supervisor.requirePorts(supervisor.nodes());
        return plan;
      } catch (CommandFailure taken) {
        if (tries == MOST_TRIES) {
          throw taken;
        }
      }
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
