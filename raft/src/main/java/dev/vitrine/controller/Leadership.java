package dev.vitrine.controller;

import dev.vitrine.controller.PartitionUpdate.Election;
import dev.vitrine.metadata.BrokerRegistration;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.PartitionChangeRecord;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * Keeps leaders and in-sync sets true to which brokers are there: everything that changes a
 * partition because a broker came, left or failed. Stateless; on the quorum loop.
 */
final class Leadership {
  private final TopicRules rules;

  Leadership(ControllerConfig config) {
    this.rules = new TopicRules(config);
  }

  /** An update of this partition with the rules of its topic and of who may lead it. */
  PartitionUpdate update(
      MetadataImage image, TopicImage topic, int index, PartitionImage partition) {
    PartitionUpdate update =
        new PartitionUpdate(topic.id(), index, partition, b -> mayLead(image, partition, b))
            .election(uncleanAllowed(image, topic.name()) ? Election.UNCLEAN : Election.ONLINE);
    return image.features().hasElr() ? update.keepElr(rules.minInSync(image, topic)) : update;
  }

  boolean uncleanAllowed(MetadataImage image, String topic) {
    return rules.uncleanElection(image, topic);
  }

  /**
   * Takes the broker out of all in-sync sets and elects others where it led. It stays eligible
   * where it is or becomes so.
   */
  void brokerLeaves(Draft draft, int broker) {
    forEach(draft, p -> p.isr().contains(broker) || p.leader() == broker, leaving(broker));
  }

  /** The same for one that may have lost what it had: it does not stay eligible either. */
  void brokerStoppedUncleanly(Draft draft, int broker) {
    forEach(
        draft,
        p -> p.isr().contains(broker) || p.elr().contains(broker) || p.leader() == broker,
        (p, update) -> update.uncleanlyStopped(broker));
  }

  /** The same only where the broker's replica is in a directory that does not work any more. */
  void directoriesFail(Draft draft, int broker, List<Uuid> offline) {
    forEach(
        draft,
        p ->
            (p.isr().contains(broker) || p.leader() == broker)
                && offline.contains(p.directory(broker)),
        leaving(broker));
  }

  /** Elects leaders where there is none, now that some broker may be able to. */
  void electMissing(Draft draft) {
    forEach(draft, p -> !p.hasLeader(), (p, update) -> {});
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
            update(before, topic, e.getKey(), p).election(Election.PREFERRED).record();
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

  private static BiConsumer<PartitionImage, PartitionUpdate> leaving(int broker) {
    return (p, update) ->
        update.without(broker).isr(p.isr().stream().filter(b -> b != broker).toList());
  }

  private void forEach(
      Draft draft,
      Predicate<PartitionImage> which,
      BiConsumer<PartitionImage, PartitionUpdate> change) {
    MetadataImage before = draft.image();
    for (TopicImage topic : before.topics().all()) {
      for (Map.Entry<Integer, PartitionImage> e : topic.partitions().entrySet()) {
        PartitionImage p = e.getValue();
        if (!which.test(p)) {
          continue;
        }
        PartitionUpdate update = update(before, topic, e.getKey(), p);
        change.accept(p, update);
        PartitionChangeRecord record = update.record();
        if (record != null) {
          draft.add(record);
        }
      }
    }
  }
}
