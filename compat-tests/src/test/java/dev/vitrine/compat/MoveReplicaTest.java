package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.ReplicaInfo;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData.AlterReplicaLogDir;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData.AlterReplicaLogDirTopic;
import org.apache.kafka.common.message.AlterReplicaLogDirsRequestData.AlterReplicaLogDirTopicCollection;
import org.apache.kafka.common.message.AlterReplicaLogDirsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Replicas move from one of {@code log.dirs} to another while they are written to (KIP-113), by
 * request and by {@code kafka-reassign-partitions}, across a kill and a stop.
 */
class MoveReplicaTest {
  private static final TopicPartition MOVED = new TopicPartition("moved", 0);
  private static final String PADDING = "p".repeat(10_000);
  private static final String RATE = "replica.alter.log.dirs.io.max.bytes.per.second";

  @TempDir Path temp;
  private final List<String> written = new ArrayList<>();
  private ClusterUnderTest cluster;
  private Clients clients;

  private String dir(String name) {
    return cluster.logDir(1).resolve(name).toString();
  }

  private static Map<String, String> twoDirectories() {
    String dirs = LocalCluster.NODE_FOLDER + "/a," + LocalCluster.NODE_FOLDER + "/b";
    return Map.of("log.dirs", dirs, "log.segment.delete.delay.ms", "1000");
  }

  @Test
  @Tag("smoke")
  void aReplicaMovesAndErrorsAreKafkas() throws Exception {
    try (ClusterUnderTest started = LocalCluster.start("move-replica", 1, twoDirectories())) {
      cluster = started;
      clients = new Clients(cluster.bootstrap());
      clients.createTopic(
          new NewTopic(MOVED.topic(), 1, (short) 1).configs(Map.of("segment.bytes", "1048576")));
      write(300);
      refusals();
      String to = whereItIs().equals("a") ? "b" : "a";
      assertEquals(Errors.NONE, ask(dir(to), MOVED.topic(), 0));
      awaitMoved(to);
      write(10);
      reassign(to.equals("a") ? "b" : "a");
      cluster.stop(1);
      cluster.start(1);
      cluster.awaitReady();
      assertEquals(written, keys());
    }
  }

  @Test
  @Tag("full")
  void aMoveGoesOnAfterAKillAndAStop() throws Exception {
    try (ClusterUnderTest started = LocalCluster.start("move-killed", 1, twoDirectories())) {
      cluster = started;
      clients = new Clients(cluster.bootstrap());
      clients.createTopic(
          new NewTopic(MOVED.topic(), 1, (short) 1).configs(Map.of("segment.bytes", "1048576")));
      write(1_000);
      String to = whereItIs().equals("a") ? "b" : "a";
      throttle("500000");
      assertEquals(Errors.NONE, ask(dir(to), MOVED.topic(), 0));
      Await.until("it is on its way", () -> infos().containsKey("future in " + to));
      cluster.kill(1);
      cluster.start(1);
      cluster.awaitReady();
      Await.until("it is on its way", () -> infos().containsKey("future in " + to));
      write(10);
      cluster.stop(1);
      cluster.start(1);
      cluster.awaitReady();
      throttle("100000000");
      awaitMoved(to);
      assertEquals(written, keys());
    }
  }

  /** One of three directories can't be read at a start. */
  @Test
  @Tag("full")
  void aNodeStartsOnTheDirectoriesThatWork() throws Exception {
    String dirs = "/a,{node}/b,{node}/c".replace("{node}", LocalCluster.NODE_FOLDER);
    Map<String, String> config =
        Map.of("log.dirs", LocalCluster.NODE_FOLDER + dirs, "default.replication.factor", "1");
    try (ClusterUnderTest started = LocalCluster.start("offline-directory", 1, config)) {
      cluster = started;
      clients = new Clients(cluster.bootstrap());
      clients.createTopic(new NewTopic(MOVED.topic(), 1, (short) 1));
      write(5);
      assertEquals(Errors.NONE, ask(dir("b"), MOVED.topic(), 0));
      Await.until("it is in b", () -> infos().keySet().equals(java.util.Set.of("in b")));
      cluster.stop(1);
      Path aside = temp.resolve("b");
      Files.move(Path.of(dir("b")), aside);
      Files.writeString(Path.of(dir("b")), "not a directory");
      cluster.start(1);
      cluster.awaitReady();
      assertTrue(cluster.isRunning(1));
      try (Admin admin = clients.admin()) {
        Map<String, LogDirDescription> told =
            admin.describeLogDirs(List.of(1)).descriptions().get(1).get();
        assertInstanceOf(KafkaStorageException.class, told.get(dir("b")).error());
        assertNull(told.get(dir("a")).error());
        assertNull(told.get(dir("c")).error());
        assertTrue(Clients.leader(admin, MOVED).isEmpty(), "it is not made anew elsewhere");
        clients.createTopic(new NewTopic("other", 3, (short) 1));
      }
      assertEquals(Errors.KAFKA_STORAGE_ERROR, ask(dir("b"), "other", 0));
      cluster.stop(1);
      Files.delete(Path.of(dir("b")));
      Files.move(aside, Path.of(dir("b")));
      cluster.start(1);
      cluster.awaitReady();
      try (Admin admin = clients.admin()) {
        Clients.awaitLeader(admin, MOVED);
      }
      assertEquals(written, keys());
    }
  }

