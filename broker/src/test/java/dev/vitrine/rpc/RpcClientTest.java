package dev.vitrine.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.broker.net.Logged;
import dev.vitrine.broker.net.Loops;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.FrameWriter;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.ApiVersionsResponse;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FetchResponse;
import dev.vitrine.protocol.message.HeartbeatRequest;
import dev.vitrine.protocol.message.HeartbeatResponse;
import dev.vitrine.protocol.message.MetadataRequest;
import dev.vitrine.protocol.message.MetadataResponse;
import dev.vitrine.protocol.message.RequestHeader;
import dev.vitrine.protocol.message.ResponseHeader;
import dev.vitrine.protocol.record.MemoryRecords;
import dev.vitrine.seam.Connection;
import dev.vitrine.seam.ConnectionListener;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Network;
import dev.vitrine.seam.Shard;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The client against a server that answers what each test tells it to. */
class RpcClientTest {
  private final Loops loops = new Loops(1);
  private final Logged log = new Logged();
  private final Shard shard = loops.shards.get(0);
  private final RpcClient client =
      new RpcClient(shard, loops.network, new RpcOptions("tester", 1, 4, 20_000));
  private Network.Server server;
  private Endpoint at;

  /** What the server has been asked, such as {@code METADATA 5 tester}. */
  private final List<String> asked = new CopyOnWriteArrayList<>();

  private final List<Connection> connections = new CopyOnWriteArrayList<>();

  /** Answers a request, or not. */
  interface Script {
    void answer(Peer peer, ApiKeys api, RequestHeader header);
  }

  /** One accepted connection. */
  private final class Peer implements ConnectionListener {
    final Connection connection;
    final Script script;

    Peer(Connection connection, Script script) {
      this.connection = connection;
      this.script = script;
    }

    @Override
    public void received(Connection c, ByteBuf frame) {
      ApiKeys api = ApiKeys.forId(frame.getShort(frame.readerIndex()));
      RequestHeader header = new RequestHeader();
      header.read(frame, api.requestHeaderVersion(frame.getShort(frame.readerIndex() + 2)));
      asked.add(api + " " + header.requestApiVersion() + " " + header.clientId());
      frame.release();
      script.answer(this, api, header);
    }

    void send(ApiKeys api, short version, int correlationId, ApiMessage answer) {
      connection.send(
          FrameWriter.frame(
              loops.network.allocator(),
              new ResponseHeader().correlationId(correlationId),
              api.responseHeaderVersion(version),
              answer,
              version));
    }

    void send(ApiKeys api, RequestHeader header, ApiMessage answer) {
      send(api, header.requestApiVersion(), header.correlationId(), answer);
    }

    @Override
    public void closed(Connection c, Throwable cause) {
      connections.remove(c);
    }
  }

  private static ApiVersionsResponse versions(Object... keysAndRanges) {
    ApiVersionsResponse r = new ApiVersionsResponse();
    for (int i = 0; i < keysAndRanges.length; i += 3) {
      r.apiKeys()
          .add(
              new ApiVersionsResponse.ApiVersion()
                  .apiKey(((ApiKeys) keysAndRanges[i]).id())
                  .minVersion(((Integer) keysAndRanges[i + 1]).shortValue())
                  .maxVersion(((Integer) keysAndRanges[i + 2]).shortValue()));
    }
    return r;
  }

  /** Speaks ApiVersions, offers Metadata 0–5, Heartbeat 0-4 and Fetch 4-11, the rest by script. */
  private Script afterHandshake(Script rest) {
    return (peer, api, header) -> {
      if (api == ApiKeys.API_VERSIONS) {
        peer.send(
            api,
            header,
            versions(
                ApiKeys.API_VERSIONS,
                0,
                5,
                ApiKeys.METADATA,
                0,
                5,
                ApiKeys.HEARTBEAT,
                0,
                4,
                ApiKeys.FETCH,
                4,
                11));
      } else {
        rest.answer(peer, api, header);
      }
    };
  }

  private void listen(int port, Script script) {
    server =
        loops.network.listen(
            new Endpoint("127.0.0.1", port),
            loops.shards,
            1 << 20,
            (c, s) -> {
              connections.add(c);
              return new Peer(c, script);
            });
    at = new Endpoint("127.0.0.1", server.port());
  }

  @AfterEach
  void close() {
    Loops.on(shard, client::close);
    server.close();
    loops.close();
    log.close();
    assertEquals(0, loops.buffersInUse(), "a buffer was not released");
  }

  /** The ends of requests, in their order. */
  private final class Ends implements RpcCallback {
    final List<String> told = new CopyOnWriteArrayList<>();
    final List<RpcFailure> failures = new CopyOnWriteArrayList<>();
    final List<ApiMessage> answers = new CopyOnWriteArrayList<>();

