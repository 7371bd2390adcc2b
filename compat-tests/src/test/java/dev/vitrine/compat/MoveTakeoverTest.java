package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionReplica;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A replica is on its way from one directory to another when its node stops or is killed; the other
 * kind of node, Apache Kafka's or ours, starts on the files and completes the move.
 */
@Tag("full")
class MoveTakeoverTest {
  private static final TopicPartition MOVED = new TopicPartition("moved", 0);
  private static final String RATE = "replica.alter.log.dirs.io.max.bytes.per.second";
  private static final int RECORDS = 800;

  @TempDir Path folder;
  private final List<Integer> ports = new ArrayList<>();
  private Process process;
  private Clients clients;

  @AfterEach
  void end() {
    if (process != null) {
      process.destroyForcibly();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"vitrine stop", "vitrine kill", "kafka stop", "kafka kill"})
  void theOtherKindCompletesTheMove(String first) throws Exception {
    boolean ours = first.startsWith("vitrine");
    Target one = ours ? new VitrineTarget() : new KafkaTarget();
    Target other = ours ? new KafkaTarget() : new VitrineTarget();
    ports.addAll(LocalCluster.freePorts(2));
    Files.writeString(file(), properties());
    new VitrineTarget().format(file(), Uuid.randomUuid().toString());
    start(one);
    clients.createTopic(
        new NewTopic(MOVED.topic(), 1, (short) 1).configs(Map.of("segment.bytes", "1048576")));
    List<String> written = write();
    throttle("300000");
    String to = whereItIs().equals("a") ? "b" : "a";
    try (Admin admin = clients.admin()) {
      admin
          .alterReplicaLogDirs(
              Map.of(new TopicPartitionReplica(MOVED.topic(), 0, 1), dir(to).toString()))
          .all()
          .get();
    }
    Await.until("it is on its way", () -> folders(to).contains("future"));
    if (first.endsWith("kill")) {
      process.destroyForcibly().waitFor();
    } else {
      process.destroy();
      assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    }
    assertTrue(folders(to).contains("future"), folders(to));
    start(other);
    throttle("100000000");
    Await.until("it has moved to " + to, () -> folders(to).equals("moved-0 "));
    assertEquals(to, whereItIs());
    assertEquals(
        written, clients.readAll(MOVED.topic()).stream().map(ConsumerRecord::key).toList());
  }

  private Path dir(String name) {
    return folder.resolve(name);
  }

  private Path file() {
    return folder.resolve("node.properties");
  }

  private String properties() {
    return """
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@127.0.0.1:%d
        listeners=PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d
        controller.listener.names=CONTROLLER
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
        log.dirs=%s,%s
        offsets.topic.replication.factor=1
        """
        .formatted(ports.get(1), ports.get(0), ports.get(1), dir("a"), dir("b"));
  }

  private void start(Target target) throws Exception {
    ProcessBuilder builder = Jvm.builder(target.classPath(), target.nodeCommand(file()));
    builder.redirectOutput(
        ProcessBuilder.Redirect.appendTo(folder.resolve(target.name() + ".log").toFile()));
    process = builder.start();
    clients = new Clients("127.0.0.1:" + ports.get(0));
    try (Admin admin = clients.admin()) {
      Await.until(
          target.name() + " is ready",
          () -> {
            if (!process.isAlive()) {
              throw new AssertionError(Files.readString(folder.resolve(target.name() + ".log")));
            }
            try {
              return admin.describeCluster().nodes().get().size() == 1;
            } catch (ExecutionException e) {
              return false;
            }
          });
    }
  }

  private List<String> write() throws Exception {
    List<String> written = new ArrayList<>();
    try (KafkaProducer<String, String> producer = clients.producer(Map.of("acks", "all"))) {
      for (int i = 0; i < RECORDS; i++) {
        producer.send(new ProducerRecord<>(MOVED.topic(), 0, "k" + i, "p".repeat(10_000)));
        written.add("k" + i);
      }
    }
    return written;
  }

  private void throttle(String rate) throws Exception {
    try (Admin admin = clients.admin()) {
      ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, "1");
      AlterConfigOp set = new AlterConfigOp(new ConfigEntry(RATE, rate), AlterConfigOp.OpType.SET);
      admin.incrementalAlterConfigs(Map.of(broker, List.of(set))).all().get();
    }
  }

  private String whereItIs() throws Exception {
    try (Admin admin = clients.admin()) {
      Map<String, LogDirDescription> dirs =
          new HashMap<>(admin.describeLogDirs(List.of(1)).descriptions().get(1).get());
      dirs.values().removeIf(d -> !d.replicaInfos().containsKey(MOVED));
      dirs.values().removeIf(d -> d.replicaInfos().get(MOVED).isFuture());
      return Path.of(dirs.keySet().iterator().next()).getFileName().toString();
    }
  }

  /** The names of the partition's folders, each with a blank. */
  private String folders(String name) {
    StringBuilder names = new StringBuilder();
    for (String n : dir(name).toFile().list()) {
      if (n.startsWith("moved-")) {
        names.append(n).append(' ');
      }
    }
    return names.toString();
  }
}
