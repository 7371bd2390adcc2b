package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsRequestData;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsResponseData;
import org.apache.kafka.common.message.PushTelemetryRequestData;
import org.apache.kafka.common.message.PushTelemetryResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients' metrics (KIP-714): what is answered to each request, and a stock client that pushes. */
@Tag("smoke")
class ClientTelemetryTest {
  private static final String TOPIC = "pushed";

  /** Long enough that the test is never late by it. */
  private static final int LONG_MS = 200_000;

  private static final Map<String, String> CONFIG =
      Map.of(
          "vitrine.client.telemetry", "true",
          "vitrine.http.listener", "127.0.0.1:0",
          "vitrine.node.dir", LocalCluster.NODE_FOLDER + "-own",
          "telemetry.max.bytes", "100000",
          "metric.reporters", TelemetryReporter.class.getName());

  /** A subscription as it is set by Kafka's own tool. */
  private static void subscribe(ClusterUnderTest cluster, String name, String... more)
      throws Exception {
    List<String> args =
        new ArrayList<>(
            List.of("--bootstrap-server", cluster.bootstrap(), "--alter", "--name", name));
    args.addAll(Arrays.asList(more));
    Jvm.Result result = Jvm.tool("org.apache.kafka.tools.ClientMetricsCommand", args);
    assertEquals(0, result.exitCode(), result.output());
  }

