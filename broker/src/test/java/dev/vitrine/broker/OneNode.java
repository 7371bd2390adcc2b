package dev.vitrine.broker;

import dev.vitrine.broker.net.DiskWorkers;
import dev.vitrine.broker.net.NettyNetwork;
import dev.vitrine.broker.net.NettyShard;
import dev.vitrine.config.KafkaConfig;
import dev.vitrine.seam.Shard;
import dev.vitrine.storage.LogDirectory;
import dev.vitrine.storage.NioDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A whole node, broker and controller, within this process: real files, real sockets, two shards so
 * that requests cross from one to the other. With {@code -Dtarget=HOST:PORT} the tests speak to
 * what listens there instead, such as Apache Kafka.
 */
public final class OneNode implements AutoCloseable {
  private static final String CLUSTER_ID = "AAAAAAAAQACAAAAAAAAAAQ";

  private final String bootstrap;
  private final Path dir;
  private final Node node;
  private final DiskWorkers workers;
  private final List<NettyShard> loops = new ArrayList<>();
  private volatile Throwable fatal;

  private OneNode(String bootstrap) {
    this.bootstrap = bootstrap;
    this.dir = null;
    this.node = null;
    this.workers = null;
  }

  private OneNode(Path dir, int port, int controllerPort) throws Exception {
    this.bootstrap = "127.0.0.1:" + port;
    this.dir = dir;
    Properties p = new Properties();
    p.setProperty("process.roles", "broker,controller");
    p.setProperty("node.id", "1");
    p.setProperty("controller.quorum.voters", "1@127.0.0.1:" + controllerPort);
    p.setProperty(
        "listeners", "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort);
    p.setProperty("controller.listener.names", "CONTROLLER");
    p.setProperty("log.dirs", dir.toString());
    p.setProperty("offsets.topic.replication.factor", "1");
    p.setProperty("offsets.topic.num.partitions", "3");
    KafkaConfig config = KafkaConfig.parse(p);
    NioDisk disk = new NioDisk();
    new Format(disk, new SplittableRandom(1), 1_700_000_000_000L).format(config, CLUSTER_ID);
    workers = new DiskWorkers(2);
    loops.add(new NettyShard("test-shard-0", workers));
    loops.add(new NettyShard("test-shard-1", workers));
    List<Shard> shards = List.copyOf(loops);
    NettyShard quorumLoop = new NettyShard("test-quorum", workers);
    loops.add(quorumLoop);
    node =
        new Node(
            new NodeServices(
                config,
                CLUSTER_ID,
                disk,
                new NettyNetwork(loops.size()),
                shards,
                quorumLoop,
                List.of(LogDirectory.open(disk, dir)),
                "localhost"),
            e -> fatal = e);
    quorumLoop.execute(node::start);
  }

  /** It may still be on its way to serve when this returns. */
  public static OneNode start() {
    String target = System.getProperty("target", "vitrine");
    if (target.contains(":")) {
      return new OneNode(target);
    }
    try {
      return new OneNode(Files.createTempDirectory("vitrine"), freePort(), freePort());
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  /** Otherwise it is what {@code -Dtarget} names. */
  public boolean isVitrine() {
    return node != null;
  }

  public String bootstrap() {
    return bootstrap;
  }

  public int port() {
    return Integer.parseInt(bootstrap.substring(bootstrap.indexOf(':') + 1));
  }

  @Override
  public void close() throws IOException {
    if (node == null) {
      return;
    }
    CountDownLatch stopped = new CountDownLatch(1);
    loops.get(loops.size() - 1).execute(() -> node.stop(stopped::countDown));
    boolean clean = await(stopped);
    loops.forEach(NettyShard::close);
    workers.close();
    try (Stream<Path> files = Files.walk(dir)) {
      files.sorted(Comparator.reverseOrder()).forEach(OneNode::delete);
    }
    if (!clean || fatal != null) {
      throw new IllegalStateException("the node did not stop cleanly", fatal);
    }
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(30, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void delete(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
