package dev.vitrine.compat.chaos;

import dev.vitrine.broker.fault.CutLines;
import dev.vitrine.broker.fault.LinkFaults.Cut;
import dev.vitrine.compat.ClusterUnderTest;
import dev.vitrine.seam.Endpoint;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Vitrine's nodes can cut and slow themselves: what {@code ./vitrine cut} and {@code slow} do, on
 * nodes that no {@code ./vitrine up} has made.
 */
final class NodeFaults implements LineFaults {
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final int TRIES = 15;

  private final ClusterUnderTest cluster;
  private final HttpClient http = HttpClient.newBuilder().connectTimeout(PATIENCE).build();

  NodeFaults(ClusterUnderTest cluster) {
    this.cluster = cluster;
  }

  @Override
  public void cut(int one, int other) throws Exception {
    change(one, other, true);
    change(other, one, true);
  }

  @Override
  public void heal(int one, int other) throws Exception {
    change(one, other, false);
    change(other, one, false);
  }

  /** The file first, where a node that is down finds it when it starts. */
  private void change(int node, int other, boolean cut) throws Exception {
    Path file = cluster.nodeDir(node).resolve(CutLines.FILE);
    Map<Integer, Cut> cuts =
        Files.exists(file) ? CutLines.read(Files.readString(file)) : new TreeMap<>();
    if (cut) {
      cuts.put(other, new Cut(true, true, endpoints(other)));
    } else {
      cuts.remove(other);
    }
    StringBuilder lines = new StringBuilder();
    cuts.forEach((id, c) -> lines.append(CutLines.line(id, c)).append('\n'));
    Files.writeString(file, lines);
    post(node, "/faults/cuts", lines.toString());
  }

  private List<Endpoint> endpoints(int node) {
    return List.of(
        new Endpoint(cluster.host(node), cluster.clientPort(node)),
        new Endpoint(cluster.host(node), cluster.controllerPort(node)));
  }

  @Override
  public void slow(int node, int delayMs) throws Exception {
    post(node, "/faults/slow?delay=" + delayMs, "");
  }

  @Override
  public void fast(int node) throws Exception {
    slow(node, 0);
  }

  /** Until the node has heard it; one that is starting may not listen yet, a paused one never. */
  private void post(int node, String path, String body) throws Exception {
    for (int tries = 1; cluster.isRunning(node); tries++) {
      try {
        Path folder = cluster.nodeDir(node);
        String port = Files.readString(folder.resolve("http.port")).strip();
        String token = Files.readString(folder.resolve("http.token")).strip();
        HttpRequest request =
            HttpRequest.newBuilder(URI.create("http://" + cluster.host(node) + ":" + port + path))
                .timeout(PATIENCE)
                .header("Authorization", "Bearer " + token)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() == 200) {
          return;
        }
        throw new IOException(answer.statusCode() + " " + answer.body());
      } catch (IOException e) {
        if (cluster.isPaused(node)) {
          return; // what was sent waits for it
        }
        if (tries == TRIES) {
          throw e;
        }
        Thread.sleep(PATIENCE.toMillis());
      }
    }
  }
}
