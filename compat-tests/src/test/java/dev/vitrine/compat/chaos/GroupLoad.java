package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.CommitAsked;
import dev.vitrine.compat.chaos.Event.CommitSent;
import dev.vitrine.compat.chaos.Event.CommitTold;
import dev.vitrine.compat.chaos.Event.Done;
import dev.vitrine.compat.chaos.Event.Failed;
import dev.vitrine.compat.chaos.Event.Owned;
import dev.vitrine.compat.chaos.Event.Polled;
import dev.vitrine.compat.chaos.Event.Positioned;
import dev.vitrine.compat.chaos.Event.ReaderStarted;
import dev.vitrine.compat.chaos.Event.Released;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;

/** A member of a group that commits what it has been given, after each poll. */
public final class GroupLoad implements Load, ConsumerRebalanceListener {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Recorder recorder;
  private final String name;
  private final String group;
  private final KafkaConsumer<String, String> consumer;
  private final LoadThread thread;
  private final String protocol;

  /** In which generation each was owned last; any thread may read it. */
  private final Map<TopicPartition, Integer> owned = new ConcurrentHashMap<>();

  private volatile boolean fallsSilent;

  /** Given, and not yet committed: a commit that failed is tried again with what came since. */
  private final Map<TopicPartition, OffsetAndMetadata> due = new LinkedHashMap<>();

  /** Assigned, and the committed offset could not be asked for: the first record will show it. */
  private final Set<TopicPartition> withoutPosition = new HashSet<>();

  /**
   * @param config what differs from the client's defaults
   */
  public GroupLoad(Site site, String name, String group, Map<String, Object> config) {
    this.recorder = site.recorder();
    this.name = name;
    this.group = group;
    Map<String, Object> all = new TreeMap<>(config);
    all.put("group.id", group);
    all.put("client.id", name);
    all.put("enable.auto.commit", false);
    this.protocol = String.valueOf(all.getOrDefault("group.protocol", "classic"));
    this.consumer = site.clients().consumer(all);
    recorder.write(new ReaderStarted(name, group));
    consumer.subscribe(site.topics().names(), this);
    this.thread = new LoadThread(name, this::step, this::closeConsumer);
    thread.start();
  }

  private void step() {
    ConsumerRecords<String, String> records = consumer.poll(POLL);
    for (TopicPartition partition : records.partitions()) {
      List<Event.Item> items = Polls.items(records, partition);
      if (withoutPosition.remove(partition)) {
        recorder.write(new Positioned(name, partition, items.get(0).offset(), "found itself"));
      }
      recorder.write(new Polled(name, partition, items));
      due.put(partition, new OffsetAndMetadata(items.get(items.size() - 1).offset() + 1));
    }
    if (!due.isEmpty()) {
      commit();
    }
  }

  private void commit() {
    Map<TopicPartition, Long> calls = new LinkedHashMap<>();
    due.forEach(
        (partition, offset) ->
            calls.put(
                partition,
                recorder.write(new CommitSent(name, group, partition, offset.offset()))));
    try {
      consumer.commitSync(due, PATIENCE);
      due.clear();
      calls.values().forEach(call -> recorder.write(new Done(call)));
    } catch (CommitFailedException | RebalanceInProgressException e) {
      // No member any more, or about to be one of another generation.
      calls.values().forEach(call -> recorder.write(new Failed(call, true, e.toString())));
    } catch (RetriableException e) {
      calls.values().forEach(call -> recorder.write(new Failed(call, false, e.toString())));
    }
  }

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
    own(partitions);
    own(consumer.assignment());
    for (TopicPartition partition : partitions) {
      long call = recorder.write(new CommitAsked(name, group, partition));
      try {
        // Where the group has committed nothing it is 0, as its offset reset says.
        long position = consumer.position(partition, PATIENCE);
        recorder.write(new CommitTold(call, position));
        recorder.write(new Positioned(name, partition, position, "assigned"));
        withoutPosition.remove(partition);
      } catch (KafkaException e) {
        recorder.write(new Failed(call, false, e.toString()));
        withoutPosition.add(partition);
      }
    }
  }

  /** What is kept is owned in the new generation too. */
  private void own(Collection<TopicPartition> partitions) {
    ConsumerGroupMetadata me = consumer.groupMetadata();
    for (TopicPartition partition : partitions) {
      Integer before = owned.put(partition, me.generationId());
      if (before == null || before != me.generationId()) {
        recorder.write(
            new Owned(name, group, protocol, me.memberId(), me.generationId(), partition));
      }
    }
  }

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
    release(partitions, false);
  }

  @Override
  public void onPartitionsLost(Collection<TopicPartition> partitions) {
    release(partitions, true);
  }

  private void release(Collection<TopicPartition> partitions, boolean lost) {
    for (TopicPartition partition : partitions) {
      if (owned.remove(partition) != null) {
        recorder.write(new Released(name, group, partition, lost));
      }
    }
    withoutPosition.removeAll(partitions);
    due.keySet().removeAll(partitions);
  }

  /** What it owns now; any thread may ask. */
  public Set<TopicPartition> owned() {
    return Set.copyOf(owned.keySet());
  }

  private void closeConsumer() {
    consumer.close(
        CloseOptions.timeout(PATIENCE)
            .withGroupMembershipOperation(
                fallsSilent
                    ? CloseOptions.GroupMembershipOperation.REMAIN_IN_GROUP
                    : CloseOptions.GroupMembershipOperation.DEFAULT));
  }

  /** It is to leave the group, which takes its time. {@link #close} waits for that. */
  public void leave() {
    thread.tell();
  }

  /** It is to end as if it had crashed: the group does not hear of it. */
  public void crash() {
    fallsSilent = true;
    thread.tell();
  }

  @Override
  public void close() {
    thread.end();
  }
}
