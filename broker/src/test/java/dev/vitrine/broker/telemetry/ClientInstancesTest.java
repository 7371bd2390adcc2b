package dev.vitrine.broker.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.vitrine.broker.observe.ClientSampleReader;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.ConfigRecord;
import dev.vitrine.protocol.message.GetTelemetrySubscriptionsResponse;
import dev.vitrine.protocol.message.PushTelemetryRequest;
import dev.vitrine.protocol.message.PushTelemetryResponse;
import dev.vitrine.sim.SimShard;
import dev.vitrine.sim.SimWorld;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.MetricsData;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.Sum;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Who is asked for what, and which pushes are taken, request by request. */
class ClientInstancesTest {
  private static final int INTERVAL_MS = 1_000;
  private static final int MAX_BYTES = 400;

  private final SimWorld world = new SimWorld(1);
  private final SimShard shard = world.newShard("shard");
  private MetadataImage image = MetadataImage.EMPTY;
  private final ClientInstances instances =
      new ClientInstances(shard, new Subscriptions(() -> image), MAX_BYTES, 2);
  private final Client java = client(1, "app", "apache-kafka-java");

  private static Client client(long id, String clientId, String software) {
    Uuid instance = new Uuid(7, id);
    return new Client(
        instance,
        "connection-" + id,
        Map.of(
            Client.INSTANCE_ID,
            instance.toString(),
            Client.ID,
            clientId,
            Client.SOFTWARE_NAME,
            software,
            Client.SOFTWARE_VERSION,
            "4.4.0"));
  }

  private void subscribe(String name, String key, String value) {
    image =
        image.apply(
            new ConfigRecord().resourceType((byte) 16).resourceName(name).name(key).value(value));
  }

  private void subscribe(String name, String metrics) {
    subscribe(name, "metrics", metrics);
    subscribe(name, "interval.ms", "" + INTERVAL_MS);
  }

  private GetTelemetrySubscriptionsResponse get(Client client) {
    GetTelemetrySubscriptionsResponse[] answer = new GetTelemetrySubscriptionsResponse[1];
    shard.run(() -> answer[0] = instances.get(client));
    return answer[0];
  }

  private static Errors error(GetTelemetrySubscriptionsResponse answer) {
    return Errors.forCode(answer.errorCode());
  }

  private Errors push(Client client, PushTelemetryRequest request) {
    PushTelemetryResponse[] answer = new PushTelemetryResponse[1];
    shard.run(() -> instances.push(client, request, a -> answer[0] = a));
    world.runUntil(() -> answer[0] != null, 10);
    return Errors.forCode(answer[0].errorCode());
  }

  private static PushTelemetryRequest with(int subscriptionId, byte[] metrics) {
    return new PushTelemetryRequest().subscriptionId(subscriptionId).metrics(metrics);
  }

  private static byte[] metrics(Metric... metrics) {
    return MetricsData.newBuilder()
        .addResourceMetrics(
            ResourceMetrics.newBuilder()
                .addScopeMetrics(ScopeMetrics.newBuilder().addAllMetrics(List.of(metrics))))
        .build()
        .toByteArray();
  }

  private static Metric gauge(String name, double value) {
    return Metric.newBuilder()
        .setName(name)
        .setGauge(Gauge.newBuilder().addDataPoints(NumberDataPoint.newBuilder().setAsDouble(value)))
        .build();
  }

  private static Metric sum(String name, long value, AggregationTemporality temporality) {
    return Metric.newBuilder()
        .setName(name)
        .setSum(
            Sum.newBuilder()
                .setIsMonotonic(true)
                .setAggregationTemporality(temporality)
                .addDataPoints(NumberDataPoint.newBuilder().setAsInt(value)))
        .build();
  }

  private Map<String, Double> told() {
    return ClientSampleReader.values(instances::tell);
  }

  @Test
  void whatAllMatchingSubscriptionsWantTogether() {
    subscribe("a", "org.apache.kafka.producer.,org.apache.kafka.consumer.");
    subscribe("a", "match", "client_id=app,client_software_name=apache-.*");
    subscribe("b", "org.apache.kafka.producer.");
    subscribe("b", "interval.ms", "500");
    subscribe("c", "*");
    subscribe("c", "interval.ms", "100");
    subscribe("c", "match", "client_software_name=apache");
    GetTelemetrySubscriptionsResponse answer = get(java);
    assertEquals(Errors.NONE, error(answer));
    assertEquals(
        List.of("org.apache.kafka.consumer.", "org.apache.kafka.producer."),
        answer.requestedMetrics());
    assertEquals(500, answer.pushIntervalMs());
    assertEquals(
        List.of((byte) 4, (byte) 3, (byte) 1, (byte) 2), answer.acceptedCompressionTypes());
    assertEquals(MAX_BYTES, answer.telemetryMaxBytes());
    assertEquals(java.instanceId(), answer.clientInstanceId());
    assertEquals(true, answer.deltaTemporality());
    assertEquals(List.of("*"), get(client(2, "x", "apache")).requestedMetrics());
  }

  @Test
  void whomNoSubscriptionIsForIsAskedForNothing() {
    GetTelemetrySubscriptionsResponse answer = get(java);
    assertEquals(List.of(), answer.requestedMetrics());
    assertEquals(300_000, answer.pushIntervalMs());
  }

