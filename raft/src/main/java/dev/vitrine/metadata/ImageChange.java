package dev.vitrine.metadata;

import dev.vitrine.protocol.Uuid;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.pcollections.PMap;

/**
 * What differs between two images that follow one another, for those who act upon changes.
 * Immutable. A topic that was deleted and created again appears as both, under its two ids.
 *
 * @param partitions all that are new, gone or different, those of created and deleted topics too
 * @param brokers ids of brokers that are new, gone or different, ascending
 * @param configs resources whose values differ, sorted
 * @param features whether a finalised level differs
 * @param security whether ACLs, credentials, tokens or quotas differ
 */
public record ImageChange(
    MetadataImage before,
    MetadataImage after,
    List<TopicImage> createdTopics,
    List<TopicImage> deletedTopics,
    List<PartitionChange> partitions,
    List<Integer> brokers,
    List<ConfigResource> configs,
    boolean features,
    boolean security) {

  /**
   * Compares the two. What they share is not looked into, so this costs little more than a look at
   * each topic and broker; after a batch of records {@link ImageLoader} looks only at what the
   * batch touched.
   */
  public static ImageChange between(MetadataImage before, MetadataImage after) {
    Touched touched = new Touched();
    if (before.topics() != after.topics()) {
      before.topics().all().forEach(t -> touched.topic(t.id()));
      after.topics().all().forEach(t -> touched.topic(t.id()));
    }
    touched.brokers.addAll(before.cluster().brokers().keySet());
    touched.brokers.addAll(after.cluster().brokers().keySet());
    touched.configs.addAll(before.configs().resources().keySet());
    touched.configs.addAll(after.configs().resources().keySet());
    return touched.change(before, after);
  }

  /** Whether nothing differs but the offset. */
  public boolean isEmpty() {
    return createdTopics.isEmpty()
        && deletedTopics.isEmpty()
        && partitions.isEmpty()
        && brokers.isEmpty()
        && configs.isEmpty()
        && !features
        && !security;
  }

  /** Keys that may have changed. Filled record by record, then compared for good. */
  static final class Touched {
    /** Of each topic the partitions; null for all of them. */
    private final TreeMap<Uuid, TreeSet<Integer>> topics = new TreeMap<>();

    final TreeSet<Integer> brokers = new TreeSet<>();
    final TreeSet<ConfigResource> configs = new TreeSet<>();

    void topic(Uuid id) {
      topics.put(id, null);
    }

    void partition(Uuid topic, int index) {
      TreeSet<Integer> partitions = topics.get(topic);
      if (partitions != null) {
        partitions.add(index);
      } else if (!topics.containsKey(topic)) {
        topics.put(topic, new TreeSet<>(List.of(index)));
      }
    }

    ImageChange change(MetadataImage before, MetadataImage after) {
      List<TopicImage> created = new ArrayList<>();
      List<TopicImage> deleted = new ArrayList<>();
      List<PartitionChange> changed = new ArrayList<>();
      for (Map.Entry<Uuid, TreeSet<Integer>> topic : topics.entrySet()) {
        Uuid id = topic.getKey();
        TopicImage was = before.topic(id);
        TopicImage is = after.topic(id);
        if (was == is) {
          continue;
        }
        if (was == null) {
          created.add(is);
        } else if (is == null) {
          deleted.add(was);
        }
        if (was != null && is != null && topic.getValue() != null) {
          // One partition of a topic of thousands costs no look at all of them.
          topic.getValue().forEach(p -> addPartition(was, is, p, changed));
        } else {
          addPartitions(was, is, changed);
        }
      }
      List<Integer> changedBrokers = new ArrayList<>();
      for (int id : brokers) {
        if (!Objects.equals(before.broker(id), after.broker(id))) {
          changedBrokers.add(id);
        }
      }
      List<ConfigResource> changedConfigs = new ArrayList<>();
      for (ConfigResource resource : configs) {
        if (!before.configs().of(resource).equals(after.configs().of(resource))) {
          changedConfigs.add(resource);
        }
      }
      return new ImageChange(
          before,
          after,
          created,
          deleted,
          changed,
          changedBrokers,
          changedConfigs,
          !before.features().equals(after.features()),
          before.security() != after.security() && !before.security().equals(after.security()));
    }

    private static void addPartition(
        TopicImage was, TopicImage is, int index, List<PartitionChange> changed) {
      PartitionImage old = was.partition(index);
      PartitionImage now = is.partition(index);
      if (!Objects.equals(old, now)) {
        changed.add(new PartitionChange(is.name(), is.id(), index, old, now));
      }
    }

    private static void addPartitions(
        TopicImage was, TopicImage is, List<PartitionChange> changed) {
      TopicImage either = is == null ? was : is;
      PMap<Integer, PartitionImage> old = was == null ? null : was.partitions();
      if (old != null) {
        for (Map.Entry<Integer, PartitionImage> e : old.entrySet()) {
          PartitionImage now = is == null ? null : is.partition(e.getKey());
          if (now != e.getValue() && !e.getValue().equals(now)) {
            changed.add(
                new PartitionChange(either.name(), either.id(), e.getKey(), e.getValue(), now));
          }
        }
      }
      if (is != null) {
        for (Map.Entry<Integer, PartitionImage> e : is.partitions().entrySet()) {
          if (old == null || !old.containsKey(e.getKey())) {
            changed.add(
                new PartitionChange(either.name(), either.id(), e.getKey(), null, e.getValue()));
          }
        }
      }
    }
  }
}
