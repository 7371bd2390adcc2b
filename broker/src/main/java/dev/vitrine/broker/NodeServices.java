package dev.vitrine.broker;

import dev.vitrine.broker.fault.ApiFaults;
import dev.vitrine.broker.observe.NodeMetrics;
import dev.vitrine.config.KafkaConfig;
import dev.vitrine.seam.Disk;
import dev.vitrine.seam.Network;
import dev.vitrine.seam.Shard;
import dev.vitrine.storage.LogDirectory;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * What the parts of one node stand on.
 *
 * @param shards own connections and partitions
 * @param quorumLoop owns raft, the controller and this node's relations with the controller
 * @param directories {@code log.dirs}, locked and of this node
 * @param offline those of {@code log.dirs} that could not be opened
 * @param hostName the machine's, for a listener on every address
 */
public record NodeServices(
    KafkaConfig config,
    String clusterId,
    Disk disk,
    Network network,
    List<Shard> shards,
    Shard quorumLoop,
    List<LogDirectory> directories,
    Set<Path> offline,
    String hostName,
    Probes probes) {
  /**
   * Of a node with all its directories that has no fault points, and whose metrics nobody asks for.
   */
  public NodeServices(
      KafkaConfig config,
      String clusterId,
      Disk disk,
      Network network,
      List<Shard> shards,
      Shard quorumLoop,
      List<LogDirectory> directories,
      String hostName) {
    this(
        config,
        clusterId,
        disk,
        network,
        shards,
        quorumLoop,
        directories,
        Set.of(),
        hostName,
        new Probes(null, new NodeMetrics()));
  }

  /** The fault points of the broker's APIs; null if there are none. */
  ApiFaults faults() {
    return probes.faults();
  }

  NodeMetrics metrics() {
    return probes.metrics();
  }
}
