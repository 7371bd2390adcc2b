package dev.vitrine.broker.api;

import dev.vitrine.metadata.BrokerEndpoint;
import dev.vitrine.metadata.BrokerRegistration;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.Errors;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Where the leaders are that an answer names, so that a client need not ask for the metadata first
 * (KIP-951). Confined to one answer.
 */
final class NodeEndpoints {
  record Node(int id, String host, int port, String rack) {}

  private final MetadataImage image;
  private final String listener;
  private final TreeSet<Integer> ids = new TreeSet<>();

  NodeEndpoints(MetadataImage image, String listener) {
    this.image = image;
    this.listener = listener;
  }

  /** Whether an answer with this error names the leader. */
  static boolean tellsLeader(Errors error) {
    return error == Errors.NOT_LEADER_OR_FOLLOWER || error == Errors.FENCED_LEADER_EPOCH;
  }

  void add(int brokerId) {
    if (brokerId >= 0) {
      ids.add(brokerId);
    }
  }

  /** Those that are alive. */
  List<Node> found() {
    List<Node> nodes = new ArrayList<>();
    for (int id : ids) {
      BrokerEndpoint at = image.aliveEndpoint(id, listener);
      if (at != null) {
        BrokerRegistration b = image.broker(id);
        nodes.add(new Node(id, at.host(), at.port(), b.rack()));
      }
    }
    return nodes;
  }
}
