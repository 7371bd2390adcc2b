package dev.vitrine.broker.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.broker.quota.BrokerQuotas;
import dev.vitrine.config.QuotaSettings;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.FrameWriter;
import dev.vitrine.protocol.ThrottledResponse;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.ClientQuotaRecord;
import dev.vitrine.protocol.message.CreateTopicsRequest;
import dev.vitrine.protocol.message.CreateTopicsResponse;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FetchResponse;
import dev.vitrine.protocol.message.HeartbeatRequest;
import dev.vitrine.protocol.message.HeartbeatResponse;
import dev.vitrine.protocol.message.ProduceRequest;
import dev.vitrine.protocol.message.ProduceResponse;
import dev.vitrine.protocol.message.RequestHeader;
import dev.vitrine.protocol.message.ResponseHeader;
import dev.vitrine.protocol.record.MemoryRecords;
import dev.vitrine.seam.Connection;
import dev.vitrine.seam.ConnectionListener;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.sim.SimNetwork;
import dev.vitrine.sim.SimShard;
import dev.vitrine.sim.SimWorld;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** What a quota does to the connections of its client, on simulated shards. */
class ThrottleTest {
  private static final int BYTES_A_SECOND = 1000;

  private final SimWorld world = new SimWorld(1);
  private final SimNetwork wires = new SimNetwork(world);

  /** The second shard counts nothing itself: its connections' costs go to the first. */
  private final List<SimShard> shards = List.of(world.newShard("s0"), world.newShard("s1"));

  private final SimShard clientShard = world.newShard("client");
  private final BrokerQuotas quotas =
      new BrokerQuotas(shards.get(0), new QuotaSettings.Windows(11, 1000));
  private final ApiTable table = new ApiTable(ListenerType.BROKER);
  private final List<String> handled = new ArrayList<>();
  private MetadataImage image = MetadataImage.EMPTY;
  private int controllerSays;

  ThrottleTest() {
    serve(ApiKeys.HEARTBEAT, new HeartbeatResponse());
    table.add(
        ApiKeys.PRODUCE,
        (context, request, responder) -> {
          handled.add(context.clientId() + " " + context.correlationId());
          if (((ProduceRequest) request).acks() == 0) {
            responder.respondNothing();
          } else {
            responder.respond(new ProduceResponse());
          }
        });
    table.add(
        ApiKeys.FETCH,
        (context, request, responder) -> {
          handled.add(context.clientId() + " " + context.correlationId());
          FetchRequest fetch = (FetchRequest) request;
          FetchResponse response = new FetchResponse().sessionId(1);
          if (fetch.replicaState().replicaId() >= 0) {
            responder.respond(fetched(response, 5000));
          } else {
            responder.respond(fetched(response, fetch.maxBytes()), () -> new FetchResponse());
          }
        });
    table.addForwarded(
        ApiKeys.CREATE_TOPICS,
        (context, request, responder) ->
            responder.respond(new CreateTopicsResponse().throttleTimeMs(controllerSays)));
    wires
        .host("broker")
        .listen(
            new Endpoint("broker", 9092),
            shards,
            1 << 20,
            new ApiListener(
                "PLAINTEXT",
                table,
                ByteBufAllocator.DEFAULT,
                600_000,
                new Allowances(quotas, null, null)));
  }

  private void serve(ApiKeys api, ApiMessage answer) {
    table.add(
        api,
        (context, request, responder) -> {
          handled.add(context.clientId() + " " + context.correlationId());
          responder.respond(answer);
        });
  }

  private static FetchResponse fetched(FetchResponse response, int bytes) {
    FetchResponse.FetchableTopicResponse topic = new FetchResponse.FetchableTopicResponse();
    topic
        .partitions()
        .add(
            new FetchResponse.PartitionData()
                .records(new MemoryRecords(Unpooled.wrappedBuffer(new byte[bytes]))));
    response.responses().add(topic);
    return response;
  }

  private void limit(String key, double value, String clientId) {
    image =
        image.apply(
            new ClientQuotaRecord()
                .key(key)
                .value(value)
                .entity(
                    List.of(
                        new ClientQuotaRecord.EntityData()
                            .entityType("client-id")
                            .entityName(clientId))));
    quotas.set(image.security());
  }