    @Override
    public void completed(ApiMessage response, short version, ByteBuf frame) {
      assertTrue(shard.isCurrent());
      answers.add(response);
      told.add(response.getClass().getSimpleName() + " " + version);
    }

    @Override
    public void failed(RpcFailure failure) {
      assertTrue(shard.isCurrent());
      failures.add(failure);
      told.add(failure.kind().toString());
    }

    Ends await(int n) {
      Loops.await(n + " ends, so far " + told, () -> told.size() >= n);
      assertEquals(n, told.size());
      return this;
    }
  }

  private static HeartbeatRequest heartbeat() {
    return new HeartbeatRequest().groupId("g").memberId("m");
  }

  private Ends ask(long timeoutMs, ApiMessage... requests) {
    Ends ends = new Ends();
    Loops.on(
        shard,
        () -> {
          for (ApiMessage request : requests) {
            client.send(at, request, timeoutMs, ends);
          }
          assertEquals(List.of(), ends.told, "told from within send");
        });
    return ends;
  }

  private final Script good =
      (peer, api, header) ->
          peer.send(
              api,
              header,
              api == ApiKeys.METADATA ? new MetadataResponse() : new HeartbeatResponse());

  @Test
  void takesTheHighestCommonVersion() {
    listen(0, afterHandshake(good));
    Ends ends = ask(20_000, new MetadataRequest(), heartbeat(), new MetadataRequest()).await(3);
    assertEquals(
        List.of("MetadataResponse 5", "HeartbeatResponse 4", "MetadataResponse 5"), ends.told);
    assertEquals(
        List.of(
            "API_VERSIONS 5 tester",
            "METADATA 5 tester",
            "HEARTBEAT 4 tester",
            "METADATA 5 tester"),
        asked);
    assertEquals(1, connections.size());
  }

  @Test
  void theCallerMayCapTheVersion() {
    listen(0, afterHandshake(good));
    Ends ends = new Ends();
    Loops.on(
        shard, () -> client.send(at, RpcRequest.of(new MetadataRequest()).upTo(2), 20_000, ends));
    assertEquals(List.of("MetadataResponse 2"), ends.await(1).told);
  }

  @Test
  void asksAgainInTheVersionThatTheServerNames() {
    listen(
        0,
        (peer, api, header) -> {
          if (api == ApiKeys.API_VERSIONS && header.requestApiVersion() > 3) {
            peer.send(
                api,
                (short) 0,
                header.correlationId(),
                versions(ApiKeys.API_VERSIONS, 0, 3).errorCode(Errors.UNSUPPORTED_VERSION.code()));
          } else {
            afterHandshake(good).answer(peer, api, header);
          }
        });
    ask(20_000, new MetadataRequest()).await(1);
    assertEquals(
        List.of("API_VERSIONS 5 tester", "API_VERSIONS 3 tester", "METADATA 5 tester"), asked);
  }

  @Test
  void asksInVersionZeroWhenTheServerNamesNone() {
    listen(
        0,
        (peer, api, header) -> {
          if (api == ApiKeys.API_VERSIONS && header.requestApiVersion() > 0) {
            peer.send(
                api,
                (short) 0,
                header.correlationId(),
                versions().errorCode(Errors.UNSUPPORTED_VERSION.code()));
          } else {
            afterHandshake(good).answer(peer, api, header);
          }
        });
    ask(20_000, new MetadataRequest()).await(1);
    assertEquals(
        List.of("API_VERSIONS 5 tester", "API_VERSIONS 0 tester", "METADATA 5 tester"), asked);
  }

  @Test
  void anApiThatTheServerLacksFailsAlone() {
    listen(
        0,
        (peer, api, header) -> {
          if (api == ApiKeys.API_VERSIONS) {
            peer.send(api, header, versions(ApiKeys.METADATA, 0, 5, ApiKeys.FETCH, 0, 3));
          } else {
            good.answer(peer, api, header);
          }
        });
    Ends ends = ask(20_000, heartbeat(), new FetchRequest(), new MetadataRequest()).await(3);
    assertEquals(2, ends.failures.size());
    for (RpcFailure f : ends.failures) {
      assertEquals(RpcFailure.Kind.UNSUPPORTED_VERSION, f.kind());
    }
    assertEquals(1, ends.answers.size());
  }

  @Test
  void silenceTimesOutAndClosesTheConnection() {
    listen(0, afterHandshake((peer, api, header) -> {}));
    Ends impatient = ask(50, heartbeat());
    Ends patient = ask(20_000, heartbeat());
    assertEquals(List.of("TIMED_OUT"), impatient.await(1).told);
    assertEquals(List.of("DISCONNECTED"), patient.await(1).told);
    Loops.await("closed", () -> connections.isEmpty());
  }

