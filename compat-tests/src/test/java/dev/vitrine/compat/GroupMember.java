package dev.vitrine.compat;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * A stock consumer of a group, on a thread of its own, that notes what it owns and what it has
 * read. It commits by itself, and so before it gives anything up.
 */
final class GroupMember implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(50);

  /** What a whole group sees. */
  static final class Shared {
    final Set<String> read = ConcurrentHashMap.newKeySet();
    final Map<TopicPartition, String> owners = new ConcurrentHashMap<>();

    /** Empty as long as no partition was ever given to two at a time. */
    final Set<String> violations = ConcurrentHashMap.newKeySet();

    /** The highest offset for each partition that the coordinator has said it keeps. */
    final Map<TopicPartition, Long> committed = new ConcurrentHashMap<>();
  }

  private final String name;
  private final Shared shared;
  private final KafkaConsumer<String, String> consumer;
  private final boolean commits;
  private final Thread thread;
  private final Set<TopicPartition> owned = ConcurrentHashMap.newKeySet();
  private volatile boolean closing;
  private volatile Throwable failure;

  /** Begins at once. */
  GroupMember(
      String name,
      Shared shared,
      KafkaConsumer<String, String> consumer,
      Subscription subscription) {
    this(name, shared, consumer, subscription, false);
  }

  /**
   * @param commits whether it commits after each poll; its configuration is not to do so then
   */
  GroupMember(
      String name,
      Shared shared,
      KafkaConsumer<String, String> consumer,
      Subscription subscription,
      boolean commits) {
    this.name = name;
    this.commits = commits;
    this.shared = shared;
    this.consumer = consumer;
    this.thread = new Thread(() -> run(subscription), "member-" + name);
    thread.start();
  }

  interface Subscription {
    void apply(KafkaConsumer<String, String> consumer, ConsumerRebalanceListener listener);
  }

  static Subscription to(String topic) {
    return (consumer, listener) -> consumer.subscribe(Set.of(topic), listener);
  }

  private void run(Subscription subscription) {
    try (consumer) {
      subscription.apply(consumer, new Listener());
      while (!closing) {
        ConsumerRecords<String, String> records = consumer.poll(POLL);
        records.forEach(r -> shared.read.add(r.value()));
        if (commits && !records.isEmpty()) {
          commit(records.nextOffsets());
        }
      }
    } catch (Throwable e) {
      failure = e;
    }
  }

  private void commit(Map<TopicPartition, OffsetAndMetadata> offsets) {
    try {
      consumer.commitSync(offsets);
      offsets.forEach((p, o) -> shared.committed.merge(p, o.offset(), Math::max));
    } catch (CommitFailedException | RebalanceInProgressException | TimeoutException e) {
      // Others read it again.
    }
  }

  private final class Listener implements ConsumerRebalanceListener {
    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
      for (TopicPartition p : partitions) {
        String other = shared.owners.put(p, name);
        if (other != null && !other.equals(name)) {
          shared.violations.add(p + " was given to " + name + " while " + other + " had it");
        }
      }
      owned.addAll(partitions);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
      partitions.forEach(p -> shared.owners.remove(p, name));
      owned.removeAll(partitions);
    }
  }

  Set<TopicPartition> owned() {
    if (failure != null) {
      throw new AssertionError(name + " has failed", failure);
    }
    Set<TopicPartition> sorted =
        new TreeSet<>(
            Comparator.comparing(TopicPartition::topic).thenComparing(TopicPartition::partition));
    sorted.addAll(owned);
    return sorted;
  }

  /** Leaves the group. */
  @Override
  public void close() {
    closing = true;
    Await.end(thread);
    if (failure != null) {
      throw new AssertionError(name + " has failed", failure);
    }
  }
}
