package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three nodes that are broken by the commands, and what stock clients see of it. */
@Tag("smoke")
class BrokenClusterTest {
  private static final String TOPIC = "t";
  private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);

  @TempDir Path temp;
  private String data;
  private VitrineScript vitrine;
  private int port;
  private Clients clients;

  @BeforeEach
  void up() throws Exception {
    assumeTrue(Target.isVitrine());
    data = temp.resolve("data").toString();
    vitrine = new VitrineScript(temp);
    port = LocalCluster.freePorts(3, 1_000);
    vitrine.ok(
        "",
        "up",
        "--detach",
        "--port",
        String.valueOf(port),
        "--data",
        data,
        "--config",
        "broker.session.timeout.ms=4000");
    clients = new Clients(bootstrap(1, 2, 3));
    clients.createTopic(new NewTopic(TOPIC, 1, (short) 3));
    awaitInSync();
  }

  @AfterEach
  void down() throws Exception {
    if (data != null && Files.exists(Path.of(data))) {
      vitrine.run("", "down", "--data", data);
    }
  }

  private String bootstrap(int... ids) {
    StringBuilder servers = new StringBuilder();
    for (int id : ids) {
      servers.append(servers.isEmpty() ? "" : ",").append("127.0.0.1:").append(port + id - 1);
    }
    return servers.toString();
  }

  private String command(String... args) throws Exception {
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(List.of("--data", data));
    return vitrine.ok("", all.toArray(new String[0])).out();
  }

  private String log(int id) throws Exception {
    return Files.readString(Path.of(data, "node-" + id, "log"));
  }

  private int leader() throws Exception {
    try (Admin admin = clients.admin()) {
      return Clients.awaitLeader(admin, PARTITION);
    }
  }

  private void awaitInSync() throws Exception {
    try (Admin admin = clients.admin()) {
      Clients.awaitInSync(admin, TOPIC, 3);
    }
  }

  private static void awaitMore(Writer writer, int count) throws Exception {
    int wanted = writer.countAcknowledged() + count;
    Await.until(
        count + " more records are acknowledged", () -> writer.countAcknowledged() >= wanted);
  }

  @Test
  void aPowerCutOfOneTakesNothingThatWasAcknowledged() throws Exception {
    try (Writer writer = new Writer(clients, "w", TOPIC, 1, Map.of())) {
      awaitMore(writer, 200);
      int follower = leader() % 3 + 1;
      String lost = command("power-cut", String.valueOf(follower));
      assertTrue(lost.contains("Power cut on node " + follower + ": " + PARTITION + " "), lost);
      awaitMore(writer, 50);
      assertTrue(command("start", String.valueOf(follower)).contains(" ready "));
      awaitInSync();
      awaitMore(writer, 50);

      String leader = String.valueOf(leader());
      lost = command("power-cut", leader, "--torn", "--seed", "7");
      assertTrue(lost.contains("torn with --seed 7"), lost);
      awaitMore(writer, 50);
      assertTrue(command("start", leader).contains(" ready "));
      awaitInSync();
      awaitMore(writer, 50);
      writer.finish();
      assertEquals(List.of(), writer.failures());
      assertNothingLost(writer);
    }
  }

  private void assertNothingLost(Writer writer) throws Exception {
    Map<Long, String> there = new HashMap<>();
    for (ConsumerRecord<String, String> r : clients.readAll(TOPIC)) {
      there.put(r.offset(), r.value());
    }
    List<Writer.Acknowledged> acknowledged = writer.acknowledged();
    for (Writer.Acknowledged a : acknowledged) {
      assertEquals(a.value(), there.get(a.offset()), "at offset " + a.offset());
    }
    assertEquals(acknowledged.size(), there.size(), "none twice");
  }

  @Test
  void aLeaderThatIsCutOffIsReplacedAndGivesUpWhatOnlyItHas() throws Exception {
    write(clients.producer(Map.of("acks", "all")), "shared", 50);
    int leader = leader();
    int[] others = IntStream.rangeClosed(1, 3).filter(id -> id != leader).toArray();
    Clients rest = new Clients(bootstrap(others));
    try (KafkaProducer<String, String> alone =
        new Clients(bootstrap(leader)).producer(Map.of("acks", "1", "enable.idempotence", false))) {
      alone.partitionsFor(TOPIC);
      for (int other : others) {
        command("cut", String.valueOf(leader), String.valueOf(other));
      }
      String status = command("status");
      assertTrue(
          status.contains("cut off from " + others[0] + "  cut off from " + others[1]), status);
      List<Long> offsets = send(alone, "lost", 20);
      assertEquals(50L + 20 - 1, offsets.get(19), "the one that is cut off still takes it");
    }
    Await.until(
        "another node leads", () -> List.of(others[0], others[1]).contains(leaderSeenBy(rest)));
    write(rest.producer(Map.of("acks", "all")), "later", 10);

    assertEquals("Healed all links.\n", command("heal"));
    awaitInSync();
    List<String> values = clients.readAll(TOPIC).stream().map(ConsumerRecord::value).toList();
    assertEquals(60, values.size(), values.toString());
    assertTrue(values.stream().noneMatch(v -> v.startsWith("lost")), values.toString());
    assertTrue(log(leader).contains(PARTITION + " truncated from offset 70 to offset 50"));
  }

  /**
   * As the nodes tell it that the client was given: later it might ask the one that is cut off,
   * which still takes itself for the leader. -1 for none.
   */
  private static int leaderSeenBy(Clients clients) {
    try (KafkaProducer<String, String> producer = clients.producer(Map.of())) {
      Node leader = producer.partitionsFor(TOPIC).get(0).leader();
      return leader == null ? -1 : leader.id();
    }
  }

  @Test
  void aCutLinkOutlivesTheProcess() throws Exception {
    command("cut", "1", "3");
    command("kill", "3");
    command("start", "3", "--no-wait");
    Await.until("it is back", () -> command("status").contains("cut off from 1"));
    command("heal", "3", "1");
    Await.until(
        "all see all",
        () -> command("status").lines().filter(l -> l.contains("brokers 1,2,3")).count() == 3);
    assertEquals("There was nothing to heal.\n", command("heal"));
  }

  @Test
  void aSlowNodeIsSlowForAllAndRequestsFailOnDemand() throws Exception {
    String leader = String.valueOf(leader());
    command("slow", leader, "--delay", "100");
    assertTrue(command("status").contains("slow 100 ms"));
    try (KafkaProducer<String, String> producer = clients.producer(Map.of("acks", "all"))) {
      long begin = System.nanoTime();
      send(producer, "slow", 5);
      System.out.printf(
          "slow by 100 ms: %d ms an acknowledgement%n", (System.nanoTime() - begin) / 5_000_000);
    }
    command("slow", leader, "--delay", "0");
    assertEquals("Node " + leader + " has no faults.\n", command("fault", leader));

    String now =
        command(
            "fault",
            leader,
            "--api",
            "PRODUCE",
            "--topic",
            TOPIC,
            "--times",
            "2",
            "--error",
            "NOT_LEADER_OR_FOLLOWER");
    assertTrue(now.contains("PRODUCE topic t error NOT_LEADER_OR_FOLLOWER, 2 times more"), now);
    try (KafkaProducer<String, String> producer =
        clients.producer(Map.of("retries", 0, "enable.idempotence", false))) {
      for (int i = 0; i < 2; i++) {
        ExecutionException refused =
            assertThrows(ExecutionException.class, () -> send(producer, "refused", 1));
        assertInstanceOf(NotLeaderOrFollowerException.class, refused.getCause());
      }
      send(producer, "taken", 1);
    }
    VitrineScript.Result wrong =
        vitrine.run("", "fault", leader, "--api", "NONE", "--drop", "--data", data);
    assertEquals("vitrine: node " + leader + ": there is no API NONE\n", wrong.err());
    command("fault", leader, "--api", "fetch", "--delay", "10", "--client", "nobody");
    assertTrue(command("status").contains("1 fault point"));
    assertEquals("Node " + leader + " has no faults.\n", command("fault", leader, "--clear"));
  }

  private static void write(KafkaProducer<String, String> producer, String name, int count)
      throws Exception {
    try (producer) {
      send(producer, name, count);
    }
  }

  private static List<Long> send(KafkaProducer<String, String> producer, String name, int count)
      throws Exception {
    List<Long> offsets = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      offsets.add(
          producer.send(new ProducerRecord<>(TOPIC, 0, name, name + ":" + i)).get().offset());
    }
    return offsets;
  }
}
