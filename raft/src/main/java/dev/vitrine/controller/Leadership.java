package dev.vitrine.controller;

import dev.vitrine.controller.PartitionUpdate.Election;
import dev.vitrine.metadata.BrokerRegistration;
import dev.vitrine.metadata.ConfigResource;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.PartitionChangeRecord;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Keeps leaders and in-sync sets true to which brokers are there: everything that changes a
 * partition because a broker came, left or failed. Stateless; on the quorum loop.
 */
final class Leadership {
  private static final String UNCLEAN = "unclean.leader.election.enable";
  private final ControllerConfig config;

  Leadership(ControllerConfig config) {
    this.config = config;
  }

  /** An update of this partition with the rules of who may lead it. */
  PartitionUpdate update(
      MetadataImage image, TopicImage topic, int index, PartitionImage partition) {
    return new PartitionUpdate(topic.id(), index, partition, b -> mayLead(image, partition, b))
        .election(uncleanAllowed(image, topic.name()) ? Election.UNCLEAN : Election.ONLINE);
  }

  /** Takes the broker out of all in-sync sets and elects others where it led. */
  void brokerLeaves(Draft draft, int broker) {
    forEach(draft, p -> p.isr().contains(broker) || p.leader() == broker, broker);
  }

  /** The same only where the broker's replica is in a directory that does not work any more. */
  void directoriesFail(Draft draft, int broker, List<Uuid> offline) {
    forEach(
        draft,
        p ->
            (p.isr().contains(broker) || p.leader() == broker)
                && offline.contains(p.directory(broker)),
        broker);
  }

  /** Elects leaders where there is none, now that some broker may be able to. */
  void electMissing(Draft draft) {
    forEach(draft, p -> !p.hasLeader(), PartitionImage.NO_LEADER);
  }

  boolean hasLeaderships(MetadataImage image, int broker) {
    for (TopicImage topic : image.topics().all()) {
      for (PartitionImage p : topic.partitions().values()) {
        if (p.leader() == broker) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Gives leadership back to preferred replicas that are in sync, at most {@code limit} of them.
   *
   * @return whether there may be more
   */
  boolean balance(Draft draft, int limit) {
    MetadataImage before = draft.image();
    int moved = 0;
    for (TopicImage topic : before.topics().all()) {
      for (Map.Entry<Integer, PartitionImage> e : topic.partitions().entrySet()) {
        PartitionImage p = e.getValue();
        if (p.leader() == p.preferredReplica()) {
          continue;
        }
        PartitionChangeRecord record =
            new PartitionUpdate(topic.id(), e.getKey(), p, b -> mayLead(before, p, b))
                .election(Election.PREFERRED)
                .record();
        if (record != null) {
          if (moved == limit) {
            return true;
          }
          draft.add(record);
          moved++;
        }
      }
    }
    return false;
  }

  /** Active, and with the partition's directory at work. */
  static boolean mayLead(MetadataImage image, PartitionImage partition, int broker) {
    BrokerRegistration registration = image.broker(broker);
    if (registration == null || !registration.isActive()) {
      return false;
    }
    Uuid directory = partition.directory(broker);
    return directory != null && registration.hasOnlineDirectory(directory);
  }

  boolean uncleanAllowed(MetadataImage image, String topic) {
    String value = image.configs().topic(topic).get(UNCLEAN);
    if (value == null) {
      value = image.configs().of(ConfigResource.broker(config.nodeId())).get(UNCLEAN);
    }
    if (value == null) {
      value = image.configs().of(ConfigResource.defaultBroker()).get(UNCLEAN);
    }
    return value == null ? config.uncleanElection() : Boolean.parseBoolean(value.trim());
  }

  private void forEach(Draft draft, Predicate<PartitionImage> which, int leaving) {
    MetadataImage before = draft.image();
    for (TopicImage topic : before.topics().all()) {
      Election election = uncleanAllowed(before, topic.name()) ? Election.UNCLEAN : Election.ONLINE;
      for (Map.Entry<Integer, PartitionImage> e : topic.partitions().entrySet()) {
        PartitionImage p = e.getValue();
        if (!which.test(p)) {
          continue;
        }
        PartitionChangeRecord record =
            new PartitionUpdate(
                    topic.id(), e.getKey(), p, b -> b != leaving && mayLead(before, p, b))
                .election(election)
                .isr(p.isr().stream().filter(b -> b != leaving).toList())
                .record();
        if (record != null) {
          draft.add(record);
        }
      }
    }
  }
}