  @Test
  void aRequestTimesOutBeforeThereIsAConnection() {
    listen(0, (peer, api, header) -> {}); // no answer to ApiVersions either
    assertEquals(List.of("TIMED_OUT"), ask(50, heartbeat()).await(1).told);
  }

  @Test
  void aRefusedConnectionIsToldAndTriedAgain() {
    listen(0, afterHandshake(good));
    int port = server.port();
    server.close();
    Ends refused = ask(20_000, heartbeat(), heartbeat()).await(2);
    assertEquals(List.of("DISCONNECTED", "DISCONNECTED"), refused.told);
    assertTrue(refused.failures.get(0).isRefused(), refused.failures.get(0).toString());
    assertTrue(refused.failures.get(0).message().contains("127.0.0.1:" + port));
    listen(port, afterHandshake(good));
    assertEquals(List.of("HeartbeatResponse 4"), ask(20_000, heartbeat()).await(1).told);
  }

  @Test
  void aClosedConnectionFailsWhatIsPendingAndIsMadeAgain() {
    List<Integer> seen = new ArrayList<>();
    listen(
        0,
        afterHandshake(
            (peer, api, header) -> {
              seen.add(header.correlationId());
              if (seen.size() == 2) {
                peer.connection.close();
              } else if (seen.size() > 2) {
                good.answer(peer, api, header);
              }
            }));
    Ends ends = ask(20_000, heartbeat(), heartbeat()).await(2);
    assertEquals(List.of("DISCONNECTED", "DISCONNECTED"), ends.told);
    assertFalse(ends.failures.get(0).isRefused());
    assertEquals(List.of("HeartbeatResponse 4"), ask(20_000, heartbeat()).await(1).told);
  }

  @Test
  void anAnswerToAnotherRequestClosesTheConnection() {
    listen(
        0,
        afterHandshake(
            (peer, api, header) ->
                peer.send(
                    api,
                    header.requestApiVersion(),
                    header.correlationId() + 1,
                    new HeartbeatResponse())));
    Ends ends = ask(20_000, heartbeat(), heartbeat()).await(2);
    assertEquals(List.of("MALFORMED", "DISCONNECTED"), ends.told);
    assertEquals(1, log.lines().size(), log.lines().toString());
    Loops.await("closed", () -> connections.isEmpty());
  }

  @Test
  void anAnswerThatIsCutShortClosesTheConnection() {
    listen(
        0,
        afterHandshake(
            (peer, api, header) ->
                peer.send(
                    api,
                    (short) 0, // a byte less than what is expected
                    header.correlationId(),
                    new HeartbeatResponse())));
    assertEquals(List.of("MALFORMED"), ask(20_000, heartbeat()).await(1).told);
    Loops.await("closed", () -> connections.isEmpty());
  }

  @Test
  void recordsLiveAsLongAsTheFrameIsRetained() {
    byte[] bytes = new byte[5000];
    bytes[4999] = 42;
    listen(
        0,
        afterHandshake(
            (peer, api, header) -> {
              FetchResponse.PartitionData p =
                  new FetchResponse.PartitionData()
                      .records(new MemoryRecords(Unpooled.wrappedBuffer(bytes)));
              FetchResponse.FetchableTopicResponse t =
                  new FetchResponse.FetchableTopicResponse().topic("t");
              t.partitions().add(p);
              FetchResponse r = new FetchResponse();
              r.responses().add(t);
              peer.send(api, header, r);
            }));
    List<ByteBuf> kept = new CopyOnWriteArrayList<>();
    List<FetchResponse> answers = new CopyOnWriteArrayList<>();
    Loops.on(
        shard,
        () -> {
          RpcChannel own = client.channel(at);
          own.send(
              new FetchRequest(),
              20_000,
              new RpcCallback() {
                @Override
                public void completed(ApiMessage response, short version, ByteBuf frame) {
                  kept.add(frame.retain());
                  answers.add((FetchResponse) response);
                }

                @Override
                public void failed(RpcFailure failure) {
                  throw new AssertionError(failure);
                }
              });
        });
    Loops.await("an answer", () -> !answers.isEmpty());
    Loops.on(
        shard,
        () -> {
          MemoryRecords records =
              (MemoryRecords) answers.get(0).responses().get(0).partitions().get(0).records();
          assertEquals(5000, records.sizeInBytes());
          assertEquals(42, records.buffer().getByte(records.buffer().readerIndex() + 4999));
          kept.get(0).release();
        });
  }

  @Test
  void aClosedClientFailsWhatIsPending() {
    listen(0, afterHandshake((peer, api, header) -> {}));
    Ends ends = ask(20_000, heartbeat());
    Loops.await("asked", () -> asked.size() == 2);
    Loops.on(shard, client::close);
    assertEquals(List.of("DISCONNECTED"), ends.await(1).told);
    Loops.await("closed", () -> connections.isEmpty());
  }
}