  @Test
  void whoComesTooEarlyIsThrottled() {
    subscribe("a", "*");
    int id = get(java).subscriptionId();
    assertEquals(Errors.THROTTLING_QUOTA_EXCEEDED, error(get(java)));
    assertEquals(Errors.NONE, push(java, with(id, new byte[0])), "the first one after a get");
    assertEquals(Errors.THROTTLING_QUOTA_EXCEEDED, push(java, with(id, new byte[0])));
    world.runFor(INTERVAL_MS - 1);
    assertEquals(Errors.THROTTLING_QUOTA_EXCEEDED, push(java, with(id, new byte[0])));
    world.runFor(1);
    assertEquals(Errors.NONE, push(java, with(id, new byte[0])));
    world.runFor(INTERVAL_MS);
    assertEquals(Errors.NONE, error(get(java)));
  }

  @Test
  void whoPushesForAnOldSubscriptionMayAskAgainAtOnce() {
    subscribe("a", "*");
    int id = get(java).subscriptionId();
    subscribe("a", "org.apache.kafka.producer.");
    assertEquals(Errors.UNKNOWN_SUBSCRIPTION_ID, push(java, with(id, new byte[0])));
    GetTelemetrySubscriptionsResponse answer = get(java);
    assertEquals(Errors.NONE, error(answer));
    assertNotEquals(id, answer.subscriptionId());
    world.runFor(INTERVAL_MS);
    assertEquals(Errors.NONE, push(java, with(answer.subscriptionId(), new byte[0])));
  }

  @Test
  void badPushes() {
    subscribe("a", "*");
    int id = get(java).subscriptionId();
    assertEquals(
        Errors.UNSUPPORTED_COMPRESSION_TYPE,
        push(java, with(id, new byte[1]).compressionType((byte) 5)));
    assertEquals(Errors.NONE, error(get(java)));
    world.runFor(INTERVAL_MS);
    assertEquals(Errors.TELEMETRY_TOO_LARGE, push(java, with(id, new byte[MAX_BYTES + 1])));
    world.runFor(INTERVAL_MS);
    assertEquals(Errors.INVALID_RECORD, push(java, with(id, new byte[] {1, 2, 3})));
    for (byte codec = 1; codec <= 4; codec++) {
      world.runFor(INTERVAL_MS);
      assertEquals(
          Errors.INVALID_RECORD,
          push(java, with(id, new byte[] {1, 2, 3}).compressionType(codec)),
          "codec " + codec);
    }
    assertEquals(Map.of(), told());
  }

  @Test
  void theLastPushMayComeAtAnyTimeAndIsTheLast() {
    subscribe("a", "*");
    int id = get(java).subscriptionId();
    assertEquals(Errors.NONE, push(java, with(id, new byte[0])));
    assertEquals(Errors.NONE, push(java, with(id, new byte[0]).terminating(true)));
    assertEquals(Errors.INVALID_REQUEST, push(java, with(id, new byte[0]).terminating(true)));
  }

  @Test
  void theLastValuesAreTold() {
    subscribe("a", "*");
    int id = get(java).subscriptionId();
    for (int i = 1; i <= 2; i++) {
      byte[] pushed =
          metrics(
              gauge("org.apache.kafka.producer.record.queue.time.avg", i),
              sum(
                  "org.apache.kafka.producer.record.send.total",
                  10,
                  AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA),
              sum(
                  "org.apache.kafka.producer.request.total",
                  10 * i,
                  AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE));
      assertEquals(Errors.NONE, push(java, with(id, pushed)));
      world.runFor(INTERVAL_MS);
    }
    assertEquals(
        Map.of(
            "kafka_client_producer_record_queue_time_avg",
            2.0,
            "kafka_client_producer_record_send_total",
            20.0,
            "kafka_client_producer_request_total",
            20.0),
        told());
  }

  @Test
  void whoHasGoneIsForgotten() {
    subscribe("a", "*");
    byte[] pushed = metrics(gauge("x", 1));
    push(java, with(get(java).subscriptionId(), pushed));
    assertEquals(1, told().size());
    shard.run(() -> instances.disconnected("another"));
    assertEquals(1, told().size());
    shard.run(() -> instances.disconnected(java.connectionId()));
    assertEquals(Map.of(), told());
    push(java, with(get(java).subscriptionId(), pushed));
    world.runFor(59_000);
    assertEquals(1, told().size());
    world.runFor(2_000);
    assertEquals(Map.of(), told(), "silent for a minute");
  }

  @Test
  void whoHasBeenSilentForLongestMakesRoom() {
    subscribe("a", "*");
    byte[] pushed = metrics(gauge("x", 1));
    Client second = client(2, "b", "c");
    push(java, with(get(java).subscriptionId(), pushed));
    push(second, with(get(second).subscriptionId(), pushed));
    world.runFor(INTERVAL_MS);
    push(java, with(get(java).subscriptionId(), pushed));
    get(client(3, "d", "e"));
    assertEquals(Errors.NONE, error(get(second)), "as if it came for the first time");
    assertEquals(Errors.NONE, error(get(java)), "as if it came for the first time");
  }
}
