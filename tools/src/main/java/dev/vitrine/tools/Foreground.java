package dev.vitrine.tools;

import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * `vitrine up` without --detach: tells what becomes of the nodes, and stops them all when it is
 * ended itself. The watch runs on the main thread, the stop on the JVM's shutdown thread.
 */
final class Foreground {
  private static final int LOOK_EVERY_MS = 500;

  private final Supervisor supervisor;
  private final PrintWriter out;
  private volatile boolean stopping;

  /** From here on, Ctrl-C (or SIGTERM) stops the cluster, also while it still starts. */
  Foreground(Supervisor supervisor, PrintWriter out) {
    this.supervisor = supervisor;
    this.out = out;
    Runtime.getRuntime().addShutdownHook(new Thread(this::stopAll, "stop"));
  }

  private void stopAll() {
    stopping = true;
    List<NodeDirectory> running = supervisor.running();
    if (running.isEmpty()) {
      return;
    }
    out.printf("%nStopping %s%n", Supervisor.names(running));
    out.flush();
    List<NodeDirectory> killed = supervisor.stop(running);
    if (killed.isEmpty()) {
      out.println("Stopped.");
    } else {
      out.printf(
          "Stopped; %s did not stop in time and had to be killed.%n", Supervisor.names(killed));
    }
    out.flush();
  }

  /** Returns when every node has been stopped on purpose; a killed node may be started again. */
  int watch() throws InterruptedException {
    out.println("Ctrl-C stops the cluster.");
    out.flush();
    Map<Integer, Boolean> seen = new TreeMap<>();
    supervisor.nodes().forEach(node -> seen.put(node.id(), true));
    while (true) {
      Thread.sleep(LOOK_EVERY_MS);
      if (stopping) {
        Thread.sleep(Long.MAX_VALUE);
      }
      boolean meantToRun = false;
      for (NodeDirectory node : supervisor.nodes()) {
        boolean runs = node.process().isPresent();
        boolean onPurpose = !node.hasPid();
        meantToRun |= !onPurpose;
        if (seen.put(node.id(), runs) != runs && !stopping) {
          out.printf(
              "node %d %s%n",
              node.id(),
              runs ? "runs again" : onPurpose ? "stopped" : "died (its log is " + node.log() + ")");
          out.flush();
        }
      }
      if (!meantToRun && !stopping) {
        out.println("All nodes are stopped.");
        out.flush();
        return 0;
      }
    }
  }
}
