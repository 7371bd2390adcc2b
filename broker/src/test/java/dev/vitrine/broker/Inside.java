package dev.vitrine.broker;

import dev.vitrine.broker.partition.Partition;
import dev.vitrine.broker.replication.LocalReplicas;
import dev.vitrine.config.KafkaConfig;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.seam.Disk;
import dev.vitrine.storage.LogDirectory;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** What a simulation needs of a node's inside, and nobody else: opened here for tests alone. */
public final class Inside {
  private Inside() {}

  /** As {@link Format#format}, on any disk. */
  public static void format(
      Disk disk, RandomGenerator random, long nowMs, KafkaConfig config, String clusterId) {
    new Format(disk, random, nowMs).format(config, clusterId);
  }

  /** As a process does before it starts its node. */
  public static List<LogDirectory> open(Disk disk, KafkaConfig config) {
    return Main.open(disk, config.node()).online();
  }

  /** All replicas of a node, whatever their shard; only where one thread runs all shards. */
  public static List<Partition> partitions(Node node) {
    if (node.broker() == null) {
      return List.of();
    }
    List<Partition> all = new ArrayList<>();
    for (LocalReplicas shard : node.broker().replicas().shards()) {
      all.addAll(shard.all());
    }
    return all;
  }

  /** Of its registration in this life; -1 before. */
  public static long brokerEpoch(Node node) {
    return node.broker() == null ? -1 : node.broker().brokerEpoch();
  }

  public static MetadataImage metadata(Node node) {
    return node.metadata().get();
  }
}
