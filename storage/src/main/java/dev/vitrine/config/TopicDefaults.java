package dev.vitrine.config;

/** What a topic gets that is created without saying so itself. */
public record TopicDefaults(
    boolean autoCreate, boolean deleteEnabled, int numPartitions, int replicationFactor) {

  static TopicDefaults of(ConfigValues v) {
    return new TopicDefaults(
        v.bool("auto.create.topics.enable"),
        v.bool("delete.topic.enable"),
        v.int32("num.partitions"),
        v.int32("default.replication.factor"));
  }
}
