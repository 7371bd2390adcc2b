package dev.vitrine.broker.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.broker.api.RawClient.Bytes;
import dev.vitrine.broker.net.Loops;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.FetchResponse;
import dev.vitrine.protocol.message.HeartbeatResponse;
import dev.vitrine.protocol.message.MetadataResponse;
import dev.vitrine.protocol.message.ProduceRequest;
import dev.vitrine.protocol.message.ProduceResponse;
import dev.vitrine.protocol.record.MemoryRecords;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The order of requests and answers on one connection, and what a connection may hold. */
class ApiConnectionTest {
  private final TestServer server = new TestServer(ListenerType.BROKER).withMetadata();

  @AfterEach
  void close() {
    server.close();
  }

  private static Bytes metadata(int correlationId) {
    return Bytes.header(3, 0, correlationId).i32(0);
  }

  /** Produce 3 with these bytes as the records of t-0. */
  private static Bytes produce(int correlationId, byte[] records) {
    return Bytes.header(0, 3, correlationId)
        .i16(-1)
        .i16(1)
        .i32(1000)
        .i32(1)
        .i16(1)
        .raw("t")
        .i32(1)
        .i32(0)
        .i32(records.length)
        .raw(records);
  }

  private static Bytes heartbeat(int correlationId) {
    return Bytes.header(12, 0, correlationId).i16(1).raw("g").i32(1).i16(1).raw("m");
  }

  private void answer(int n) {
    TestServer.Held h = server.awaitHeld(n);
    h.responder()
        .respond(
            h.context().api() == ApiKeys.PRODUCE ? new ProduceResponse() : new HeartbeatResponse());
  }

  @Test
  void requestThatWaitsHearsOfTheOneBehindIt() throws InterruptedException {
    server.withHeld(ApiKeys.HEARTBEAT).listen();
    try (RawClient client = server.client()) {
      client.send(heartbeat(1));
      TestServer.Held first = server.awaitHeld(1);
      ApiConnection connection = first.context().connection();
      AtomicInteger heard = new AtomicInteger();
      Runnable hook =
          () -> {
            heard.incrementAndGet();
            first.responder().respond(new HeartbeatResponse());
          };
      CountDownLatch set = new CountDownLatch(1);
      connection
          .shard()
          .execute(
              () -> {
                connection.onNextRequest(hook);
                set.countDown();
              });
      set.await();
      client.send(metadata(2)).send(metadata(3));
      for (int i = 1; i <= 3; i++) {
        assertEquals(i, client.receiveId());
      }
      assertEquals(1, heard.get(), "it was answered by then");
    }
  }

  @Test
  void producesThatFollowOneAnotherRunAtOnceAndAreAnsweredInOrder() {
    server.withHeld(ApiKeys.PRODUCE).listen();
    try (RawClient client = server.client()) {
      for (int i = 1; i <= 3; i++) {
        client.send(produce(i, new byte[] {(byte) i}));
      }
      client.send(metadata(4)).send(metadata(5));
      server.awaitHeld(3);
      answer(3);
      answer(2);
      answer(1);
      for (int i = 1; i <= 5; i++) {
        assertEquals(i, client.receiveId());
      }
    }
  }

  @Test
  void theRecordsOfAProduceLiveUntilItsAnswer() {
    server.withHeld(ApiKeys.PRODUCE).listen();
    try (RawClient client = server.client()) {
      client.send(produce(1, new byte[] {1, 2, 3})).send(produce(2, new byte[] {4, 5, 6}));
      server.awaitHeld(2);
      for (int i = 0; i < 2; i++) {
        TestServer.Held h = server.held.get(i);
        ProduceRequest request = (ProduceRequest) h.request();
        MemoryRecords records =
            (MemoryRecords) request.topicData().get(0).partitionData().get(0).records();
        byte[] bytes = new byte[3];
        records.buffer().getBytes(records.buffer().readerIndex(), bytes);
        assertEquals(i == 0 ? "010203" : "040506", HexFormat.of().formatHex(bytes));
        assertTrue(h.context().frame().refCnt() > 0);
        answer(i + 1);
        assertEquals(i + 1, client.receiveId());
      }
    }
  }

  @Test
  void otherRequestsRunOneAfterTheOther() {
    server.withHeld(ApiKeys.HEARTBEAT).withHeld(ApiKeys.PRODUCE).listen();
    try (RawClient client = server.client();
        RawClient other = server.client()) {
      client.send(heartbeat(1)).send(heartbeat(2)).send(produce(3, new byte[0]));
      server.awaitHeld(1);
      assertNull(server.held.get(0).context().frame());
      for (int i = 1; i <= 3; i++) {
        // Time for the next to begin, if it would.
        other.send(metadata(i));
        assertEquals(i, other.receiveId());
        assertEquals(i, server.held.size());
        answer(i);
        assertEquals(i, client.receiveId());
        server.awaitHeld(Math.min(3, i + 1));
      }
    }
  }

