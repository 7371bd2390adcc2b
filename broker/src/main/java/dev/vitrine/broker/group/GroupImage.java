package dev.vitrine.broker.group;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.message.GroupMetadataKey;
import dev.vitrine.protocol.message.GroupMetadataValue;
import dev.vitrine.protocol.message.LegacyOffsetCommitKey;
import dev.vitrine.protocol.message.LegacyOffsetCommitValue;
import dev.vitrine.protocol.message.OffsetCommitKey;
import dev.vitrine.protocol.message.OffsetCommitValue;
import java.util.Map;
import org.pcollections.HashTreePMap;
import org.pcollections.PMap;
import org.pcollections.PVector;
import org.pcollections.TreePVector;

/**
 * All that one partition of {@code __consumer_offsets} says at one offset. Immutable: a record
 * makes a new image, and {@link #with} is the only place that knows what a record means. Shared by
 * the coordinator, which keeps the one of the log's end and the committed one, and by the disk
 * worker that loads it.
 *
 * @param offsets by group and partition; no group has an empty map
 * @param groups the last metadata of each group of the classic protocol
 * @param consumers the groups of the consumer protocol (KIP-848); no group is in both
 * @param open offsets of transactions that have not ended, by producer id, in their order
 */
record GroupImage(
    PMap<String, PMap<TopicPartition, CommittedOffset>> offsets,
    PMap<String, GroupMetadataValue> groups,
    PMap<String, ConsumerGroupImage> consumers,
    PMap<Long, PVector<CoordinatorRecord>> open) {
  static final GroupImage EMPTY =
      new GroupImage(
          HashTreePMap.empty(), HashTreePMap.empty(), HashTreePMap.empty(), HashTreePMap.empty());

  /** The image after this record; the same one if the record is about something else. */
  GroupImage with(CoordinatorRecord r) {
    if (r.key() instanceof OffsetCommitKey k) {
      OffsetCommitValue v = (OffsetCommitValue) r.value();
      return withOffset(
          k.group(),
          new TopicPartition(k.topic(), k.partition()),
          v == null ? null : CommittedOffset.of(v));
    }
    if (r.key() instanceof LegacyOffsetCommitKey k) {
      LegacyOffsetCommitValue v = (LegacyOffsetCommitValue) r.value();
      return withOffset(
          k.group(), new TopicPartition(k.topic(), k.partition()), v == null ? null : legacy(v));
    }
    if (r.key() instanceof GroupMetadataKey k) {
      ApiMessage v = r.value();
      return new GroupImage(
          offsets,
          v == null ? groups.minus(k.group()) : groups.plus(k.group(), (GroupMetadataValue) v),
          v == null ? consumers : consumers.minus(k.group()),
          open);
    }
    String group = ConsumerGroupImage.groupOf(r);
    return group == null ? this : withConsumer(group, r);
  }

  private GroupImage withConsumer(String group, CoordinatorRecord r) {
    ConsumerGroupImage before = consumers.get(group);
    if (before == null && r.value() == null) {
      return this; // compaction has taken what it belongs to
    }
    ConsumerGroupImage after = (before == null ? ConsumerGroupImage.NEW : before).with(r);
    return after == null
        ? new GroupImage(offsets, groups, consumers.minus(group), open)
        : new GroupImage(offsets, groups.minus(group), consumers.plus(group, after), open);
  }

  private static CommittedOffset legacy(LegacyOffsetCommitValue v) {
    return new CommittedOffset(
        v.offset(), -1, v.metadata(), v.commitTimestamp(), -1, dev.vitrine.protocol.Uuid.ZERO);
  }

  /** A record of a transaction: it counts when the transaction commits. */
  GroupImage withOpen(long producerId, CoordinatorRecord r) {
    PVector<CoordinatorRecord> before = open.getOrDefault(producerId, TreePVector.empty());
    return new GroupImage(offsets, groups, consumers, open.plus(producerId, before.plus(r)));
  }

  /** The end of a transaction. */
  GroupImage withEnd(long producerId, boolean commit) {
    PVector<CoordinatorRecord> records = open.get(producerId);
    if (records == null) {
      return this;
    }
    GroupImage image = new GroupImage(offsets, groups, consumers, open.minus(producerId));
    if (commit) {
      for (CoordinatorRecord r : records) {
        image = image.with(r);
      }
    }
    return image;
  }

  private GroupImage withOffset(String group, TopicPartition p, CommittedOffset o) {
    PMap<TopicPartition, CommittedOffset> before = offsetsOf(group);
    PMap<TopicPartition, CommittedOffset> after = o == null ? before.minus(p) : before.plus(p, o);
    return new GroupImage(
        after.isEmpty() ? offsets.minus(group) : offsets.plus(group, after),
        groups,
        consumers,
        open);
  }

  /** Empty if the group has committed nothing. */
  PMap<TopicPartition, CommittedOffset> offsetsOf(String group) {
    return offsets.getOrDefault(group, HashTreePMap.empty());
  }

  /** Null if there is none. */
  CommittedOffset offset(String group, TopicPartition p) {
    return offsetsOf(group).get(p);
  }

  /** Whether a transaction that has not ended has an offset for this partition. */
  boolean isUnstable(String group, TopicPartition p) {
    for (Map.Entry<Long, PVector<CoordinatorRecord>> e : open.entrySet()) {
      for (CoordinatorRecord r : e.getValue()) {
        if (r.key() instanceof OffsetCommitKey k
            && k.group().equals(group)
            && k.partition() == p.partition()
            && k.topic().equals(p.topic())) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether a transaction that has not ended has offsets of this group. */
  boolean isInTransaction(String group) {
    for (PVector<CoordinatorRecord> records : open.values()) {
      for (CoordinatorRecord r : records) {
        if (r.key() instanceof OffsetCommitKey k && k.group().equals(group)) {
          return true;
        }
      }
    }
    return false;
  }
}
