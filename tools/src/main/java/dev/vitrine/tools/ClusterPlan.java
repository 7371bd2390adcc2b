package dev.vitrine.tools;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How a cluster on this host is laid out: how many nodes, on which ports, with which configuration.
 * A value; it touches no file and no port.
 *
 * @param nodes how many nodes; their ids are 1 to nodes
 * @param port client port of node 1; node i has {@code port + i - 1}, and its controller 1000 more
 * @param config what the user set besides, which goes into every node's configuration as it is
 */
record ClusterPlan(int nodes, int port, Map<String, String> config) {
  static final String HOST = "127.0.0.1";
  private static final int CONTROLLER_PORTS = 1000;

  ClusterPlan {
    if (nodes < 1 || nodes > CONTROLLER_PORTS) {
      throw CommandFailure.usage("--nodes is from 1 to %d, not %d", CONTROLLER_PORTS, nodes);
    }
    if (port < 1 || port + CONTROLLER_PORTS + nodes - 1 > 65535) {
      throw CommandFailure.usage(
          "--port is from 1 to %d for %d nodes (the controllers' ports are %d higher), not %d",
          65535 - CONTROLLER_PORTS - nodes + 1, nodes, CONTROLLER_PORTS, port);
    }
  }

  int clientPort(int id) {
    return port + id - 1;
  }

  int controllerPort(int id) {
    return clientPort(id) + CONTROLLER_PORTS;
  }

  /** Addresses of all nodes, for a client's {@code bootstrap.servers}. */
  String bootstrapServers() {
    StringBuilder servers = new StringBuilder();
    for (int id = 1; id <= nodes; id++) {
      servers.append(id == 1 ? "" : ",").append(HOST).append(':').append(clientPort(id));
    }
    return servers.toString();
  }

  String voters() {
    StringBuilder voters = new StringBuilder();
    for (int id = 1; id <= nodes; id++) {
      voters.append(id == 1 ? "" : ",").append(id).append('@').append(HOST).append(':');
      voters.append(controllerPort(id));
    }
    return voters.toString();
  }

  /**
   * The configuration of one node, in Kafka's own keys.
   *
   * <p>The replication factors are written out because Kafka's defaults for a topic that is created
   * by the first use are one replica: with three nodes it would be lost with one of them.
   */
  Map<String, String> configurationOf(int id, NodeDirectory node) {
    String factor = String.valueOf(Math.min(3, nodes));
    String inSync = String.valueOf(Math.min(2, nodes));
    Map<String, String> keys = new LinkedHashMap<>();
    keys.put("process.roles", "broker,controller");
    keys.put("node.id", String.valueOf(id));
    keys.put("controller.quorum.voters", voters());
    keys.put(
        "listeners",
        "PLAINTEXT://%s:%d,CONTROLLER://%s:%d"
            .formatted(HOST, clientPort(id), HOST, controllerPort(id)));
    keys.put("controller.listener.names", "CONTROLLER");
    keys.put("log.dirs", node.data().toString());
    keys.putAll(faults(node));
    keys.put("default.replication.factor", factor);
    keys.put("min.insync.replicas", inSync);
    keys.put("offsets.topic.replication.factor", factor);
    keys.put("transaction.state.log.replication.factor", factor);
    keys.put("transaction.state.log.min.isr", inSync);
    keys.put("share.coordinator.state.topic.replication.factor", factor);
    keys.put("share.coordinator.state.topic.min.isr", inSync);
    config.forEach(
        (key, value) -> {
          refuseOwnKey(key);
          keys.put(key, value);
        });
    return keys;
  }

  /** What lets a node be broken: this is a cluster made for that. */
  static Map<String, String> faults(NodeDirectory node) {
    Map<String, String> keys = new LinkedHashMap<>();
    keys.put("vitrine.faults", "true");
    keys.put("vitrine.node.dir", node.path().toString());
    keys.put("vitrine.http.listener", HOST + ":0");
    return keys;
  }

  /** The keys that differ between the nodes or tie them together can't be set for all of them. */
  static void refuseOwnKey(String key) {
    switch (key) {
      case "process.roles",
          "node.id",
          "broker.id",
          "controller.quorum.voters",
          "controller.quorum.bootstrap.servers",
          "listeners",
          "advertised.listeners",
          "controller.listener.names",
          "log.dir",
          "log.dirs",
          "metadata.log.dir",
          "vitrine.node.dir",
          "vitrine.http.listener" ->
          throw CommandFailure.usage(
              "--config can't set %s: each node has its own, written by `vitrine up`", key);
      default -> {}
    }
  }
}
