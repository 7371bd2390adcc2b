package dev.vitrine.tools;

import dev.vitrine.broker.InitialQuorum;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * A cluster's folder, {@code DIR/node-1} to {@code DIR/node-N}. All that is known of a cluster is
 * read from its nodes' own files; there is no second place that could disagree with them. A cluster
 * exists once node 1's configuration does, which is written last.
 *
 * @param path absolute path
 */
record ClusterDirectory(Path path) {
  static final Path DEFAULT = Path.of("vitrine-data");

  /** Formats of a node's data what isn't: {@code meta.properties}, the first metadata records. */
  interface Format {
    /**
     * @throws IOException if the files can't be written
     */
    void format(Path configuration, String clusterId, InitialQuorum quorum) throws IOException;
  }

  static ClusterDirectory of(Path path) {
    Path absolute = path.toAbsolutePath().normalize();
    if (absolute.toString().contains(",")) {
      throw CommandFailure.usage(
          "the data folder %s has a comma in its name, which log.dirs can't hold", absolute);
    }
    return new ClusterDirectory(absolute);
  }

  NodeDirectory node(int id) {
    return new NodeDirectory(id, path.resolve("node-" + id));
  }

  List<NodeDirectory> nodes(ClusterPlan plan) {
    return IntStream.rangeClosed(1, plan.nodes()).mapToObj(this::node).toList();
  }

  boolean exists() {
    return Files.exists(node(1).configuration());
  }

  /**
   * Reads what {@link #create} wrote, with what the user changed since.
   *
   * @throws CommandFailure naming the file, if the folder is damaged
   */
  ClusterPlan read() {
    Properties first = Configuration.read(node(1).configuration());
    int nodes = first.getProperty("controller.quorum.voters", "").split(",").length;
    ClusterPlan plan = new ClusterPlan(nodes, clientPort(node(1)), Map.of());
    String clusterId = null;
    for (NodeDirectory node : nodes(plan)) {
      Properties properties = Configuration.read(node.configuration());
      if (!properties.getProperty("node.id", "").strip().equals(String.valueOf(node.id()))) {
        throw CommandFailure.failed(
            "%s is damaged: node.id is not %d", node.configuration(), node.id());
      }
      if (clientPort(node) != plan.clientPort(node.id())) {
        throw CommandFailure.failed(
            "%s is damaged: its client port is not %d",
            node.configuration(), plan.clientPort(node.id()));
      }
      String id = requireClusterId(node);
      if (clusterId != null && !clusterId.equals(id)) {
        throw CommandFailure.failed(
            "%s is damaged: it belongs to cluster %s, node 1 to cluster %s",
            node.path(), id, clusterId);
      }
      clusterId = id;
    }
    return plan;
  }

  private static String requireClusterId(NodeDirectory node) {
    return node.clusterId()
        .orElseThrow(
            () ->
                CommandFailure.failed(
                    "%s is damaged: meta.properties is missing; what was there can't be trusted."
                        + " Move the whole data folder away to start anew",
                    node.data()));
  }

  private static int clientPort(NodeDirectory node) {
    String listeners = Configuration.read(node.configuration()).getProperty("listeners", "");
    for (String listener : listeners.split(",")) {
      String address = listener.strip();
      if (address.startsWith("PLAINTEXT://")) {
        try {
          return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        } catch (NumberFormatException e) {
          break;
        }
      }
    }
    throw CommandFailure.failed(
        "%s is damaged: no PLAINTEXT://HOST:PORT in listeners", node.configuration());
  }

  /** Writes configurations and formats data. A start that was cut short goes on where it was. */
  void create(ClusterPlan plan, Format format) {
    try {
      List<NodeDirectory> nodes = nodes(plan);
      String clusterId =
          nodes.stream()
              .map(NodeDirectory::clusterId)
              .flatMap(Optional::stream)
              .findFirst()
              .orElseGet(ClusterDirectory::randomId);
      for (int id = plan.nodes(); id >= 1; id--) {
        NodeDirectory node = node(id);
        Files.createDirectories(node.path());
        Path draft = node.path().resolve("server.properties.draft");
        Configuration.write(draft, plan.configurationOf(id, node));
        format.format(draft, clusterId, InitialQuorum.UNSAID);
        Files.move(draft, node.configuration(), StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (IOException e) {
      throw CommandFailure.failed("%s can't be written: %s", path, e);
    }
  }

  /**
   * A fresh cluster id, in Kafka's form. It never starts with a dash, which looks like an option.
   */
  static String randomId() {
    while (true) {
      UUID id = UUID.randomUUID();
      ByteBuffer bytes = ByteBuffer.allocate(16);
      bytes.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
      String text = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
      if (!text.startsWith("-")) {
        return text;
      }
    }
  }
}
