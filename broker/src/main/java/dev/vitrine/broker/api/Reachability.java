package dev.vitrine.broker.api;

import dev.vitrine.metadata.BrokerRegistration;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.protocol.Errors;
import java.util.ArrayList;
import java.util.List;

/**
 * Which brokers a client of one listener can reach, by one image; what Metadata and
 * DescribeTopicPartitions say of leaders and replicas.
 */
record Reachability(MetadataImage image, String listener) {
  /** NONE if the leader can be reached; otherwise why not. */
  Errors leaderError(PartitionImage p) {
    if (image.aliveEndpoint(p.leader(), listener) != null) {
      return Errors.NONE;
    }
    BrokerRegistration b = image.broker(p.leader());
    return b != null && !b.fenced() ? Errors.LISTENER_NOT_FOUND : Errors.LEADER_NOT_AVAILABLE;
  }

  List<Integer> reachable(List<Integer> brokers) {
    List<Integer> all = new ArrayList<>(brokers);
    all.removeIf(id -> image.aliveEndpoint(id, listener) == null);
    return all;
  }

  /** Replicas on brokers that are not there, or in directories that have failed. */
  List<Integer> offline(PartitionImage p) {
    List<Integer> all = new ArrayList<>();
    for (int id : p.replicas()) {
      BrokerRegistration b = image.broker(id);
      if (b == null || b.fenced() || !b.hasOnlineDirectory(p.directory(id))) {
        all.add(id);
      }
    }
    return all;
  }
}
