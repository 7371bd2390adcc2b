package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Partitions with data move while they are written to, at the bidding of {@code
 * kafka-reassign-partitions}, which prints the same word for word whoever it speaks to. What it
 * prints is in {@code reassign-partitions.txt}.
 */
@Tag("full")
class ReassignPartitionsTest {
  private static final String TOPIC = "moved";
  private static final int RECORD_BYTES = 10_000;

  /** In each partition so many that a slow throttle needs many seconds for them. */
  private static final int RECORDS = 900;

  /** A first fetch is not measured before it is made; it is the one after it that waits. */
  private static final String SLOW = "20000";

  private static final String FAST = "500000000";
  private static final String MOVE =
      """
      {"version":1,"partitions":[
        {"topic":"moved","partition":0,"replicas":[3,1]},
        {"topic":"moved","partition":1,"replicas":[1,2]},
        {"topic":"moved","partition":2,"replicas":[2]}]}
      """;

  @TempDir Path temp;
  private final StringBuilder transcript = new StringBuilder();
  private ClusterUnderTest cluster;

  @Test
  void toolMovesPartitionsThatAreWrittenTo() throws Exception {
    Map<String, String> config =
        Map.of("log.segment.delete.delay.ms", "1000", "auto.leader.rebalance.enable", "false");
    try (ClusterUnderTest started = LocalCluster.start("reassign", 3, config)) {
      cluster = started;
      Clients clients = new Clients(cluster.bootstrap());
      Map<Integer, List<Integer>> before =
          Map.of(0, List.of(1, 2), 1, List.of(2, 3), 2, List.of(3, 1));
      clients.createTopic(new NewTopic(TOPIC, before).configs(Map.of("min.insync.replicas", "1")));
      write(clients, RECORDS);

      generate();
      execute(MOVE, "--throttle", SLOW);
      tool("--list");
      describe();
      tool("--verify", "--reassignment-json-file", file(MOVE));
      execute(MOVE);
      cancelTheSecond();
      write(clients, 10);
      execute(MOVE, "--additional", "--throttle", FAST);
      try (Admin admin = clients.admin()) {
        Await.until(
            "the partitions have moved",
            () -> admin.listPartitionReassignments().reassignments().get().isEmpty());
      }
      tool("--verify", "--reassignment-json-file", file(MOVE));
      tool("--list");
      tool("--cancel", "--reassignment-json-file", file(MOVE));
      describe();
      preferPreferred();
      refusals();
      assertEquals(expected(), transcript.toString());

      try (Admin admin = clients.admin()) {
        requireMoved(Clients.partitions(admin, TOPIC));
      }
      write(clients, 10);
      assertEquals(3 * (RECORDS + 20), clients.readAll(TOPIC).size());
      requireFolders();
      moveFromANodeThatIsDown(clients);
      cluster.stopAll();
      List<String> first = LogFiles.records(cluster.logDir(1).resolve(TOPIC + "-0"));
      assertEquals(RECORDS + 20, first.size());
      assertEquals(first, LogFiles.records(cluster.logDir(2).resolve(TOPIC + "-0")));
    }
  }

  private void generate() throws Exception {
    String topics = "{\"version\":1,\"topics\":[{\"topic\":\"moved\"}]}";
    tool("--generate", "--topics-to-move-json-file", file(topics), "--broker-list", "1,2,3");
  }

  private void execute(String json, String... more) throws Exception {
    List<String> args = new ArrayList<>(List.of("--execute", "--reassignment-json-file"));
    args.add(file(json));
    args.addAll(List.of(more));
    tool(args.toArray(String[]::new));
  }

  private void cancelTheSecond() throws Exception {
    String second =
        "{\"version\":1,\"partitions\":[{\"topic\":\"moved\",\"partition\":1,\"replicas\":[1,2]}]}";
    tool("--cancel", "--preserve-throttles", "--reassignment-json-file", file(second));
    tool("--list");
  }

  private void refusals() throws Exception {
    execute(MOVE.replace("[3,1]", "[7,1]"));
    execute(MOVE.replace("\"partition\":2", "\"partition\":9"));
    tool(
        "--execute",
        "--disallow-replication-factor-change",
        "--reassignment-json-file",
        file(MOVE.replace("[3,1]", "[3,1,2]")));
  }

  private static void requireMoved(List<TopicPartitionInfo> partitions) {
    List<List<Integer>> replicas = new ArrayList<>();
    for (TopicPartitionInfo p : partitions) {
      replicas.add(p.replicas().stream().map(node -> node.id()).toList());
      assertTrue(replicas.get(p.partition()).contains(p.leader().id()), p.toString());
    }
    assertEquals(List.of(List.of(3, 1), List.of(1, 2), List.of(2)), replicas);
  }

