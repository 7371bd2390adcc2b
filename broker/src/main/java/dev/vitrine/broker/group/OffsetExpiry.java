package dev.vitrine.broker.group;

import dev.vitrine.config.GroupSettings;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.seam.Shard;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what nobody needs any more: offsets past their retention, groups without members and
 * offsets, and offsets of deleted topics. Belongs to the coordinator; goes over its groups a few at
 * a time, so that the shard's other work is not held up.
 */
final class OffsetExpiry {
  private static final Logger LOG = LoggerFactory.getLogger(OffsetExpiry.class);

  private static final int GROUPS_AT_ONCE = 100;

  /** Records of one batch; they need not be deleted all or none. */
  private static final int RECORDS_AT_ONCE = 1_000;

  private final PartitionCoordinator coordinator;
  private final LiveGroups groups;
  private final Shard shard;
  private final GroupSettings.Offsets settings;
  private final Deadline next;

  OffsetExpiry(PartitionCoordinator coordinator, LiveGroups groups) {
    this.coordinator = coordinator;
    this.groups = groups;
    this.shard = coordinator.context().shard();
    this.settings = coordinator.context().settings().offsets();
    this.next = new Deadline(shard);
  }

  void start() {
    next.set(
        settings.retentionCheckIntervalMs(),
        () -> {
          forEachGroup(this::expire);
          start();
        });
  }

  void close() {
    next.cancel();
  }

  /** A topic is gone for good: so are the offsets of it, but not those of another of its name. */
  void topicDeleted(String topic, Uuid topicId) {
    forEachGroup(id -> forget(id, topic, topicId));
  }

  private void forEachGroup(Consumer<String> what) {
    ArrayDeque<String> ids = new ArrayDeque<>();
    groups.all().forEach(g -> ids.add(g.groupId()));
    someGroups(ids, what);
  }

  private void someGroups(ArrayDeque<String> ids, Consumer<String> what) {
    if (!coordinator.isActive()) {
      return;
    }
    coordinator.run(
        () -> {
          for (int i = 0; i < GROUPS_AT_ONCE && !ids.isEmpty(); i++) {
            what.accept(ids.poll());
          }
        });
    if (!ids.isEmpty()) {
      shard.execute(() -> someGroups(ids, what));
    }
  }

  private void expire(String groupId) {
    Group group = groups.get(groupId);
    if (group == null) {
      return;
    }
    long now = shard.now();
    GroupImage tip = coordinator.tip();
    List<CoordinatorRecord> records = new ArrayList<>();
    int kept = 0;
    for (Map.Entry<TopicPartition, CommittedOffset> e : tip.offsetsOf(groupId).entrySet()) {
      if (!group.isSubscribedTo(e.getKey().topic())
          && group.isExpired(e.getValue(), now, settings.retentionMs())
          && !tip.isUnstable(groupId, e.getKey())) {
        records.add(GroupRecords.offsetTombstone(groupId, e.getKey()));
      } else {
        kept++;
      }
    }
    if (kept == 0
        && group.isEmpty()
        && group.stateName().equals(ClassicGroup.State.EMPTY.text)
        && !tip.isInTransaction(groupId)) {
      records.addAll(group.tombstones());
    }
    if (!records.isEmpty()) {
      LOG.info("[Group {}] {} records of expired offsets and groups", groupId, records.size());
      append(records);
    }
  }

  private void forget(String groupId, String topic, Uuid topicId) {
    List<CoordinatorRecord> records = new ArrayList<>();
    for (Map.Entry<TopicPartition, CommittedOffset> e :
        coordinator.tip().offsetsOf(groupId).entrySet()) {
      if (e.getKey().topic().equals(topic) && !e.getValue().isOfOther(topicId)) {
        records.add(GroupRecords.offsetTombstone(groupId, e.getKey()));
      }
    }
    if (!records.isEmpty()) {
      LOG.info(
          "[Group {}] {} offsets of the deleted topic {} are deleted",
          groupId,
          records.size(),
          topic);
      append(records);
    }
  }

  private void append(List<CoordinatorRecord> records) {
    for (int i = 0; i < records.size(); i += RECORDS_AT_ONCE) {
      coordinator.append(
          List.copyOf(records.subList(i, Math.min(records.size(), i + RECORDS_AT_ONCE))),
          error -> {
            if (error != Errors.NONE) {
              LOG.info("{}: cannot delete offsets now: {}", coordinator.log().name(), error);
            }
          });
    }
  }
}
