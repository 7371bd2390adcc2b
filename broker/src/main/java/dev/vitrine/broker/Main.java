package dev.vitrine.broker;

import dev.vitrine.broker.fault.ApiFaults;
import dev.vitrine.broker.fault.FaultNetwork;
import dev.vitrine.broker.fault.FaultService;
import dev.vitrine.broker.net.DiskWorkers;
import dev.vitrine.broker.net.HttpListener;
import dev.vitrine.broker.net.HttpPages;
import dev.vitrine.broker.net.HttpService;
import dev.vitrine.broker.net.NettyNetwork;
import dev.vitrine.broker.net.NettyShard;
import dev.vitrine.broker.observe.JvmMetrics;
import dev.vitrine.broker.observe.MetricsPage;
import dev.vitrine.broker.observe.NodeMetrics;
import dev.vitrine.broker.observe.ShardLoad;
import dev.vitrine.config.ConfigException;
import dev.vitrine.config.KafkaConfig;
import dev.vitrine.config.NodeSettings;
import dev.vitrine.seam.Disk;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Network;
import dev.vitrine.seam.Shard;
import dev.vitrine.storage.NioDisk;
import dev.vitrine.storage.powercut.PowerCutDisk;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node's process: puts a {@link Node} on the real seams and keeps it until SIGTERM. The only
 * place, with {@link Format}, that knows the real file system, clock and network as a whole.
 */
public final class Main {
  private static final Logger LOG = LoggerFactory.getLogger(Main.class);
  private static final int DISK_WORKERS = 4;
  private static final long STOP_SECONDS = 60;

  private Main() {}

  public static void main(String[] args) {
    if (args.length != 1) {
      System.err.println("usage: java dev.vitrine.broker.Main FILE.properties");
      System.exit(2);
    }
    try {
      run(KafkaConfig.parse(read(Path.of(args[0]))));
    } catch (ConfigException | IOException | UncheckedIOException | IllegalStateException e) {
      LOG.debug("The node cannot start", e);
      LOG.error("The node cannot start: {}", reason(e));
      System.exit(1);
    } catch (Throwable e) {
      LOG.error("The node cannot start", e);
      System.exit(1);
    }
  }

  static Properties read(Path file) throws IOException {
    Properties properties = new Properties();
    try (Reader in = Files.newBufferedReader(file)) {
      properties.load(in);
    } catch (NoSuchFileException e) {
      throw new IOException("no such file: " + file, e);
    } catch (IllegalArgumentException e) {
      throw new IOException(file + " is not a properties file: " + e.getMessage(), e);
    }
    return properties;
  }

  private static String reason(Throwable e) {
    Throwable t = e instanceof UncheckedIOException && e.getCause() != null ? e.getCause() : e;
    return t.getMessage() == null ? t.toString() : t.getMessage();
  }

