package dev.vitrine.controller;

import dev.vitrine.metadata.ConfigResource;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.ClearElrRecord;
import dev.vitrine.protocol.message.ConfigRecord;
import java.util.Map;

/**
 * Keeps {@code min.insync.replicas} and the eligible leader replicas true to one another (KIP-966):
 * who is eligible was found under one value of the key, for the whole cluster, so that a broker
 * can't have its own, and a new value makes nobody eligible. On the quorum loop.
 */
final class ElrControl {
  private final ControllerConfig config;

  ElrControl(ControllerConfig config) {
    this.config = config;
  }

  /** What a cluster without such a value starts with: this node's {@code server.properties}. */
  static ConfigRecord clusterMinInSync(ControllerConfig config) {
    return minInSync("", Integer.toString(config.minInSyncReplicas()));
  }

  private static ConfigRecord minInSync(String broker, String value) {
    return new ConfigRecord()
        .resourceType(ConfigResource.BROKER)
        .resourceName(broker)
        .name(TopicRules.MIN_IN_SYNC)
        .value(value);
  }

  /** Before the feature goes up: one value for all brokers, none for a single one. */
  void enable(Draft draft) {
    if (!isSet(draft.image(), ConfigResource.defaultBroker())) {
      draft.add(clusterMinInSync(config));
    }
    for (ConfigResource resource : draft.image().configs().resources().keySet()) {
      if (resource.type() == ConfigResource.BROKER
          && !resource.name().isEmpty()
          && isSet(draft.image(), resource)) {
        draft.add(minInSync(resource.name(), null));
      }
    }
  }

  private static boolean isSet(MetadataImage image, ConfigResource resource) {
    return image.configs().of(resource).containsKey(TopicRules.MIN_IN_SYNC);
  }

  /**
   * Before the feature goes down. Where nobody is in sync any more, those that are eligible take
   * their place, since the in-sync set is then all that says who may lead; elsewhere nobody stays
   * eligible.
   */
  void disable(Draft draft) {
    MetadataImage before = draft.image();
    boolean any = false;
    for (TopicImage topic : before.topics().all()) {
      for (Map.Entry<Integer, PartitionImage> e : topic.partitions().entrySet()) {
        PartitionImage p = e.getValue();
        any |= !p.elr().isEmpty() || !p.lastKnownElr().isEmpty();
        if (p.isr().isEmpty() && !p.elr().isEmpty()) {
          draft.add(
              new PartitionUpdate(topic.id(), e.getKey(), p, b -> Leadership.mayLead(before, p, b))
                  .isr(p.elr())
                  .record());
        }
      }
    }
    if (any) {
      draft.add(new ClearElrRecord());
    }
  }

  /**
   * Refuses what would give brokers a value of their own.
   *
   * @param value null if the key is to be removed
   * @throws ControllerException INVALID_CONFIG
   */
  void checkChange(MetadataImage image, ConfigResource resource, String key, String value) {
    if (!image.features().hasElr()
        || resource.type() != ConfigResource.BROKER
        || !key.equals(TopicRules.MIN_IN_SYNC)) {
      return;
    }
    if (!resource.name().isEmpty()) {
      throw new ControllerException(
          Errors.INVALID_CONFIG,
          "Broker-level min.insync.replicas cannot be altered while ELR is enabled.");
    }
    if (value == null) {
      throw new ControllerException(
          Errors.INVALID_CONFIG,
          "Cluster-level min.insync.replicas cannot be removed while ELR is enabled.");
    }
  }

  /** After a key was written: nobody stays eligible under another {@code min.insync.replicas}. */
  void changed(Draft draft, ConfigResource resource, String key) {
    if (draft.image().features().hasElr() && key.equals(TopicRules.MIN_IN_SYNC)) {
      draft.add(
          resource.type() == ConfigResource.TOPIC
              ? new ClearElrRecord().topicName(resource.name())
              : new ClearElrRecord());
    }
  }
}
