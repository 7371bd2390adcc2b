package dev.vitrine.compat;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.Uuid;

/** Nodes of one {@link Target} under {@code target/clusters/NAME}. */
public final class LocalCluster implements ClusterUnderTest {
  /** In a value of a configuration: the folder of the node's data. */
  static final String NODE_FOLDER = "{node}";

  private static final String HOST = "127.0.0.1";
  private static final int SECONDS_TO_STOP = 60;

  private final Target target;
  private final Path folder;
  private final List<Integer> ports;
  private final int size;
  private final int voters;
  private final Wiring wiring;
  private final Map<Integer, Process> processes = new ConcurrentSkipListMap<>();
  private final Set<Integer> paused = new TreeSet<>();
  private final Thread onExit =
      new Thread(() -> processes.values().forEach(Process::destroyForcibly), "kill nodes");

  private LocalCluster(Target target, String name, int size, int voters, Wiring wiring)
      throws IOException {
    this.target = target;
    this.folder = Path.of("target", "clusters", name + "-" + target.name()).toAbsolutePath();
    this.size = size;
    this.voters = voters;
    this.wiring = wiring;
    this.ports = freePorts(2 * size);
    delete(folder);
    Files.createDirectories(folder);
    Runtime.getRuntime().addShutdownHook(onExit);
  }

  /**
   * Formats and starts a cluster and waits until it is ready.
   *
   * @param name of its folder
   * @param config besides what ties the nodes together; {@code ${node.id}} in a value is each
   *     node's
   */
  public static ClusterUnderTest start(String name, int size, Map<String, String> config)
      throws Exception {
    return start(name, size, size, config);
  }

  /**
   * The same with nodes that are not all on the loopback address.
   *
   * @param wiring stays open when the cluster is closed
   */
  public static ClusterUnderTest start(
      String name, int size, Wiring wiring, Map<String, String> config) throws Exception {
    return start(new LocalCluster(Target.chosen(), name, size, size, wiring), config);
  }

  /**
   * The same with fewer controllers than brokers.
   *
   * @param voters how many, from node 1 on, are controllers too; the others are brokers alone
   */
  static ClusterUnderTest start(String name, int size, int voters, Map<String, String> config)
      throws Exception {
    return start(new LocalCluster(Target.chosen(), name, size, voters, Wiring.LOOPBACK), config);
  }

  /** The same of a kind that is not that of the test run. */
  public static ClusterUnderTest start(
      Target target, String name, int size, Map<String, String> config) throws Exception {
    return start(new LocalCluster(target, name, size, size, Wiring.LOOPBACK), config);
  }

  private static ClusterUnderTest start(LocalCluster cluster, Map<String, String> config)
      throws Exception {
    try {
      String clusterId = Uuid.randomUuid().toString();
      for (int id : cluster.nodes()) {
        Path file = cluster.configuration(id);
        Files.writeString(file, cluster.properties(id, config));
        cluster.target.format(file, clusterId);
      }
      for (int id : cluster.nodes()) {
        cluster.start(id);
      }
      cluster.awaitReady();
      return cluster;
    } catch (Throwable failure) {
      cluster.close();
      throw failure;
    }
  }

  private String properties(int id, Map<String, String> config) {
    String factor = String.valueOf(Math.min(3, size));
    String inSync = String.valueOf(Math.min(2, size));
    Map<String, String> keys = new LinkedHashMap<>();
    boolean votes = id <= voters;
    keys.put("process.roles", votes ? "broker,controller" : "broker");
    keys.put("node.id", String.valueOf(id));
    keys.put(
        "controller.quorum.voters",
        nodes().stream()
            .filter(voter -> voter <= voters)
            .map(voter -> voter + "@" + wiring.host(voter) + ":" + controllerPort(voter))
            .collect(Collectors.joining(",")));
    String forClients = "PLAINTEXT://%s:%d".formatted(wiring.host(id), clientPort(id));
    keys.put(
        "listeners",
        votes
            ? forClients + ",CONTROLLER://%s:%d".formatted(wiring.host(id), controllerPort(id))
            : forClients);
    keys.put("controller.listener.names", "CONTROLLER");
    keys.put("log.dirs", logDir(id).toString());
    keys.put("default.replication.factor", factor);
    keys.put("min.insync.replicas", inSync);
    keys.put("offsets.topic.replication.factor", factor);
    keys.put("offsets.topic.num.partitions", "4");
    keys.put("transaction.state.log.replication.factor", factor);
    keys.put("transaction.state.log.min.isr", inSync);
    keys.put("share.coordinator.state.topic.replication.factor", factor);
    keys.put("share.coordinator.state.topic.min.isr", inSync);
    keys.put("group.initial.rebalance.delay.ms", "0");
    config.forEach(
        (key, value) ->
            keys.put(
                key,
                value.replace("${node.id}", "" + id).replace(NODE_FOLDER, logDir(id).toString())));
    if (Boolean.parseBoolean(config.get("vitrine.faults"))) {
      keys.put("vitrine.node.dir", nodeDir(id).toString());
      keys.put("vitrine.http.listener", wiring.host(id) + ":0");
    }
    return keys.entrySet().stream()
        .map(key -> key.getKey() + "=" + key.getValue() + "\n")
        .collect(Collectors.joining());
  }

