package dev.vitrine.tools;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/**
 * Runs one node for a moment, so that its JVM writes down which classes it loads: from such an
 * archive the next ones start in half the time. The script does this after a build; this command's
 * own JVM leaves an archive for the command in the same run.
 */
@Command(name = "warm-up", hidden = true)
final class WarmUpCommand implements Callable<Integer> {
  @ParentCommand private Vitrine vitrine;

  @Option(names = "--node-archive", required = true)
  private Path archive;

  @Override
  public Integer call() throws IOException {
    Installation installation =
        vitrine.installation().withOption("-XX:ArchiveClassesAtExit=" + archive);
    Path folder = Files.createTempDirectory("vitrine-warm-up");
    try {
      ClusterDirectory directory = ClusterDirectory.of(folder);
      ClusterPlan plan = new ClusterPlan(1, freePort(), Map.of());
      directory.create(plan, vitrine.format());
      Supervisor supervisor = new Supervisor(installation, directory, plan);
      List<NodeDirectory> all = supervisor.nodes();
      try {
        supervisor.requirePorts(all);
        all.forEach(supervisor::start);
        supervisor.awaitReady(all, all, ready -> {});
        NodeStatus.of(plan, all.get(0), true).line();
      } finally {
        supervisor.stop(all);
      }
    } finally {
      delete(folder);
    }
    return 0;
  }

  /** The controller's port is 1000 higher and most likely free as well. */
  private static int freePort() throws IOException {
    int port = 0;
    while (port == 0 || port > 64_000) {
      try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(ClusterPlan.HOST))) {
        port = socket.getLocalPort();
      }
    }
    return port;
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
