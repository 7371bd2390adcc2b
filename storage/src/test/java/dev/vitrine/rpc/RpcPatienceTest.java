package dev.vitrine.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.FrameWriter;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.ApiVersionsResponse;
import dev.vitrine.protocol.message.HeartbeatRequest;
import dev.vitrine.protocol.message.HeartbeatResponse;
import dev.vitrine.protocol.message.RequestHeader;
import dev.vitrine.protocol.message.ResponseHeader;
import dev.vitrine.seam.Connection;
import dev.vitrine.seam.ConnectionListener;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.sim.SimNetwork;
import dev.vitrine.sim.SimShard;
import dev.vitrine.sim.SimWorld;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How long a client waits for what, on simulated time. */
class RpcPatienceTest {
  private static final Endpoint AT = new Endpoint("server", 9092);

  private final SimWorld world = new SimWorld(1);
  private final SimNetwork wires = new SimNetwork(world);
  private final SimShard shard = world.newShard("client");
  private final RpcClient client =
      new RpcClient(shard, wires.host("client"), RpcOptions.of("tester"));

  /** Each end of a request: when, in milliseconds, and how. */
  private final List<String> ends = new ArrayList<>();

  private final List<Long> endTimes = new ArrayList<>();

  private void send(long timeoutMs, Runnable then) {
    client.send(
        AT,
        new HeartbeatRequest().groupId("g").memberId("m"),
        timeoutMs,
        new RpcCallback() {
          @Override
          public void completed(ApiMessage response, short version, ByteBuf frame) {
            end("answered");
          }

          @Override
          public void failed(RpcFailure failure) {
            end(failure.kind() + (failure.isRefused() ? " refused" : ""));
          }

          private void end(String how) {
            ends.add(how);
            endTimes.add(world.elapsedMs());
            then.run();
          }
        });
  }

  /** Answers ApiVersions and Heartbeat. */
  private static final class Peer implements ConnectionListener {
    @Override
    public void received(Connection c, ByteBuf frame) {
      ApiKeys api = ApiKeys.forId(frame.getShort(frame.readerIndex()));
      RequestHeader header = new RequestHeader();
      header.read(frame, api.requestHeaderVersion(frame.getShort(frame.readerIndex() + 2)));
      frame.release();
      ApiMessage answer = new HeartbeatResponse();
      if (api == ApiKeys.API_VERSIONS) {
        ApiVersionsResponse versions = new ApiVersionsResponse();
        versions
            .apiKeys()
            .add(
                new ApiVersionsResponse.ApiVersion()
                    .apiKey(ApiKeys.HEARTBEAT.id())
                    .maxVersion((short) 4));
        answer = versions;
      }
      short version = header.requestApiVersion();
      c.send(
          FrameWriter.frame(
              ByteBufAllocator.DEFAULT,
              new ResponseHeader().correlationId(header.correlationId()),
              api.responseHeaderVersion(version),
              answer,
              version));
    }

    @Override
    public void closed(Connection c, Throwable cause) {}
  }

  private void listen() {
    wires
        .host("server")
        .listen(AT, List.of(world.newShard("server")), 1 << 20, (c, s) -> new Peer());
  }

  @Test
  void theWaitBetweenDialsDoublesUpToItsLimit() {
    int[] left = {12};
    Runnable[] again = {null};
    again[0] =
        () -> {
          if (left[0]-- > 0) {
            send(60_000, again[0]);
          }
        };
    shard.execute(again[0]);
    assertTrue(world.runUntil(() -> ends.size() == 12, 60_000));
    long expected = 50;
    for (int i = 1; i < 12; i++) {
      assertEquals("DISCONNECTED refused", ends.get(i));
      long waited = endTimes.get(i) - endTimes.get(i - 1);
      // Give or take a fifth, and a few milliseconds on the wire.
      assertTrue(waited >= expected * 0.79 && waited <= expected * 1.21 + 10, i + ": " + waited);
      expected = Math.min(1000, expected * 2);
    }
  }

  @Test
  void aSilentLinkEndsTheDialAndTheNextOneSucceeds() {
    listen();
    wires.cut("client", "server");
    shard.execute(() -> send(60_000, () -> {}));
    assertTrue(world.runUntil(() -> ends.size() == 1, 60_000));
    assertEquals(List.of("DISCONNECTED"), ends);
    assertEquals(3000, endTimes.get(0));
    wires.mend("client", "server");
    shard.execute(() -> send(60_000, () -> {}));
    assertTrue(world.runUntil(() -> ends.size() == 2, 60_000));
    assertEquals("answered", ends.get(1));
  }

  @Test
  void anAnswerThatIsHeldUpTimesOutAndItsLateArrivalIsIgnored() {
    listen();
    shard.execute(() -> send(1000, () -> {}));
    assertTrue(world.runUntil(() -> ends.size() == 1, 60_000));
    wires.cut("server", "client");
    long start = world.elapsedMs();
    shard.execute(() -> send(1000, () -> {}));
    assertTrue(world.runUntil(() -> ends.size() == 2, 60_000));
    long waited = endTimes.get(1) - start;
    assertTrue(waited >= 1000 && waited <= 1002, waited + " ms");
    wires.mend("server", "client");
    shard.execute(() -> send(5000, () -> {}));
    assertTrue(world.runUntil(() -> ends.size() == 3, 60_000));
    assertEquals(List.of("answered", "TIMED_OUT", "answered"), ends);
    world.runFor(10_000);
    assertEquals(3, ends.size());
  }
}