  @Test
  void aRequestWithoutAnAnswerLetsTheNextOneBegin() {
    server.withHeld(ApiKeys.PRODUCE).listen();
    try (RawClient client = server.client()) {
      client.send(produce(1, new byte[0])).send(produce(2, new byte[0])).send(metadata(3));
      server.awaitHeld(2);
      server.held.get(0).responder().respondNothing();
      server.held.get(1).responder().respondNothing();
      assertEquals(3, client.receiveId());
    }
  }

  @Test
  void aHandlerMayCloseTheConnectionInItsTurn() {
    server.withHeld(ApiKeys.PRODUCE).listen();
    try (RawClient client = server.client()) {
      client.send(produce(1, new byte[0])).send(produce(2, new byte[0])).send(metadata(3));
      server.awaitHeld(2);
      server.held.get(1).responder().close();
      answer(1);
      assertEquals(1, client.receiveId());
      assertTrue(client.isClosed());
    }
  }

  @Test
  void producesInTheWorksAreBounded() {
    server.withHeld(ApiKeys.PRODUCE).listen();
    try (RawClient client = server.client();
        RawClient large = server.client();
        RawClient other = server.client()) {
      for (int i = 0; i < 300; i++) {
        client.send(produce(i, new byte[10]));
      }
      server.awaitHeld(256);
      other.send(metadata(1));
      assertEquals(1, other.receiveId());
      assertEquals(256, server.held.size());
      for (int i = 1; i <= 300; i++) {
        answer(i);
        assertEquals(i - 1, client.receiveId());
      }
      server.held.clear();
      Thread writer =
          new Thread(
              () -> {
                for (int i = 0; i < 10; i++) {
                  large.send(produce(i, new byte[5 << 20]));
                }
              });
      writer.start();
      server.awaitHeld(4);
      other.send(metadata(2));
      assertEquals(2, other.receiveId());
      assertEquals(4, server.held.size());
      for (int i = 1; i <= 10; i++) {
        answer(i);
        assertEquals(i - 1, large.receiveId());
      }
    }
  }

  @Test
  void whoDoesNotTakeItsAnswersIsNotHeardFurther() {
    AtomicInteger handled = new AtomicInteger();
    server.table.add(
        ApiKeys.FETCH,
        (context, request, responder) -> {
          handled.incrementAndGet();
          FetchResponse.FetchableTopicResponse topic =
              new FetchResponse.FetchableTopicResponse().topic("t");
          topic
              .partitions()
              .add(
                  new FetchResponse.PartitionData()
                      .records(new MemoryRecords(Unpooled.wrappedBuffer(new byte[4 << 20]))));
          FetchResponse response = new FetchResponse();
          response.responses().add(topic);
          responder.respond(response);
        });
    server.listen();
    try (RawClient client = server.client();
        RawClient other = server.client()) {
      int requests = 40;
      for (int i = 0; i < requests; i++) {
        client.send(Bytes.header(1, 4, i).i32(-1).i32(0).i32(0).i32(1 << 30).i8(0).i32(0));
      }
      Loops.await("a request", () -> handled.get() > 0);
      for (int i = 0; i < 20; i++) {
        other.send(metadata(i));
        assertEquals(i, other.receiveId());
      }
      assertTrue(handled.get() < requests, handled + " handled");
      for (int i = 0; i < requests; i++) {
        assertEquals(i, client.receiveId());
      }
      assertEquals(requests, handled.get());
    }
  }

  /** Apache Kafka answers all three, and then closes. */
  @Test
  void whoEndsItsOutputIsStillAnswered() throws IOException {
    server.listen();
    try (RawClient client = server.client()) {
      client.send(metadata(1)).send(metadata(2)).send(metadata(3));
      client.socket.shutdownOutput();
      assertEquals(1, client.receiveId());
      assertEquals(2, client.receiveId());
      assertEquals(3, client.receiveId());
      assertTrue(client.isClosed());
    }
  }

