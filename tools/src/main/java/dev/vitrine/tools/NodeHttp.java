package dev.vitrine.tools;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Tells one running node something by its HTTP listener, on a plain blocking socket: HTTP of the
 * JDK takes longer to load than all else of a command.
 */
final class NodeHttp {
  private static final int TIMEOUT_MS = 5_000;

  private NodeHttp() {}

  /**
   * What the node answers to a GET.
   *
   * @throws IOException if it does not answer, or does not know this path
   * @throws CommandFailure with its own words, if it refuses
   */
  static String get(NodeDirectory node, String path) throws IOException {
    return ask(node, "GET", path, "", TIMEOUT_MS);
  }

  static String post(NodeDirectory node, String path, Map<String, String> parameters, String body)
      throws IOException {
    String query =
        parameters.entrySet().stream()
            .map(e -> e.getKey() + "=" + URLEncoder.encode(e.getValue(), StandardCharsets.UTF_8))
            .collect(Collectors.joining("&"));
    return ask(node, "POST", query.isEmpty() ? path : path + "?" + query, body, TIMEOUT_MS);
  }

  /** Leaves it to the node to hear of it when it can: it is paused. */
  static void leave(NodeDirectory node, String path, String body) throws IOException {
    ask(node, "POST", path, body, 0);
  }

  private static String ask(
      NodeDirectory node, String method, String path, String body, int timeoutMs)
      throws IOException {
    int port = Integer.parseInt(read(node.path().resolve("http.port")));
    byte[] content = body.getBytes(StandardCharsets.UTF_8);
    String head =
        method
            + (" " + path + " HTTP/1.1\r\nHost: " + ClusterPlan.HOST + ":" + port)
            + ("\r\nAuthorization: Bearer " + read(node.path().resolve("http.token")))
            + ("\r\nContent-Length: " + content.length + "\r\nConnection: close\r\n\r\n");
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(ClusterPlan.HOST, port), TIMEOUT_MS);
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().write(content);
      if (timeoutMs == 0) {
        return "";
      }
      socket.setSoTimeout(timeoutMs);
      return answer(socket, node);
    }
  }

  private static String answer(Socket socket, NodeDirectory node) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    String status = in.readLine();
    if (status == null || !status.startsWith("HTTP/1.1 ")) {
      throw new IOException("no answer");
    }
    for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {}
    String text = in.lines().collect(Collectors.joining("\n"));
    if (status.startsWith("404", 9)) {
      throw new IOException("it has no fault points");
    }
    if (!status.startsWith("200", 9)) {
      throw CommandFailure.failed("node %d: %s", node.id(), text);
    }
    return text;
  }

  private static String read(Path file) throws IOException {
    return Files.readString(file).strip();
  }
}
