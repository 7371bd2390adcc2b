package dev.vitrine.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vitrine.broker.api.ApiTable;
import dev.vitrine.broker.api.ListenerType;
import dev.vitrine.broker.control.ControllerChannel;
import dev.vitrine.broker.control.Metadata;
import dev.vitrine.broker.partition.PartitionContext;
import dev.vitrine.broker.replication.LocalReplicas;
import dev.vitrine.broker.replication.Replicas;
import dev.vitrine.config.KafkaConfig;
import dev.vitrine.metadata.LiveConfig;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.seam.Shard;
import dev.vitrine.sim.SimWorld;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** That docs/APIS.md says what the two tables of APIs say, and what Apache Kafka offers. */
class ApiDocumentTest {
  private static final Path DOCUMENT = Path.of("..", "docs", "APIS.md");

  private final Shard shard = new SimWorld(1).newShard("shard");
  private final KafkaConfig config =
      KafkaConfig.parse(
          Map.of(
              "process.roles",
              "broker,controller",
              "node.id",
              "1",
              "controller.quorum.voters",
              "1@127.0.0.1:9093",
              "listeners",
              "PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093",
              "controller.listener.names",
              "CONTROLLER",
              "log.dirs",
              "/data"));
  private final NodeServices services =
      new NodeServices(config, "cluster", null, null, List.of(shard), shard, List.of(), "host");

  @Test
  void theTableOfTheClientsListeners() throws IOException {
    Map<Shard, ControllerChannel> controllers = new HashMap<>();
    controllers.put(shard, null);
    PartitionContext context =
        new PartitionContext(shard, 1, () -> -1, 1, null, null, null, null, p -> {});
    Replicas replicas = new Replicas(List.of(new LocalReplicas(context, null, null, null, null)));
    ApiTable table = new ApiTable(ListenerType.BROKER);
    new BrokerApis(services, new LiveConfig(config), new Metadata(), () -> (short) 0, controllers)
        .addTo(table, replicas);
    check("## Clients' listeners", table);
  }

  @Test
  void theTableOfTheControllersListeners() throws IOException {
    check("## Controllers' listeners", new ControllerPart(services, null, new Metadata()).table());
  }

  private static void check(String section, ApiTable table) throws IOException {
    List<String> expected = new ArrayList<>();
    boolean broker = table.type() == ListenerType.BROKER;
    Arrays.stream(ApiKeys.values())
        .filter(api -> broker ? api.isBrokerApi() : api.isControllerApi())
        .forEach(api -> expected.add(row(api, table.get(api))));
    assertEquals(
        String.join("\n", expected),
        String.join("\n", rows(Files.readAllLines(DOCUMENT), section)),
        section + " of docs/APIS.md");
  }

  /** Number, name, versions here, versions of Apache Kafka. */
  private static String row(ApiKeys api, ApiTable.Entry entry) {
    StringBuilder name = new StringBuilder();
    for (String word : api.name().split("_")) {
      name.append(word.charAt(0)).append(word.substring(1).toLowerCase(java.util.Locale.ROOT));
    }
    return String.format(
        "| %d | %s | %s | %s |",
        api.id(),
        name,
        entry == null ? "—" : range(entry.minVersion(), entry.maxVersion()),
        range(api.lowestVersion(), api.highestVersion()));
  }

  private static String range(int from, int to) {
    return from == to ? "" + from : from + "–" + to;
  }

  /** The first four columns of the section's table. */
  private static List<String> rows(List<String> lines, String section) {
    int from = lines.indexOf(section) + 1;
    return lines.subList(from, lines.size()).stream()
        .takeWhile(line -> from > 0 && !line.startsWith("## "))
        .filter(line -> line.matches("\\| [0-9]+ \\|.*"))
        .map(line -> line.replaceFirst("^((\\|[^|]*){4}\\|).*", "$1"))
        .toList();
  }
}