  private static void set(Admin admin, String name, String key, String value) throws Exception {
    admin
        .incrementalAlterConfigs(
            Map.of(
                new ConfigResource(ConfigResource.Type.CLIENT_METRICS, name),
                Set.of(new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET))))
        .all()
        .get();
  }

  private static GetTelemetrySubscriptionsResponseData get(RawConnection c, Uuid id)
      throws IOException {
    return c.ask(
        ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS,
        0,
        new GetTelemetrySubscriptionsRequestData().setClientInstanceId(id),
        new GetTelemetrySubscriptionsResponseData());
  }

  private static Errors push(RawConnection c, Uuid id, int subscription, byte[] metrics, int codec)
      throws IOException {
    return push(
        c,
        new PushTelemetryRequestData()
            .setClientInstanceId(id)
            .setSubscriptionId(subscription)
            .setCompressionType((byte) codec)
            .setMetrics(ByteBuffer.wrap(metrics)));
  }

  private static Errors push(RawConnection c, PushTelemetryRequestData request) throws IOException {
    return Errors.forCode(
        c.ask(ApiKeys.PUSH_TELEMETRY, 0, request, new PushTelemetryResponseData()).errorCode());
  }

  @Test
  void clientsPushWhatTheyAreAskedFor() throws Exception {
    try (ClusterUnderTest cluster = LocalCluster.start("telemetry", 1, CONFIG)) {
      subscribe(
          cluster,
          "raw",
          "--metrics",
          "a.,b.",
          "--interval",
          "" + LONG_MS,
          "--match",
          "client_id=raw");
      Jvm.Result described =
          Jvm.tool(
              "org.apache.kafka.tools.ClientMetricsCommand",
              List.of("--bootstrap-server", cluster.bootstrap(), "--describe"));
      assertTrue(described.output().contains("interval.ms=" + LONG_MS), described.output());
      Clients clients = new Clients(cluster.bootstrap());
      try (Admin admin = clients.admin(Map.of("enable.metrics.push", false))) {
        requestByRequest(cluster, admin);
        aStockClient(cluster, clients, admin);
      }
    }
  }

  private static void requestByRequest(ClusterUnderTest cluster, Admin admin) throws Exception {
    try (RawConnection c = new RawConnection(cluster.clientPort(1))) {
      GetTelemetrySubscriptionsResponseData first = get(c, Uuid.ZERO_UUID);
      Await.until("the subscription is known", () -> !subscribed(cluster).isEmpty());
      Uuid id = Uuid.randomUuid();
      GetTelemetrySubscriptionsResponseData asked = get(c, id);
      assertEquals(Errors.NONE, Errors.forCode(asked.errorCode()));
      assertNotEquals(Uuid.ZERO_UUID, first.clientInstanceId());
      assertEquals(id, asked.clientInstanceId());
      assertEquals(Set.of("a.", "b."), new TreeSet<>(asked.requestedMetrics()));
      assertEquals(LONG_MS, asked.pushIntervalMs());
      assertEquals(
          List.of((byte) 4, (byte) 3, (byte) 1, (byte) 2), asked.acceptedCompressionTypes());
      assertEquals(100_000, asked.telemetryMaxBytes());
      assertTrue(asked.deltaTemporality());

      int subscription = asked.subscriptionId();
      assertEquals(
          Errors.THROTTLING_QUOTA_EXCEEDED, Errors.forCode(get(c, id).errorCode()), "again");
      assertEquals(Errors.NONE, push(c, id, subscription, new byte[0], 0));
      assertEquals(
          Errors.THROTTLING_QUOTA_EXCEEDED, push(c, id, subscription, new byte[0], 0), "again");
      PushTelemetryRequestData last =
          new PushTelemetryRequestData()
              .setClientInstanceId(id)
              .setSubscriptionId(subscription)
              .setTerminating(true);
      assertEquals(Errors.NONE, push(c, last));
      assertEquals(Errors.INVALID_REQUEST, push(c, last), "after the last");
      assertEquals(Errors.INVALID_REQUEST, push(c, Uuid.ZERO_UUID, 0, new byte[0], 0));
      assertEquals(Errors.INVALID_REQUEST, push(c, Uuid.ONE_UUID, 0, new byte[0], 0));

      assertEquals(Errors.UNSUPPORTED_COMPRESSION_TYPE, firstPush(c, new byte[1], 5));
      assertEquals(Errors.TELEMETRY_TOO_LARGE, firstPush(c, new byte[100_001], 0));
      assertEquals(Errors.INVALID_RECORD, firstPush(c, new byte[] {1, 2, 3}, 0));
      afterAnErrorThatMakesItAskAgain(c);
      afterAChange(cluster, c, admin);
    }
  }

  private static List<String> subscribed(ClusterUnderTest cluster) throws IOException {
    try (RawConnection c = new RawConnection(cluster.clientPort(1))) {
      return get(c, Uuid.ZERO_UUID).requestedMetrics();
    }
  }

  /** Of a client that nobody has seen before. */
  private static Errors firstPush(RawConnection c, byte[] metrics, int codec) throws IOException {
    Uuid id = Uuid.randomUuid();
    return push(c, id, get(c, id).subscriptionId(), metrics, codec);
  }

  private static void afterAnErrorThatMakesItAskAgain(RawConnection c) throws IOException {
    Uuid id = Uuid.randomUuid();
    assertEquals(Errors.UNKNOWN_SUBSCRIPTION_ID, push(c, id, 12345, new byte[0], 0));
    GetTelemetrySubscriptionsResponseData again = get(c, id);
    assertEquals(Errors.NONE, Errors.forCode(again.errorCode()));
    assertEquals(
        Errors.THROTTLING_QUOTA_EXCEEDED,
        push(c, id, again.subscriptionId(), new byte[0], 0),
        "that one did not count as asking");
  }

  private static void afterAChange(ClusterUnderTest cluster, RawConnection c, Admin admin)
      throws Exception {
    Uuid id = Uuid.randomUuid();
    int before = get(c, id).subscriptionId();
    set(admin, "raw", "metrics", "*,a.");
    Await.until("the change is known", () -> subscribed(cluster).equals(List.of("*")));
    assertEquals(Errors.UNKNOWN_SUBSCRIPTION_ID, push(c, id, before, new byte[0], 0));
    GetTelemetrySubscriptionsResponseData after = get(c, id);
    assertEquals(List.of("*"), after.requestedMetrics());
    assertNotEquals(before, after.subscriptionId());
  }

  private static void aStockClient(ClusterUnderTest cluster, Clients clients, Admin admin)
      throws Exception {
    set(admin, "java", "metrics", "org.apache.kafka.producer.");
    set(admin, "java", "interval.ms", "100");
    set(admin, "java", "match", "client_id=stock,client_software_name=apache-kafka-java");
    clients.createTopic(new NewTopic(TOPIC, 1, (short) 1));
    try (KafkaProducer<String, String> producer =
        clients.producer(Map.of("client.id", "stock", "enable.metrics.push", true))) {
      producer.send(new ProducerRecord<>(TOPIC, "k", "v")).get();
      assertNotEquals(Uuid.ZERO_UUID, producer.clientInstanceId(Duration.ofSeconds(30)));
      Await.until("its metrics are there", () -> names(cluster).size() > 5);
      Set<String> names = names(cluster);
      assertTrue(
          names.stream().anyMatch(n -> n.contains("producer") && n.contains("record")),
          names.toString());
      assertFalse(names.stream().anyMatch(n -> n.contains("consumer")), names.toString());
    }
  }

  /** Of all that clients have pushed. */
  private static Set<String> names(ClusterUnderTest cluster) throws Exception {
    Set<String> names = new TreeSet<>();
    if (Target.isVitrine()) {
      try (NodeReadings.Page page = new NodeReadings.Page(cluster, 1)) {
        page.text().types().keySet().stream()
            .filter(n -> n.startsWith("kafka_client_"))
            .forEach(names::add);
      }
    } else {
      cluster
          .output(1)
          .lines()
          .filter(line -> line.startsWith(TelemetryReporter.MARK))
          .forEach(names::add);
    }
    return names;
  }
}