  private void write(int n) throws Exception {
    try (KafkaProducer<String, String> producer = clients.producer(Map.of("acks", "all"))) {
      for (int i = 0; i < n; i++) {
        String key = "k" + written.size();
        producer.send(new ProducerRecord<>(MOVED.topic(), 0, key, PADDING));
        written.add(key);
      }
    }
  }

  private List<String> keys() throws Exception {
    return clients.readAll(MOVED.topic()).stream().map(ConsumerRecord::key).toList();
  }

  private void refusals() throws Exception {
    assertEquals(Errors.LOG_DIR_NOT_FOUND, ask("/nowhere", MOVED.topic(), 0));
    assertEquals(Errors.LOG_DIR_NOT_FOUND, ask(dir("a") + "/", MOVED.topic(), 0));
    assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION, ask(dir("a"), "none", 0));
    assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION, ask(dir("a"), MOVED.topic(), 1));
    assertEquals(Errors.INVALID_TOPIC_EXCEPTION, ask(dir("a"), "n".repeat(230), 0));
    assertEquals(Errors.NONE, ask(dir(whereItIs()), MOVED.topic(), 0));
    // A directory that was chosen before the partition exists.
    for (String name : List.of("a", "b")) {
      for (int i = 0; i < 2; i++) {
        String topic = "chosen-" + name + i;
        assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION, ask(dir(name), topic, 0));
        clients.createTopic(new NewTopic(topic, 1, (short) 1));
        Path folder = Path.of(dir(name), topic + "-0");
        Await.until(topic + " is in " + name, () -> Files.isDirectory(folder));
      }
    }
  }

  private Errors ask(String path, String topic, int partition) throws Exception {
    AlterReplicaLogDirsRequestData request = new AlterReplicaLogDirsRequestData();
    AlterReplicaLogDirTopic t =
        new AlterReplicaLogDirTopic().setName(topic).setPartitions(List.of(partition));
    request
        .dirs()
        .add(
            new AlterReplicaLogDir()
                .setPath(path)
                .setTopics(new AlterReplicaLogDirTopicCollection(List.of(t).iterator())));
    Errors[] answers = new Errors[3];
    try (RawConnection connection = new RawConnection(cluster.clientPort(1))) {
      for (int version = 1; version <= 2; version++) {
        AlterReplicaLogDirsResponseData answer =
            connection.ask(
                ApiKeys.ALTER_REPLICA_LOG_DIRS,
                version,
                request,
                new AlterReplicaLogDirsResponseData());
        assertEquals(1, answer.results().size());
        assertEquals(topic, answer.results().get(0).topicName());
        answers[version] = Errors.forCode(answer.results().get(0).partitions().get(0).errorCode());
      }
    }
    assertEquals(answers[1], answers[2]);
    return answers[1];
  }

  /** "in a" or "future in b", and what is told of it. */
  private Map<String, ReplicaInfo> infos() throws Exception {
    Map<String, ReplicaInfo> infos = new TreeMap<>();
    try (Admin admin = clients.admin()) {
      Map<String, LogDirDescription> dirs =
          admin.describeLogDirs(List.of(1)).descriptions().get(1).get();
      dirs.forEach(
          (path, d) -> {
            ReplicaInfo info = d.replicaInfos().get(MOVED);
            if (info != null) {
              String name = Path.of(path).getFileName().toString();
              infos.put((info.isFuture() ? "future in " : "in ") + name, info);
            }
          });
    }
    return infos;
  }

  private String whereItIs() throws Exception {
    return infos().containsKey("in a") ? "a" : "b";
  }

  private void awaitMoved(String to) throws Exception {
    Await.until("it is in " + to, () -> infos().keySet().equals(java.util.Set.of("in " + to)));
    assertEquals(0, infos().get("in " + to).offsetLag());
    String other = to.equals("a") ? "b" : "a";
    Await.until("nothing is left in " + other, () -> folders(other).isEmpty());
    assertEquals(List.of("moved-0"), folders(to));
  }

  private List<String> folders(String name) throws Exception {
    try (Stream<Path> all = Files.list(Path.of(dir(name)))) {
      return all.map(p -> p.getFileName().toString()).filter(n -> n.startsWith("moved-")).toList();
    }
  }

  private void throttle(String rate) throws Exception {
    try (Admin admin = clients.admin()) {
      ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, "1");
      admin
          .incrementalAlterConfigs(
              Map.of(
                  broker,
                  List.of(
                      new AlterConfigOp(new ConfigEntry(RATE, rate), AlterConfigOp.OpType.SET))))
          .all()
          .get();
    }
  }

  /** By the tool, whose words are the same whoever it speaks to. */
  private void reassign(String to) throws Exception {
    String json =
        """
        {"version":1,"partitions":[
          {"topic":"moved","partition":0,"replicas":[1],"log_dirs":["%s"]}]}
        """
            .formatted(dir(to));
    Path file = Files.writeString(temp.resolve("move.json"), json);
    String out = tool("--execute", "--reassignment-json-file", file.toString());
    assertTrue(out.contains("Successfully started partition reassignment for moved-0"), out);
    assertTrue(out.contains("Successfully started moving log directory to " + dir(to)), out);
    awaitMoved(to);
    String verified = tool("--verify", "--reassignment-json-file", file.toString());
    assertTrue(
        verified.contains("Reassignment of replica moved-0-1 completed successfully."), verified);
  }

  private String tool(String... args) throws Exception {
    List<String> all = new ArrayList<>(List.of("--bootstrap-server", cluster.bootstrap()));
    all.addAll(List.of(args));
    return Jvm.tool("org.apache.kafka.tools.reassign.ReassignPartitionsCommand", all).output();
  }
}
