package dev.vitrine.broker.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vitrine.seam.Endpoint;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Answers that take their time, and who may ask. */
class HttpListenerTest {
  private final DiskWorkers workers = new DiskWorkers(1);
  private HttpListener http;

  @AfterEach
  void close() {
    http.close();
    workers.close();
  }

  /** Answers /slow a while after it was asked, and everything else at once. */
  private void open(String host) {
    NettyShard loop = new NettyShard("vitrine-http", workers);
    http =
        HttpListener.open(
            loop,
            new Endpoint(host, 0),
            null,
            (question, answer) -> {
              Runnable done = () -> answer.accept(HttpAnswer.done(question.path() + "\n"));
              if (question.path().equals("/slow")) {
                loop.schedule(100, done);
              } else {
                done.run();
              }
            });
  }

  private String send(String requests) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", http.port())) {
      socket.setSoTimeout(30_000);
      socket.getOutputStream().write(requests.getBytes(StandardCharsets.UTF_8));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void answersKeepTheOrderOfTheRequests() throws IOException {
    open("127.0.0.1");
    String answers =
        send(
            "GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n"
                + "GET /fast HTTP/1.1\r\nHost: localhost\r\n\r\n"
                + "GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n"
                + "GET /last HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    List<String> paths = new ArrayList<>();
    Matcher m = Pattern.compile("(?m)^(/[a-z]+)$").matcher(answers);
    while (m.find()) {
      paths.add(m.group(1));
    }
    assertEquals(List.of("/slow", "/fast", "/slow", "/last"), paths);
  }

  @Test
  void aNameIsNotTakenOnALoopbackAddressAlone() throws IOException {
    String request = "GET /x HTTP/1.1\r\nHost: node-1:9404\r\nConnection: close\r\n\r\n";
    open("127.0.0.1");
    assertEquals("403", send(request).substring(9, 12));
    http.close();
    open("0.0.0.0");
    assertEquals("200", send(request).substring(9, 12));
  }

  @Test
  void withoutATokenNothingCanBeChanged() throws IOException {
    open("127.0.0.1");
    String post = "POST /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
    assertEquals("401", send(post + "\r\n").substring(9, 12));
    assertEquals("401", send(post + "Authorization: Bearer null\r\n\r\n").substring(9, 12));
    assertEquals("401", send(post + "Authorization: Bearer \r\n\r\n").substring(9, 12));
  }
}
