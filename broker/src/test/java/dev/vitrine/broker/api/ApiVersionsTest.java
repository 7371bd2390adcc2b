package dev.vitrine.broker.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.broker.api.RawClient.Bytes;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.ApiVersionsResponse;
import dev.vitrine.protocol.message.MetadataResponse;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.FeatureMetadata;
import org.apache.kafka.common.message.ApiMessageType;
import org.junit.jupiter.api.Test;

class ApiVersionsTest {
  private static final ApiHandler NEVER =
      (context, request, responder) -> {
        throw new AssertionError();
      };

  /** Kafka leaves these two out where no metrics reporter takes telemetry. */
  private static final List<ApiKeys> TELEMETRY =
      List.of(ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS, ApiKeys.PUSH_TELEMETRY);

  private static ApiVersionsResponse ask(TestServer server, int version) {
    try (RawClient client = server.client()) {
      Bytes request =
          version < 3
              ? Bytes.header(18, version, 7)
              : Bytes.flexibleHeader(18, version, 7).compact("x").compact("1");
      if (version >= 5) {
        request.i8(0).i32(-1);
      }
      client.send(version < 3 ? request : request.i8(0));
      ApiVersionsResponse response = new ApiVersionsResponse();
      response.read(Unpooled.wrappedBuffer(client.receive()).skipBytes(4), (short) version);
      return response;
    }
  }

  /** What Apache Kafka 4.4.0 tells on a broker's listener and on a controller's. */
  @Test
  void tellsTheRangesThatKafkaTells() {
    for (ListenerType type : ListenerType.values()) {
      try (TestServer server = new TestServer(type)) {
        for (ApiKeys api : ApiKeys.values()) {
          boolean offered = type == ListenerType.BROKER ? api.isBrokerApi() : api.isControllerApi();
          if (offered && api != ApiKeys.API_VERSIONS && !TELEMETRY.contains(api)) {
            server.table.add(api, NEVER);
          }
        }
        server.listen();
        String expected =
            org.apache.kafka.common.requests.ApiVersionsResponse.filterApis(
                    ApiMessageType.ListenerType.valueOf(type.name()), false, false)
                .stream()
                .map(v -> v.apiKey() + ":" + v.minVersion() + "-" + v.maxVersion())
                .sorted()
                .collect(Collectors.joining(" "));
        for (int version = 0; version <= 5; version++) {
          assertEquals(
              expected,
              ask(server, version).apiKeys().stream()
                  .map(v -> v.apiKey() + ":" + v.minVersion() + "-" + v.maxVersion())
                  .sorted()
                  .collect(Collectors.joining(" ")));
        }
      }
    }
  }

  @Test
  void tellsOnlyWhatHasAHandler() {
    try (TestServer server = new TestServer(ListenerType.BROKER)) {
      server.table.add(ApiKeys.PRODUCE, NEVER).add(ApiKeys.FETCH, 4, 12, NEVER);
      server.listen();
      assertEquals(
          "[0:0-13, 1:4-12, 18:0-5]",
          ask(server, 3).apiKeys().stream()
              .map(v -> v.apiKey() + ":" + v.minVersion() + "-" + v.maxVersion())
              .toList()
              .toString());
    }
  }

  @Test
  void aTableTakesOnlyWhatKafkaOffers() {
    ApiTable table = new ApiTable(ListenerType.BROKER);
    assertThrows(IllegalArgumentException.class, () -> table.add(ApiKeys.VOTE, NEVER));
    assertThrows(IllegalArgumentException.class, () -> table.add(ApiKeys.FETCH, 3, 9, NEVER));
    assertThrows(IllegalArgumentException.class, () -> table.add(ApiKeys.FETCH, 4, 99, NEVER));
    table.add(ApiKeys.FETCH, NEVER);
    assertThrows(IllegalArgumentException.class, () -> table.add(ApiKeys.FETCH, NEVER));
  }

  /** Below version 4 a feature that may be 0 is left out of what is supported. */
  @Test
  void featuresByVersion() {
    try (TestServer server = new TestServer(ListenerType.BROKER).listen()) {
      assertEquals(0, ask(server, 2).supportedFeatures().size());
      assertEquals(1, ask(server, 3).supportedFeatures().size());
      assertEquals("metadata.version", ask(server, 3).supportedFeatures().get(0).name());
      assertEquals(2, ask(server, 4).supportedFeatures().size());
      assertEquals(1008, ask(server, 3).finalizedFeaturesEpoch());
      assertEquals(33, ask(server, 3).finalizedFeatures().get(0).maxVersionLevel());
      assertEquals(33, ask(server, 3).finalizedFeatures().get(0).minVersionLevel());
    }
  }

  @Test
  void kafkasOwnClientUnderstandsIt() throws Exception {
    TestServer server = new TestServer(ListenerType.BROKER);
    server.table.add(
        ApiKeys.METADATA,
        (context, request, responder) -> {
          MetadataResponse response = TestServer.metadata();
          response
              .brokers()
              .add(
                  new MetadataResponse.MetadataResponseBroker()
                      .nodeId(1)
                      .host("127.0.0.1")
                      .port(server.server.port()));
          responder.respond(response);
        });
    try (server) {
      server.listen();
      try (Admin admin =
          Admin.create(Map.of("bootstrap.servers", "127.0.0.1:" + server.server.port()))) {
        FeatureMetadata features = admin.describeFeatures().featureMetadata().get();
        assertEquals(1008, features.finalizedFeaturesEpoch().orElseThrow());
        assertEquals(33, features.finalizedFeatures().get("metadata.version").maxVersionLevel());
        assertEquals(7, features.supportedFeatures().get("metadata.version").minVersion());
        assertTrue(features.supportedFeatures().containsKey("kraft.version"));
        assertTrue(admin.listTopics().names().get().isEmpty());
      }
      assertEquals(List.of(), server.log.lines());
    }
  }
}
