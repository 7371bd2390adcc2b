package dev.vitrine.tools.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ToolTest {
  @Test
  void theAddressGoesWhereTheToolWantsIt() {
    assertArgs("kafka-topics --list", "--bootstrap-server HERE --list");
    assertArgs("kafka-metadata-quorum describe", "--bootstrap-server HERE describe");
    assertArgs("kafka-cluster cluster-id", "cluster-id --bootstrap-server HERE");
    assertArgs(
        "kafka-replica-verification --topics-include t", "--broker-list HERE --topics-include t");
    assertArgs("kafka-e2e-latency t 10 1 100", "HERE t 10 1 100");
    assertArgs("kafka-e2e-latency --topic t", "--bootstrap-server HERE --topic t");
    assertArgs(
        "kafka-reassign-partitions --generate --broker-list 1,2",
        "--bootstrap-server HERE --generate --broker-list 1,2");
    assertArgs(
        "kafka-log-dirs --describe --broker-list 1",
        "--bootstrap-server HERE --describe --broker-list 1");
  }

  @Test
  void whoSaysWhereIsLeftAlone() {
    for (String line :
        List.of(
            "kafka-topics",
            "kafka-topics --help",
            "kafka-topics --list --bootstrap-server there:1",
            "kafka-topics --list --bootstrap-server=there:1",
            "kafka-configs --bootstrap-controller there:1",
            "kafka-cluster cluster-id -b there:1",
            "kafka-producer-perf-test --command-property bootstrap.servers=there:1",
            "kafka-e2e-latency there:1 t 10 1 100",
            "kafka-dump-log --files f",
            "kafka-storage random-uuid")) {
      List<String> words = List.of(line.split(" "));
      assertFalse(tool(words).needsBootstrap(words.subList(1, words.size())), line);
    }
  }

  private static void assertArgs(String line, String expected) {
    List<String> words = List.of(line.split(" "));
    List<String> args = words.subList(1, words.size());
    assertTrue(tool(words).needsBootstrap(args), line);
    assertEquals(List.of(expected.split(" ")), tool(words).withBootstrap(args, "HERE"));
  }

  private static Tool tool(List<String> words) {
    return Tool.all().get(words.get(0));
  }

  /** What lies in the folder bin of Apache Kafka 4.4.0, but for Kafka Connect's and Trogdor's. */
  @Test
  void everyScriptOfKafkaIsThereOrSaysWhyNot() {
    String scripts =
        """
        acls broker-api-versions client-metrics cluster configs console-consumer
        console-producer console-share-consumer consumer-groups consumer-perf-test
        delegation-tokens delete-records dump-log e2e-latency features get-offsets groups jmx
        leader-election log-dirs metadata-quorum metadata-shell producer-perf-test
        reassign-partitions replica-verification server-start server-stop
        share-consumer-perf-test share-groups storage streams-application-reset streams-groups
        topics transactions verifiable-consumer verifiable-producer verifiable-share-consumer
        """;
    List<String> known = new ArrayList<>(Tool.all().keySet());
    known.addAll(Tool.absent().keySet());
    known.sort(null);
    assertEquals(Stream.of(scripts.split("\\s+")).map("kafka-"::concat).sorted().toList(), known);
    for (String name : Tool.absent().keySet()) {
      assertTrue(Launch.refusal(name).startsWith("there is no " + name + ": "), name);
    }
    assertTrue(Launch.refusal("kafka-nothing").contains("there are kafka-acls, "));
  }

  @Test
  void theLastClusterIsFound(@TempDir Path temp) throws IOException {
    Path state = Files.createDirectories(temp.resolve("state"));
    assertEquals(Optional.empty(), Launch.bootstrapServers(null, state));
    Path data = temp.resolve("data");
    for (int id = 1; id <= 2; id++) {
      Path node = Files.createDirectories(data.resolve("node-" + id));
      Files.writeString(
          node.resolve("server.properties"),
          "listeners=PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:99".formatted(id));
    }
    Files.writeString(state.resolve("last-cluster"), data + "\n");
    Optional<String> servers = Optional.of("127.0.0.1:1,127.0.0.1:2");
    assertEquals(servers, Launch.bootstrapServers(null, state));
    assertEquals(servers, Launch.bootstrapServers(data, temp));
    assertEquals(Optional.empty(), Launch.bootstrapServers(temp, state));
  }
}