  /** A client, and what it was answered. */
  private final class Client implements ConnectionListener {
    final String id;
    final List<ThrottledResponse> answers = new ArrayList<>();
    final List<ApiKeys> asked = new ArrayList<>();
    Connection connection;
    boolean open;

    Client(String id) {
      this.id = id;
      clientShard.run(
          () ->
              connection =
                  wires.host("c").connect(new Endpoint("broker", 9092), clientShard, this));
      assertTrue(world.runUntil(() -> open, 10_000));
    }

    @Override
    public void opened(Connection c) {
      open = true;
    }

    @Override
    public void received(Connection c, ByteBuf frame) {
      ApiKeys api = asked.get(answers.size());
      short version = api.highestVersion();
      new ResponseHeader().read(frame, api.responseHeaderVersion(version));
      ThrottledResponse answer = (ThrottledResponse) api.newResponse();
      answer.read(frame, version);
      answers.add(answer);
    }

    @Override
    public void closed(Connection c, Throwable cause) {
      open = false;
    }

    Client send(ApiMessage request) {
      ApiKeys api = ApiKeys.forId(request.apiKey());
      short version = api.highestVersion();
      RequestHeader header =
          new RequestHeader()
              .requestApiKey(api.id())
              .requestApiVersion(version)
              .clientId(id)
              .correlationId(asked.size());
      asked.add(api);
      clientShard.run(
          () ->
              connection.send(
                  FrameWriter.frame(
                      ByteBufAllocator.DEFAULT,
                      header,
                      api.requestHeaderVersion(version),
                      request,
                      version)));
      return this;
    }

    int throttle(int n) {
      assertTrue(world.runUntil(() -> answers.size() >= n, 600_000), "no answer " + n);
      return answers.get(n - 1).throttleTimeMs();
    }
  }

  private static ProduceRequest produce(int bytes, int acks) {
    ProduceRequest request = new ProduceRequest().acks((short) acks).timeoutMs(1000);
    ProduceRequest.TopicProduceData topic = new ProduceRequest.TopicProduceData();
    topic
        .partitionData()
        .add(
            new ProduceRequest.PartitionProduceData()
                .records(new MemoryRecords(Unpooled.wrappedBuffer(new byte[bytes]))));
    request.topicData().add(topic);
    return request;
  }

  private static FetchRequest fetch(int maxBytes, int replicaId) {
    FetchRequest request = new FetchRequest().maxBytes(maxBytes);
    request.replicaState().replicaId(replicaId);
    return request;
  }

  private static HeartbeatRequest heartbeat() {
    return new HeartbeatRequest().groupId("g").memberId("m");
  }

  /** Nothing of the client is handled while it is muted, and then all of it, in its order. */
  private void assertMuted(Client client, int throttleMs) {
    int before = handled.size();
    client.send(heartbeat()).send(heartbeat());
    world.runFor(throttleMs - 20);
    assertEquals(before, handled.size(), "heard too early");
    assertTrue(client.open);
    assertTrue(world.runUntil(() -> handled.size() == before + 2, 10_000), "never heard again");
  }

  @Test
  void aProducerOverItsQuotaIsAnsweredAtOnceAndNotHeardForTheTimeItIsTold() {
    limit("producer_byte_rate", BYTES_A_SECOND, "p");
    for (int i = 0; i < 2; i++) { // on either shard
      Client other = new Client("other");
      Client client = new Client("p");
      long asked = world.elapsedMs();
      int throttle = client.send(produce(30_000, 1)).throttle(1);
      assertTrue(throttle > 10_000, "told " + throttle);
      assertTrue(world.elapsedMs() - asked < 100, "the answer was held back");
      for (int n = 1; n <= 3; n++) {
        assertEquals(0, other.send(produce(30_000, 1)).throttle(n));
      }
      assertMuted(client, throttle);
      world.runFor(60_000);
    }
  }

