package dev.vitrine.broker.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.vitrine.broker.fault.ApiFault;
import dev.vitrine.broker.fault.ApiFault.Outcome;
import dev.vitrine.broker.fault.ApiFaults;
import dev.vitrine.broker.net.Loops;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.ApiKeys;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests that go wrong on purpose, as their client sees it. */
class ApiFaultsTest {
  private static final String FINE = "(fine)";
  private final ApiFaults faults = new ApiFaults();
  private final AtomicInteger handled = new AtomicInteger();
  private final TestServer server = new TestServer(ListenerType.BROKER, faults::around);

  ApiFaultsTest() {
    server.table.add(
        ApiKeys.METADATA,
        (context, request, responder) -> {
          handled.incrementAndGet();
          responder.respond(TestServer.metadata());
        });
    server.listen();
  }

  @AfterEach
  void close() {
    server.close();
  }

  private void fault(Outcome outcome, long delayMs, int times, String topic, String client) {
    Errors error = outcome == Outcome.ERROR ? Errors.LEADER_NOT_AVAILABLE : null;
    ApiFault.Match match = new ApiFault.Match(ApiKeys.METADATA, topic, null, client);
    faults.add(id -> new ApiFault(id, match, delayMs, outcome, error, new AtomicInteger(times)));
  }

  /** What Metadata version 1 says of topic t: an error, or that it is fine: there is none. */
  private static String ask(RawClient client, int correlationId) {
    client.send(RawClient.Bytes.header(3, 1, correlationId).i32(1).i16(1).raw("t"));
    String answer = client.receiveHex();
    // correlation id, brokers, controller, topics, and of the first the error
    return answer.startsWith("%08x00000000ffffffff00000001".formatted(correlationId))
        ? Errors.forCode((short) Integer.parseInt(answer.substring(32, 36), 16)).name()
        : FINE;
  }

  @Test
  void anErrorIsAnsweredSoOften() {
    fault(Outcome.ERROR, 0, 2, null, null);
    try (RawClient client = server.client()) {
      assertEquals("LEADER_NOT_AVAILABLE", ask(client, 1));
      assertEquals(1, faults.list().get(0).left().get());
      assertEquals("LEADER_NOT_AVAILABLE", ask(client, 2));
      assertEquals(0, faults.list().size());
      assertEquals(FINE, ask(client, 3));
      assertEquals(1, handled.get());
    }
  }

  @Test
  void onlyWhatMatchesGoesWrongAndTheFirstThatMatchesHappens() {
    fault(Outcome.ERROR, 0, -1, "other", null);
    fault(Outcome.ERROR, 0, -1, null, "other");
    try (RawClient client = server.client()) {
      assertEquals(FINE, ask(client, 1));
      fault(Outcome.HANDLE, 1, 1, "t", "cli");
      fault(Outcome.ERROR, 0, -1, "t", "cli");
      assertEquals(FINE, ask(client, 2), "late, but handled");
      assertEquals("LEADER_NOT_AVAILABLE", ask(client, 3));
      faults.clear(ApiKeys.FETCH);
      assertEquals("LEADER_NOT_AVAILABLE", ask(client, 4));
      faults.clear(null);
      assertEquals(FINE, ask(client, 5));
    }
  }

  @Test
  void whatIsDroppedIsNeverAnsweredAndLetGoWithItsConnection() throws Exception {
    fault(Outcome.DROP, 0, 1, null, null);
    fault(Outcome.DROP_ANSWER, 0, 1, null, null);
    for (int done = 0; done <= 1; done++) {
      try (RawClient client = server.client()) {
        client.socket.setSoTimeout(200);
        assertThrows(UncheckedIOException.class, () -> ask(client, 1));
        assertEquals(done, handled.get());
      }
    }
    Loops.await("both are taken", () -> faults.list().isEmpty());
    try (RawClient client = server.client()) {
      assertEquals(FINE, ask(client, 1));
    }
  }
}
