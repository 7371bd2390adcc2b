package dev.vitrine.tools;

import dev.vitrine.storage.powercut.PowerCut;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Starts and stops the node processes of one cluster on this host. Used by one thread; the nodes
 * outlive it, so what it knows of them it reads from their folders each time. It never touches the
 * data.
 */
final class Supervisor {
  private static final Duration TIME_TO_STOP = Duration.ofSeconds(30);
  private static final Duration TIME_TO_DIE = Duration.ofSeconds(10);
  private static final Duration TIME_TO_START = Duration.ofSeconds(60);
  private static final int POLL_MS = 20;
  private static final int LOG_LINES = 12;

  private final Installation installation;
  private final ClusterDirectory directory;
  private final ClusterPlan plan;
  private final Map<Integer, Process> children = new HashMap<>();
  private final Map<Integer, Long> logStarts = new HashMap<>();

  Supervisor(Installation installation, ClusterDirectory directory, ClusterPlan plan) {
    this.installation = installation;
    this.directory = directory;
    this.plan = plan;
  }

  ClusterPlan plan() {
    return plan;
  }

  List<NodeDirectory> nodes() {
    return directory.nodes(plan);
  }

  NodeDirectory node(int id) {
    if (id < 1 || id > plan.nodes()) {
      throw CommandFailure.usage(
          "there is no node %d: the cluster in %s has %s",
          id, directory.path(), plan.nodes() == 1 ? "node 1" : "nodes 1 to " + plan.nodes());
    }
    return directory.node(id);
  }

  List<NodeDirectory> running() {
    return nodes().stream().filter(node -> node.process().isPresent()).toList();
  }

  /** Finds a port that is taken before a node does, since its complaint would be in a log file. */
  void requirePorts(List<NodeDirectory> nodes) {
    for (NodeDirectory node : nodes) {
      requirePort(plan.clientPort(node.id()), "clients of node " + node.id());
      requirePort(plan.controllerPort(node.id()), "controller of node " + node.id());
    }
  }

