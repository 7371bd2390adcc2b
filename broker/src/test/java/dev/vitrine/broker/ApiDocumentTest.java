package dev.vitrine.broker;

import dev.vitrine.broker.api.ApiTable;
import dev.vitrine.broker.api.ListenerType;
import dev.vitrine.broker.control.ControllerChannel;
import dev.vitrine.broker.control.Metadata;
import dev.vitrine.broker.partition.PartitionContext;
import dev.vitrine.broker.replication.LocalReplicas;
import dev.vitrine.broker.replication.LogStore;
import dev.vitrine.broker.replication.Replicas;
import dev.vitrine.config.KafkaConfig;
import dev.vitrine.metadata.LiveConfig;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.seam.Shard;
import dev.vitrine.sim.SimWorld;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * That docs/APIS.md says what the two tables of APIs say, what Apache Kafka offers, and what {@code
 * src/docs/api-remarks.txt} has to add: see {@link GeneratedDocument}.
 */
class ApiDocumentTest {
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
              "/data",
              "vitrine.client.telemetry",
              "true"));
  private final NodeServices services =
      new NodeServices(config, "cluster", null, null, List.of(shard), shard, List.of(), "host");

  @Test
  void theTablesOfBothKindsOfListeners() throws IOException {
    GeneratedDocument document = new GeneratedDocument("APIS.md");
    fill(document, "## Clients' listeners", brokerTable(), new ApiRemarks("clients"));
    fill(
        document,
        "## Controllers' listeners",
        new ControllerPart(services, null, new Metadata()).table(),
        new ApiRemarks("controllers"));
    document.writeOrCheck();
  }

  private ApiTable brokerTable() {
    Map<Shard, ControllerChannel> controllers = new HashMap<>();
    controllers.put(shard, null);
    PartitionContext context =
        new PartitionContext(shard, 1, () -> -1, 1, null, null, null, null, p -> {});
    Replicas replicas = new Replicas(List.of(new LocalReplicas(context, null, null, null, null)));
    ApiTable table = new ApiTable(ListenerType.BROKER);
    new BrokerApis(services, new LiveConfig(config), new Metadata(), () -> (short) 0, controllers)
        .addTo(table, replicas, new LogStore(List.of()));
    return table;
  }

  private static void fill(
      GeneratedDocument document, String section, ApiTable table, ApiRemarks remarks) {
    boolean broker = table.type() == ListenerType.BROKER;
    List<String> rows =
        Arrays.stream(ApiKeys.values())
            .filter(api -> broker ? api.isBrokerApi() : api.isControllerApi())
            .map(api -> row(api, table.get(api), remarks))
            .toList();
    remarks.requireAllRead();
    document.line(section, "\\d+ of \\d+\\.", table.entries().size() + " of " + rows.size() + ".");
    document.table(section, rows);
  }

  /** Number, name, versions here, versions of Apache Kafka, what differs. */
  private static String row(ApiKeys api, ApiTable.Entry entry, ApiRemarks remarks) {
    StringBuilder name = new StringBuilder();
    for (String word : api.name().split("_")) {
      name.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
    }
    String kafka = range(api.lowestVersion(), api.highestVersion());
    String here = entry == null ? "—" : range(entry.minVersion(), entry.maxVersion());
    String remark = remarks.on(name.toString(), entry != null, here.equals(kafka));
    return String.format(
        "| %d | %s | %s | %s |%s",
        api.id(), name, here, kafka, remark.isEmpty() ? " |" : " " + remark + " |");
  }

  private static String range(int from, int to) {
    return from == to ? "" + from : from + "–" + to;
  }
}