  private Path configuration(int id) {
    return folder.resolve("node-" + id + ".properties");
  }

  private Path log(int id) {
    return folder.resolve("node-" + id + ".log");
  }

  @Override
  public String host(int id) {
    return wiring.host(id);
  }

  @Override
  public int controllerPort(int id) {
    return ports.get(size + id - 1);
  }

  @Override
  public int clientPort(int id) {
    return ports.get(id - 1);
  }

  @Override
  public List<Integer> nodes() {
    return IntStream.rangeClosed(1, size).boxed().toList();
  }

  @Override
  public String bootstrap() {
    return nodes().stream()
        .map(id -> wiring.host(id) + ":" + clientPort(id))
        .collect(Collectors.joining(","));
  }

  @Override
  public Path nodeDir(int id) {
    return folder.resolve("node-" + id + "-own");
  }

  @Override
  public Path logDir(int id) {
    return folder.resolve("node-" + id);
  }

  @Override
  public String output(int id) throws IOException {
    return Files.readString(log(id));
  }

  @Override
  public void start(int id) throws IOException {
    if (isRunning(id)) {
      throw new IllegalStateException("node " + id + " runs");
    }
    ProcessBuilder builder = Jvm.builder(target.classPath(), target.nodeCommand(configuration(id)));
    builder.command().addAll(0, wiring.prefix(id));
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log(id).toFile()));
    builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    paused.remove(id);
    processes.put(id, builder.start());
  }

  @Override
  public boolean isRunning(int id) {
    Process process = processes.get(id);
    return process != null && process.isAlive();
  }

  private Process running(int id) {
    if (!isRunning(id)) {
      throw new IllegalStateException("node " + id + " is not running");
    }
    return processes.get(id);
  }

  @Override
  public void kill(int id) throws InterruptedException {
    running(id).destroyForcibly().waitFor();
  }

  @Override
  public void pause(int id) throws Exception {
    signal(id, "STOP");
    paused.add(id);
  }

  @Override
  public boolean isPaused(int id) {
    return isRunning(id) && paused.contains(id);
  }

  @Override
  public void resume(int id) throws Exception {
    signal(id, "CONT");
    paused.remove(id);
  }

  private void signal(int id, String name) throws IOException, InterruptedException {
    String command = "kill -" + name + " " + running(id).pid();
    if (new ProcessBuilder("sh", "-c", command).inheritIO().start().waitFor() != 0) {
      throw new IllegalStateException(command + " failed");
    }
  }

  @Override
  public void stop(int id) throws InterruptedException {
    stop(List.of(id));
  }

  @Override
  public void stopAll() throws InterruptedException {
    stop(nodes());
  }

  private void stop(List<Integer> ids) throws InterruptedException {
    for (int id : ids) {
      running(id).destroy();
    }
    for (int id : ids) {
      if (!processes.get(id).waitFor(SECONDS_TO_STOP, TimeUnit.SECONDS)) {
        throw new AssertionError("node " + id + " does not stop; see " + folder);
      }
    }
  }

  @Override
  public void awaitReady() throws Exception {
    List<Integer> running = nodes().stream().filter(this::isRunning).toList();
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap()))) {
      Await.until(
          "nodes " + running + " are ready; see " + folder,
          () -> {
            for (int id : running) {
              running(id);
            }
            try {
              return admin.describeCluster().nodes().get().stream()
                  .map(Node::id)
                  .toList()
                  .containsAll(running);
            } catch (ExecutionException e) {
              return false;
            }
          });
    }
  }

  @Override
  public void killAll() throws InterruptedException {
    processes.values().forEach(Process::destroyForcibly);
    for (Process process : processes.values()) {
      process.waitFor();
    }
  }

  @Override
  public void close() {
    try {
      killAll();
      for (int id : nodes()) {
        delete(logDir(id));
        delete(nodeDir(id));
      }
      Runtime.getRuntime().removeShutdownHook(onExit);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Ports that are free now. They are from below the range that the system gives to outgoing
   * connections: while a node is down, no client may get its port.
   */
  public static List<Integer> freePorts(int count) {
    SplittableRandom random = new SplittableRandom();
    List<Integer> ports = new ArrayList<>();
    while (ports.size() < count) {
      int port = random.nextInt(12_000, 32_000);
      if (!ports.contains(port) && isFree(port)) {
        ports.add(port);
      }
    }
    return ports;
  }

  /** The first of {@code count} ports in a row that are free, and as many {@code apart} from it. */
  static int freePorts(int count, int apart) {
    SplittableRandom random = new SplittableRandom();
    while (true) {
      int first = random.nextInt(12_000, 31_000);
      if (IntStream.range(first, first + count)
          .allMatch(port -> isFree(port) && isFree(port + apart))) {
        return first;
      }
    }
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByName(HOST))) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }

  private static void delete(Path path) throws IOException {
    if (!Files.exists(path)) {
      return;
    }
    try (Stream<Path> files = Files.walk(path)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