  private static void requirePort(int port, String what) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(ClusterPlan.HOST, port));
    } catch (IOException e) {
      throw CommandFailure.failed(
          "port %d (%s) can't be used: %s; end what holds it, or choose other ports with --port",
          port, what, e.getMessage());
    }
  }

  void start(NodeDirectory node) {
    logStarts.put(node.id(), node.logSize());
    ProcessBuilder builder = new ProcessBuilder(installation.nodeCommand(node));
    builder.environment().putAll(installation.nodeEnvironment());
    builder.redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(node.log().toFile()));
    builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    try {
      Process process = builder.start();
      children.put(node.id(), process);
      node.writePid(process.pid());
      awaitCommandLine(node, process);
    } catch (IOException e) {
      throw CommandFailure.failed("node %d can't be started: %s", node.id(), e.getMessage());
    }
  }

  /**
   * A program that has just begun shows no command line for a moment: whoever looked for the node
   * then, to stop it, would take its process for another's and leave it running.
   */
  private void awaitCommandLine(NodeDirectory node, Process process) {
    long deadline = System.nanoTime() + TIME_TO_DIE.toNanos();
    while (process.isAlive()
        && !node.isRunning(process.toHandle())
        && System.nanoTime() < deadline) {
      sleep();
    }
  }

  /** Hears how many of the nodes are ready, whenever that changes. */
  interface Progress {
    void ready(int nodes);
  }

  /**
   * Waits until each of these nodes answers clients and sees all of {@code expected} as registered
   * and not fenced.
   *
   * @throws CommandFailure with the end of its log, if one of them died; or after a minute
   */
  void awaitReady(List<NodeDirectory> nodes, List<NodeDirectory> expected, Progress progress) {
    List<Integer> ids = expected.stream().map(NodeDirectory::id).toList();
    long deadline = System.nanoTime() + TIME_TO_START.toNanos();
    int ready = 0;
    while (true) {
      nodes.forEach(this::requireAlive);
      // All in one round: what a node saw of the others a while ago may have been their past.
      List<NodeDirectory> waiting = nodes.stream().filter(node -> !sees(node, ids)).toList();
      if (nodes.size() - waiting.size() != ready) {
        ready = nodes.size() - waiting.size();
        progress.ready(ready);
      }
      if (waiting.isEmpty()) {
        return;
      }
      if (System.nanoTime() > deadline) {
        throw CommandFailure.failed(
            "%s not ready after %d s%s",
            names(waiting), TIME_TO_START.toSeconds(), logTail(waiting.get(0)));
      }
      sleep();
    }
  }

  private boolean sees(NodeDirectory node, List<Integer> ids) {
    return NodeProbe.view(plan.clientPort(node.id()))
        .filter(view -> view.brokers().containsAll(ids))
        .isPresent();
  }

  private void requireAlive(NodeDirectory node) {
    Process child = children.get(node.id());
    if (child != null && !child.isAlive()) {
      throw CommandFailure.failed(
          "node %d ended while it started (exit code %d)%s",
          node.id(), child.exitValue(), logTail(node));
    }
  }

  private String logTail(NodeDirectory node) {
    List<String> lines = node.lastLogLines(LOG_LINES, logStarts.getOrDefault(node.id(), 0L));
    if (lines.isEmpty()) {
      return "; " + node.log() + " says nothing";
    }
    return lines.stream()
        .collect(Collectors.joining("\n  ", "; the end of " + node.log() + ":\n  ", ""));
  }

  /**
   * Asks all of these to stop, at once, and waits.
   *
   * @return those that did not and had to be killed
   */
  List<NodeDirectory> stop(List<NodeDirectory> nodes) {
    Map<NodeDirectory, ProcessHandle> stopping = new LinkedHashMap<>();
    for (NodeDirectory node : nodes) {
      node.process().ifPresent(process -> stopping.put(node, process));
      node.removePid();
    }
    stopping.values().forEach(ProcessHandle::destroy);
    // A paused one hears of it only when it goes on.
    stopping.values().stream().filter(StopSignal::isStopped).forEach(StopSignal::resume);
    List<NodeDirectory> killed = new ArrayList<>();
    long deadline = System.nanoTime() + TIME_TO_STOP.toNanos();
    stopping.forEach(
        (node, process) -> {
          if (!ended(node, process, deadline)) {
            kill(node, process);
            killed.add(node);
          }
        });
    return killed;
  }

  /** SIGKILL: the node has no chance to do anything more. Its pid file stays. */
  void kill(NodeDirectory node) {
    kill(node, process(node));
  }

  /**
   * Waits until a killed process has let go of its files. The system takes its command line away
   * first, while one of its threads may still be in the midst of a write.
   */
  void awaitFilesFree(NodeDirectory node) throws IOException {
    long deadline = System.nanoTime() + TIME_TO_DIE.toNanos();
    while (PowerCut.isInUse(node.ledger())) {
      if (System.nanoTime() > deadline) {
        throw CommandFailure.failed("a process still has the files of node %d open", node.id());
      }
      sleep();
    }
  }

  private static ProcessHandle process(NodeDirectory node) {
    return node.process()
        .orElseThrow(() -> CommandFailure.failed("node %d is not running", node.id()));
  }

  private static void kill(NodeDirectory node, ProcessHandle process) {
    process.destroyForcibly();
    if (!ended(node, process, System.nanoTime() + TIME_TO_DIE.toNanos())) {
      throw CommandFailure.failed("process %d does not end on SIGKILL", process.pid());
    }
  }

  /** SIGSTOP: the node falls silent, but everything of it stays open. */
  void pause(NodeDirectory node) {
    ProcessHandle process = process(node);
    StopSignal.stop(process);
    long deadline = System.nanoTime() + TIME_TO_DIE.toNanos();
    while (StopSignal.canTell()
        && !StopSignal.isStopped(process)
        && node.isRunning(process)
        && System.nanoTime() < deadline) {
      sleep();
    }
  }

  /** SIGCONT: nothing to a node that is not paused. */
  void resume(NodeDirectory node) {
    StopSignal.resume(process(node));
  }

  private static boolean ended(NodeDirectory node, ProcessHandle process, long deadline) {
    while (node.isRunning(process)) {
      if (System.nanoTime() > deadline) {
        return false;
      }
      sleep();
    }
    return true;
  }

  static void sleep() {
    try {
      Thread.sleep(POLL_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CommandFailure.failed("interrupted");
    }
  }

  static String names(List<NodeDirectory> nodes) {
    String ids =
        nodes.stream().map(node -> String.valueOf(node.id())).collect(Collectors.joining(", "));
    return (nodes.size() == 1 ? "node " : "nodes ") + ids;
  }
}
