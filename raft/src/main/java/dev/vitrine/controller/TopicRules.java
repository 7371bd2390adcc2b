package dev.vitrine.controller;

import dev.vitrine.metadata.ConfigResource;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.TopicImage;

/**
 * The configuration in force for a topic, of the two keys by which the controller decides itself:
 * what is set for the topic, else for this node, else for all brokers, else this node's {@code
 * server.properties}. On the quorum loop.
 */
final class TopicRules {
  static final String UNCLEAN_ELECTION = "unclean.leader.election.enable";
  static final String MIN_IN_SYNC = "min.insync.replicas";

  private final ControllerConfig config;

  TopicRules(ControllerConfig config) {
    this.config = config;
  }

  boolean uncleanElection(MetadataImage image, String topic) {
    String value = value(image, topic, UNCLEAN_ELECTION);
    return value == null ? config.uncleanElection() : Boolean.parseBoolean(value.trim());
  }

  int minInSync(MetadataImage image, String topic) {
    String value = value(image, topic, MIN_IN_SYNC);
    return value == null ? config.minInSyncReplicas() : Integer.parseInt(value.trim());
  }

  /** As Kafka's controller counts: at most as many as the topic's first partition has replicas. */
  int minInSync(MetadataImage image, TopicImage topic) {
    return Math.min(minInSync(image, topic.name()), topic.partition(0).replicas().size());
  }

  private String value(MetadataImage image, String topic, String key) {
    String value = image.configs().topic(topic).get(key);
    if (value == null) {
      value = image.configs().of(ConfigResource.broker(config.nodeId())).get(key);
    }
    return value == null ? image.configs().of(ConfigResource.defaultBroker()).get(key) : value;
  }
}