  private static void run(KafkaConfig config) throws Exception {
    config.logWarnings(LOG);
    NodeFolder folder = folder(config);
    Disk disk = disk(config, folder);
    LogDirs.Opened directories = open(disk, config.node());
    DiskWorkers workers = new DiskWorkers(DISK_WORKERS);
    List<NettyShard> loops = new ArrayList<>();
    int shards = config.vitrine().shards(Runtime.getRuntime().availableProcessors());
    for (int i = 0; i < shards; i++) {
      loops.add(new NettyShard("vitrine-shard-" + i, workers));
    }
    NettyShard quorumLoop = new NettyShard("vitrine-quorum", workers);
    Network network = new NettyNetwork(shards + 1);
    ApiFaults apis = null;
    List<HttpService> pages = new ArrayList<>();
    if (config.vitrine().faults()) {
      FaultNetwork faulty = new FaultNetwork(network);
      if (folder != null) {
        faulty.set(folder.cuts());
      }
      apis = new ApiFaults();
      pages.add(new FaultService(faulty, apis));
      network = faulty;
    }
    NodeServices services =
        new NodeServices(
            config,
            directories.online().get(0).meta().clusterId(),
            disk,
            network,
            List.<Shard>copyOf(loops),
            quorumLoop,
            directories.online(),
            directories.offline(),
            hostName(),
            new Probes(apis, new NodeMetrics()));
    listen(services, folder, workers, pages);
    Node node = new Node(services, Main::fatal);
    loops.add(quorumLoop);
    start(node, quorumLoop);
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> stop(node, quorumLoop, loops, workers), "vitrine-stop"));
    LOG.info(
        "Node {} of cluster {} started as {} on {}, {} shards",
        config.node().nodeId(),
        services.clusterId(),
        roles(config.node()),
        config.listeners().all(),
        shards);
  }

  /**
   * For as long as the process lives.
   *
   * @param pages besides the metrics
   */
  private static void listen(
      NodeServices services, NodeFolder folder, DiskWorkers workers, List<HttpService> pages)
      throws IOException {
    Endpoint at = services.config().vitrine().httpListener();
    if (at == null) {
      return;
    }
    NettyShard loop = new NettyShard("vitrine-http", workers);
    NodeMetrics metrics = services.metrics();
    metrics.add(loop, new ShardLoad(loop, services.shards()));
    List<HttpService> all = new ArrayList<>(pages);
    all.add(new MetricsPage(loop, metrics, List.of(new JvmMetrics())));
    String token = null;
    if (folder != null) {
      folder.forgetHttp();
      token = folder.newToken();
    }
    HttpListener http = HttpListener.open(loop, at, token, new HttpPages(all));
    if (folder != null) {
      folder.writeHttp(http.port(), token);
    }
    LOG.info("Answers HTTP on {}:{}", at.host(), http.port());
  }

  private static String roles(NodeSettings node) {
    return node.isBroker()
        ? node.isController() ? "broker and controller" : "broker"
        : "controller";
  }

  /** Null if it has none. */
  private static NodeFolder folder(KafkaConfig config) throws IOException {
    String nodeDir = config.vitrine().nodeDir();
    if (nodeDir == null) {
      if (config.vitrine().httpListener() != null && config.vitrine().faults()) {
        throw new IllegalStateException(
            "vitrine.http.listener with vitrine.faults needs vitrine.node.dir");
      }
      return null;
    }
    NodeFolder folder = new NodeFolder(Path.of(nodeDir).toAbsolutePath().normalize());
    if (LogDirs.paths(config.node()).stream().anyMatch(folder.path()::startsWith)) {
      throw new IllegalStateException(
          "vitrine.node.dir " + folder.path() + " must not be in log.dirs");
    }
    return folder;
  }

  /** With a ledger of what was synced, where a power cut may come. */
  private static Disk disk(KafkaConfig config, NodeFolder folder) {
    if (folder == null) {
      return new NioDisk();
    }
    if (config.vitrine().faults()) {
      return PowerCutDisk.open(folder.ledger(), LogDirs.paths(config.node()));
    }
    // What happens to the files from here on, it would not know.
    PowerCutDisk.forget(folder.ledger());
    return new NioDisk();
  }

  static LogDirs.Opened open(Disk disk, NodeSettings node) {
    return new LogDirs(disk, node, () -> Format.newId(new SecureRandom())).open();
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getCanonicalHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }

  private static void start(Node node, NettyShard quorumLoop) throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    Throwable[] failure = new Throwable[1];
    quorumLoop.execute(
        () -> {
          try {
            node.start();
          } catch (Throwable e) {
            failure[0] = e;
          }
          started.countDown();
        });
    started.await();
    if (failure[0] instanceof Exception e) {
      throw e;
    }
    if (failure[0] instanceof Error e) {
      throw e;
    }
  }

  /**
   * Runs in the JVM's shutdown: what it cannot finish in time is left as after a crash, and
   * recovered at the next start.
   */
  private static void stop(
      Node node, NettyShard quorumLoop, List<NettyShard> loops, DiskWorkers workers) {
    CountDownLatch stopped = new CountDownLatch(1);
    quorumLoop.execute(() -> node.stop(stopped::countDown));
    try {
      if (stopped.await(STOP_SECONDS, TimeUnit.SECONDS)) {
        LOG.info("Stopped cleanly");
      } else {
        LOG.error("Not stopped cleanly within {} s", STOP_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    loops.forEach(NettyShard::close);
    workers.close();
  }

  /** A promise can no longer be kept: better no node than a wrong one. */
  private static void fatal(Throwable why) {
    LOG.error("The node cannot go on", why);
    Runtime.getRuntime().halt(1);
  }
}