  @Test
  void aProducerThatWantsNoAnswerIsMutedAllTheSame() {
    limit("producer_byte_rate", BYTES_A_SECOND, "p");
    Client client = new Client("p").send(produce(20_000, 0));
    assertTrue(world.runUntil(() -> handled.size() == 1, 10_000));
    client.asked.clear();
    assertMuted(client, 5_000);
  }

  @Test
  void producesAreNotPipelinedPastAQuota() {
    limit("producer_byte_rate", BYTES_A_SECOND, "p");
    Client client = new Client("p");
    for (int i = 0; i < 5; i++) {
      client.send(produce(20_000, 1));
    }
    int throttle = client.throttle(1);
    assertTrue(throttle > 0);
    world.runFor(throttle - 20);
    assertEquals(1, handled.size());
    assertTrue(client.throttle(5) > 0);
  }

  @Test
  void aConsumerOverItsQuotaGetsNothingAndWhatItDidNotGetIsNotCounted() {
    limit("consumer_byte_rate", BYTES_A_SECOND, "f");
    Client client = new Client("f");
    int throttle = client.send(fetch(50_000, -1)).throttle(1);
    assertTrue(throttle > 10_000);
    FetchResponse empty = (FetchResponse) client.answers.get(0);
    assertEquals(List.of(), empty.responses());
    assertEquals(0, empty.sessionId());
    assertMuted(client, throttle);
    assertEquals(0, client.send(fetch(5_000, -1)).throttle(4));
    FetchResponse whole = (FetchResponse) client.answers.get(3);
    assertEquals(5_000, whole.responses().get(0).partitions().get(0).records().sizeInBytes());
  }

  @Test
  void aFollowerHasNoQuota() {
    limit("consumer_byte_rate", 1, null);
    limit("request_percentage", 0.001, null);
    Client follower = new Client("broker-2");
    for (int i = 1; i <= 5; i++) {
      assertEquals(0, follower.send(fetch(1, 2)).throttle(i));
    }
    assertTrue(new Client("broker-2").send(fetch(1, -1)).throttle(1) > 0);
  }

  @Test
  void whatTheControllerSaysOfAForwardedRequestIsDoneAndNothingElseCounted() {
    limit("request_percentage", 0.001, "a");
    Client client = new Client("a");
    assertEquals(0, client.send(new CreateTopicsRequest()).throttle(1));
    controllerSays = 3_000;
    assertEquals(3_000, client.send(new CreateTopicsRequest()).throttle(2));
    assertMuted(client, 3_000);
  }

  @Test
  void withoutQuotasNobodyIsThrottledAndProducesArePipelined() {
    limit("producer_byte_rate", 1, "p");
    Client client = new Client("p");
    image = image.apply(image.security().clientQuotas().values().iterator().next().remove(true));
    quotas.set(image.security());
    assertFalse(quotas.isActive());
    for (int i = 1; i <= 5; i++) {
      client.send(produce(100_000, 1));
    }
    assertEquals(0, client.throttle(5));
  }

  @Test
  void aClientThatGoesWhileItIsMutedLeavesNothing() {
    limit("producer_byte_rate", 1, "p");
    Client client = new Client("p");
    client.send(produce(50_000, 1)).throttle(1);
    client.send(heartbeat());
    world.runFor(100);
    clientShard.run(() -> client.connection.close());
    world.runFor(100_000_000);
    assertEquals(0, wires.openEnds());
  }

  @Property(tries = 50)
  void theRateOfAllConnectionsTogetherIsTheQuota(@ForAll @IntRange(min = 1, max = 4) int n) {
    limit("producer_byte_rate", BYTES_A_SECOND, "p");
    List<Client> clients = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      clients.add(new Client("p"));
    }
    int size = 700;
    for (int i = 0; i < 400; i++) {
      for (Client c : clients) {
        c.send(produce(size, 1));
      }
    }
    world.runFor(100_000);
    handled.clear();
    world.runFor(100_000);
    double rate = handled.size() * size / 100.0;
    // By Kafka's arithmetic, several that wait at once may come back at once.
    assertTrue(rate < BYTES_A_SECOND * 1.5, n + " connections: " + rate + " bytes a second");
    assertTrue(rate > BYTES_A_SECOND * 0.5, n + " connections: " + rate + " bytes a second");
  }
}