  /** What has moved away is deleted, if not at once. */
  private void requireFolders() throws Exception {
    Map<Integer, List<String>> wanted =
        Map.of(
            1,
            List.of("moved-0", "moved-1"),
            2,
            List.of("moved-1", "moved-2"),
            3,
            List.of("moved-0"));
    for (int id : cluster.nodes()) {
      Await.until("the folders of node " + id, () -> folders(id).equals(wanted.get(id)));
    }
  }

  private List<String> folders(int id) throws IOException {
    try (Stream<Path> entries = Files.list(cluster.logDir(id))) {
      return entries
          .map(path -> path.getFileName().toString())
          .filter(name -> name.startsWith(TOPIC))
          .sorted()
          .toList();
    }
  }

  /** What was taken from a node while it was down, it sets aside when it comes back. */
  private void moveFromANodeThatIsDown(Clients clients) throws Exception {
    cluster.stop(3);
    try (Admin admin = clients.admin()) {
      TopicPartition first = new TopicPartition(TOPIC, 0);
      admin
          .alterPartitionReassignments(
              Map.of(first, Optional.of(new NewPartitionReassignment(List.of(1, 2)))))
          .all()
          .get();
      Await.until(
          "the partition has moved",
          () -> admin.listPartitionReassignments().reassignments().get().isEmpty());
    }
    cluster.start(3);
    cluster.awaitReady();
    Await.until(
        "node 3 has set its log aside",
        () -> folders(3).size() == 1 && folders(3).get(0).matches("moved-0\\.[0-9a-f]{32}-stray"));
  }

  private void describe() throws Exception {
    run("org.apache.kafka.tools.TopicCommand", "--describe", "--topic", TOPIC);
  }

  /** The first of the new replicas lead when they are asked to. */
  private void preferPreferred() throws Exception {
    String all =
        "{\"partitions\":[{\"topic\":\"moved\",\"partition\":0},"
            + "{\"topic\":\"moved\",\"partition\":2}]}";
    String[] args = {"--election-type", "preferred", "--path-to-json-file", file(all)};
    run("org.apache.kafka.tools.LeaderElectionCommand", args);
    run("org.apache.kafka.tools.LeaderElectionCommand", args);
    describe();
  }

  private static void write(Clients clients, int each) throws Exception {
    String value = "v".repeat(RECORD_BYTES);
    try (KafkaProducer<String, String> producer = clients.producer(Map.of("acks", "all"))) {
      for (int i = 0; i < 3 * each; i++) {
        producer.send(new ProducerRecord<>(TOPIC, i % 3, "k" + i, value));
      }
      producer.flush();
    }
  }

  private String file(String json) throws IOException {
    return Files.writeString(Files.createTempFile(temp, "plan", ".json"), json).toString();
  }

  private void tool(String... args) throws Exception {
    run("org.apache.kafka.tools.reassign.ReassignPartitionsCommand", args);
  }

  private void run(String mainClass, String... args) throws Exception {
    List<String> all = new ArrayList<>(List.of("--bootstrap-server", cluster.bootstrap()));
    all.addAll(List.of(args));
    Jvm.Result result = Jvm.tool(mainClass, all);
    transcript.append("$ ");
    Stream.of(args).filter(arg -> !arg.startsWith("/")).forEach(a -> transcript.append(a + " "));
    transcript.append("\n").append(normalised(result.output()));
    transcript.append("exit code ").append(result.exitCode()).append("\n\n");
  }

  /**
   * Without the tool's random proposal, its log lines, its stack traces and the places of folders.
   */
  private static String normalised(String output) {
    StringBuilder lines = new StringBuilder();
    boolean proposal = false;
    for (String line : output.lines().toList()) {
      if (line.startsWith("\tat ") || line.matches("[0-9:.]+ .*|\\[?[0-9-]+ .*|SLF4J.*|Picked.*")) {
        continue;
      }
      String told = proposal && line.startsWith("{") ? "{...}" : line.stripTrailing();
      lines
          .append(
              told.replaceAll("\"/[^\"]*/(node-[0-9])[^\"]*\"", "\"$1\"")
                  .replaceAll("TopicId: \\S+", "TopicId: ..."))
          .append("\n");
      proposal |= line.startsWith("Proposed partition");
    }
    return lines.toString();
  }

  private static String expected() throws IOException {
    try (InputStream in =
        ReassignPartitionsTest.class.getResourceAsStream("/reassign-partitions.txt")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