  @Test
  void whatIsAnsweredAfterTheEndIsReleased() throws IOException {
    server.withHeld(ApiKeys.PRODUCE).withHeld(ApiKeys.FETCH).listen();
    AtomicInteger hooks = new AtomicInteger();
    try (RawClient client = server.client();
        RawClient fetcher = server.client();
        RawClient crowded = server.client()) {
      client.send(produce(1, new byte[100]));
      server.awaitHeld(1).context().connection().onClose(hooks::incrementAndGet);
      server.held.get(0).context().connection().onClose(hooks::incrementAndGet).run();
      fetcher.send(Bytes.header(1, 4, 1).i32(-1).i32(0).i32(0).i32(1 << 30).i8(0).i32(0));
      server.awaitHeld(2).context().connection().onClose(hooks::incrementAndGet);
      // While a request waits, nothing is read, and NIO does not see the end.
      crowded.send(produce(1, new byte[100])).send(metadata(2));
      server.awaitHeld(3);
      crowded.socket.setSoLinger(true, 0);
      // Resets: after an orderly end the answers would still be waited for.
      client.socket.setSoLinger(true, 0);
      fetcher.socket.setSoLinger(true, 0);
    }
    Loops.await("closed", () -> hooks.get() == 2);
    server.held.get(0).responder().respond(new ProduceResponse());
    server.held.get(2).responder().respond(new ProduceResponse());
    FetchResponse response = new FetchResponse();
    response
        .responses()
        .add(
            new FetchResponse.FetchableTopicResponse()
                .topic("t")
                .partitions(
                    List.of(
                        new FetchResponse.PartitionData()
                            .records(
                                new MemoryRecords(
                                    server
                                        .loops
                                        .network
                                        .allocator()
                                        .directBuffer(5000)
                                        .writeZero(5000))))));
    server.held.get(1).responder().respond(response);
  }

  @Test
  void anIdleConnectionIsClosed() {
    server.listen(30);
    try (RawClient client = server.client()) {
      client.send(metadata(1));
      assertEquals(1, client.receiveId());
      assertTrue(client.isClosed());
      assertEquals(List.of(), server.log.lines());
    }
  }

  @Test
  void aConnectionWithARequestInTheWorksIsNotIdle() {
    server.withHeld(ApiKeys.HEARTBEAT).listen(5);
    try (RawClient client = server.client();
        RawClient other = server.client()) {
      client.send(heartbeat(1));
      server.awaitHeld(1);
      assertTrue(other.isClosed());
      answer(1);
      assertEquals(1, client.receiveId());
      assertTrue(client.isClosed());
    }
  }

  @Test
  void aHandlerThatThrowsIsAnErrorOfTheServer() {
    server.table.add(
        ApiKeys.HEARTBEAT,
        (context, request, responder) -> {
          throw new IllegalStateException("a bug");
        });
    server.table.add(
        ApiKeys.DESCRIBE_PRODUCERS,
        (context, request, responder) -> {
          throw new IllegalStateException("another");
        });
    server.listen();
    try (RawClient client = server.client()) {
      client.send(heartbeat(1)).send(metadata(2));
      assertEquals("00000001ffff", client.receiveHex()); // UNKNOWN_SERVER_ERROR
      assertEquals(2, client.receiveId());
      assertEquals(1, server.log.lines().size());
      assertTrue(
          server
              .log
              .lines()
              .get(0)
              .startsWith(
                  "ERROR Error when handling request: clientId=cli, correlationId=1, api=HEARTBEAT, "
                      + "version=0, body=HeartbeatRequest("),
          server.log.lines().get(0));
      // Of no known shape.
      client.send(Bytes.flexibleHeader(61, 0, 3).i8(1).i8(0));
      assertTrue(client.isClosed());
      assertEquals(2, server.log.lines().size());
    }
  }

  @Test
  void handlersLearnWhoAsks() {
    server.withHeld(ApiKeys.HEARTBEAT).listen();
    try (RawClient client = server.client()) {
      client.send(Bytes.flexibleHeader(18, 3, 1).compact("kcat").compact("1.7.0").i8(0));
      assertEquals(1, client.receiveId());
      client.send(heartbeat(2));
      RequestContext context = server.awaitHeld(1).context();
      assertEquals("kcat", context.connection().softwareName());
      assertEquals("1.7.0", context.connection().softwareVersion());
      assertEquals("cli", context.clientId());
      assertEquals("User:ANONYMOUS", context.principal());
      assertEquals("/127.0.0.1", context.clientAddress());
      assertEquals("PLAINTEXT", context.listenerName());
      assertEquals(ApiKeys.HEARTBEAT, context.api());
      assertEquals(2, context.correlationId());
      answer(1);
      assertEquals(2, client.receiveId());
    }
  }

  @Test
  void anAnswerThatCannotBeWrittenClosesTheConnection() {
    server.table.add(
        ApiKeys.DESCRIBE_CLUSTER,
        (context, request, responder) -> responder.respond(new MetadataResponse().brokers(null)));
    server.listen();
    try (RawClient client = server.client()) {
      client.send(Bytes.flexibleHeader(60, 0, 1).i8(0).i8(0));
      assertTrue(client.isClosed());
      assertEquals(1, server.log.lines().size());
    }
  }
}
