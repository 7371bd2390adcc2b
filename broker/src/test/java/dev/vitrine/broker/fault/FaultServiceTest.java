package dev.vitrine.broker.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.broker.net.DiskWorkers;
import dev.vitrine.broker.net.HttpListener;
import dev.vitrine.broker.net.Loops;
import dev.vitrine.broker.net.NettyShard;
import dev.vitrine.seam.Endpoint;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The commands by HTTP, good ones and bad ones, byte for byte. */
class FaultServiceTest {
  private static final String TOKEN = "0123456789abcdef";
  private final Loops loops = new Loops(1);
  private final FaultNetwork network = new FaultNetwork(loops.network);
  private final DiskWorkers workers = new DiskWorkers(1);
  private final HttpListener http =
      HttpListener.open(
          new NettyShard("vitrine-http", workers),
          new Endpoint("127.0.0.1", 0),
          TOKEN,
          new FaultService(network, new ApiFaults()));

  @AfterEach
  void close() {
    http.close();
    workers.close();
    loops.close();
  }

  /** The status and the body; nothing if there was no time for an answer. */
  private String say(String request) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", http.port())) {
      socket.setSoTimeout(30_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int body = answer.indexOf("\r\n\r\n");
      return body < 0 ? answer : answer.substring(9, 12) + " " + answer.substring(body + 4);
    }
  }

  private String say(String line, String host, String token, String body) throws IOException {
    return say(
        line
            + (" HTTP/1.1\r\nConnection: close\r\nHost: " + host)
            + (token == null ? "" : "\r\nAuthorization: Bearer " + token)
            + ("\r\nContent-Length: " + body.length() + "\r\n\r\n" + body));
  }

  private String post(String path) throws IOException {
    return say("POST " + path, "127.0.0.1:" + http.port(), TOKEN, "");
  }

  @Test
  void commandsBreakTheNodeAndAreListed() throws IOException {
    assertEquals("200 ", say("GET /faults", "localhost", null, ""));
    assertEquals("200 slow 250 ms\n", post("/faults/slow?delay=250"));
    assertEquals(250, network.faults().delayMs());
    String cuts = "3 both 127.0.0.1:9094 127.0.0.1:10094\n2 received h:1\n";
    assertEquals(
        "200 slow 250 ms\ncut 2 received h:1\ncut 3 both 127.0.0.1:9094 127.0.0.1:10094\n",
        say("POST /faults/cuts", "127.0.0.1", TOKEN, cuts));
    assertTrue(network.faults().holdsSending(new Endpoint("127.0.0.1", 10094)));
    assertTrue(!network.faults().holdsSending(new Endpoint("h", 1)));
    assertTrue(network.faults().holdsReceiving(new Endpoint("h", 1)));
    post("/faults/slow?delay=0");
    assertEquals("200 ", say("POST /faults/cuts", "127.0.0.1", TOKEN, ""));
    assertEquals(
        "200 fault PRODUCE topic t delay 5 ms error NOT_LEADER_OR_FOLLOWER, 3 times more\n",
        post("/faults/api?api=produce&topic=t&delay=5&times=3&error=not_leader_or_follower"));
    assertEquals(
        "200 fault PRODUCE topic t delay 5 ms error NOT_LEADER_OR_FOLLOWER, 3 times more\n"
            + "fault OFFSET_COMMIT group a b client c drop-answer\n",
        post("/faults/api?api=offset-commit&group=a%20b&client=c&drop=answer"));
    assertEquals(
        "200 fault OFFSET_COMMIT group a b client c drop-answer\n",
        post("/faults/api/clear?api=PRODUCE"));
    assertEquals("200 ", post("/faults/api/clear"));
  }

  @Test
  void whoMayNotOrAsksWronglyIsToldAndChangesNothing() throws IOException {
    String host = "127.0.0.1";
    assertEquals(
        "403 there is no such host here\n", say("GET /faults", "evil.example:80", TOKEN, ""));
    assertEquals("403 there is no such host here\n", say("GET /faults HTTP/1.1\r\n\r\n"));
    assertTrue(say("POST /faults/slow?delay=9", host, null, "").startsWith("401 "));
    assertTrue(say("POST /faults/slow?delay=9", host, TOKEN + "0", "").startsWith("401 "));
    assertEquals("405 only GET and POST\n", say("PUT /faults/slow", host, TOKEN, ""));
    assertEquals("405 not with this method\n", say("GET /faults/slow", host, TOKEN, ""));
    assertEquals("404 there is no /x here\n", post("/x"));
    assertEquals("400 delay is from 0 to 60000, not 60001\n", post("/faults/slow?delay=60001"));
    assertEquals("400 delay is from 0 to 60000, not null\n", post("/faults/slow"));
    assertEquals("400 delay is given more than once\n", post("/faults/slow?delay=1&delay=2"));
    assertEquals("400 there is no parameter x here\n", post("/faults/slow?delay=1&x=1"));
    assertEquals("400 there is no API X\n", post("/faults/api?api=X&drop=request"));
    assertEquals("400 there is no error NONE\n", post("/faults/api?api=FETCH&error=NONE"));
    assertEquals("400 drop is request or answer, not x\n", post("/faults/api?api=FETCH&drop=x"));
    assertEquals(
        "400 what is to happen? error, delay or drop says it\n", post("/faults/api?api=FETCH"));
    assertEquals(
        "400 not a cut link: 2 all h:1 (it is: ID both|sent|received HOST:PORT...)\n",
        say("POST /faults/cuts", host, TOKEN, "2 all h:1"));
    assertTrue(say("nonsense\r\n\r\n").startsWith("400 "));
    assertTrue(
        say("POST /faults/cuts HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 70000\r\n\r\n")
            .startsWith("413 "));
    String tooLong = say("GET /" + "x".repeat(5_000), host, TOKEN, "");
    assertTrue(tooLong.isEmpty() || tooLong.startsWith("400 "), tooLong);
    assertEquals("200 ", say("GET /faults", host, null, ""));
  }
}
