package dev.vitrine.broker.group;

import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.ConsumerGroupCurrentMemberAssignmentKey;
import dev.vitrine.protocol.message.ConsumerGroupCurrentMemberAssignmentValue;
import dev.vitrine.protocol.message.ConsumerGroupMemberMetadataKey;
import dev.vitrine.protocol.message.ConsumerGroupMemberMetadataValue;
import dev.vitrine.protocol.message.ConsumerGroupMetadataKey;
import dev.vitrine.protocol.message.ConsumerGroupMetadataValue;
import dev.vitrine.protocol.message.ConsumerGroupPartitionMetadataKey;
import dev.vitrine.protocol.message.ConsumerGroupRegularExpressionKey;
import dev.vitrine.protocol.message.ConsumerGroupRegularExpressionValue;
import dev.vitrine.protocol.message.ConsumerGroupTargetAssignmentMemberKey;
import dev.vitrine.protocol.message.ConsumerGroupTargetAssignmentMemberValue;
import dev.vitrine.protocol.message.ConsumerGroupTargetAssignmentMetadataKey;
import dev.vitrine.protocol.message.ConsumerGroupTargetAssignmentMetadataValue;
import org.pcollections.HashTreePMap;
import org.pcollections.PMap;
import org.pcollections.TreePMap;

/**
 * A consumer group (KIP-848) as its records have it. Immutable: a record makes a new image, and
 * {@link #with} is the only place that knows what a record means. What follows from it, such as who
 * is subscribed to what, is in {@link ConsumerGroupView}.
 *
 * @param targets what each member is to own, by member id; of a member that is gone it may be there
 *     a little longer
 * @param regexes patterns that were resolved, whether or not members still have them
 * @param owners which member owns a partition, or is still to give it up
 */
record ConsumerGroupImage(
    Epochs epochs,
    PMap<String, ConsumerMember> members,
    PMap<String, TargetAssignment> targets,
    PMap<String, ResolvedRegex> regexes,
    PMap<Uuid, PMap<Integer, String>> owners) {
  /**
   * @param group grows when members or their topics change; then a new target is wanted
   * @param metadataHash of the topics that it is subscribed to, see {@link MetadataHash}
   * @param hasPartitionMetadata whether the log has the record that older versions kept instead
   * @param target the group epoch that the target was computed for
   * @param targetTimestamp when, milliseconds since 1970; 0 if unknown
   */
  record Epochs(
      int group,
      long metadataHash,
      boolean hasPartitionMetadata,
      int target,
      long targetTimestamp) {}

  /** A group that is about to be made. */
  static final ConsumerGroupImage NEW =
      new ConsumerGroupImage(
          new Epochs(1, 0, false, 1, 0),
          TreePMap.empty(),
          TreePMap.empty(),
          TreePMap.empty(),
          HashTreePMap.empty());

  /** The group that the record is about, or null if it is not about a consumer group. */
  static String groupOf(CoordinatorRecord r) {
    if (r.key() instanceof ConsumerGroupMetadataKey k) {
      return k.groupId();
    } else if (r.key() instanceof ConsumerGroupMemberMetadataKey k) {
      return k.groupId();
    } else if (r.key() instanceof ConsumerGroupTargetAssignmentMetadataKey k) {
      return k.groupId();
    } else if (r.key() instanceof ConsumerGroupTargetAssignmentMemberKey k) {
      return k.groupId();
    } else if (r.key() instanceof ConsumerGroupCurrentMemberAssignmentKey k) {
      return k.groupId();
    } else if (r.key() instanceof ConsumerGroupRegularExpressionKey k) {
      return k.groupId();
    } else {
      return r.key() instanceof ConsumerGroupPartitionMetadataKey k ? k.groupId() : null;
    }
  }

  /** The group after the record; null if it is gone with it. */
  ConsumerGroupImage with(CoordinatorRecord r) {
    boolean tombstone = r.value() == null;
    if (r.key() instanceof ConsumerGroupMetadataKey) {
      return tombstone ? null : withGroup((ConsumerGroupMetadataValue) r.value());
    } else if (r.key() instanceof ConsumerGroupMemberMetadataKey k) {
      return tombstone
          ? without(k.memberId())
          : with(
              member(k.memberId())
                  .with(ConsumerMember.Profile.read((ConsumerGroupMemberMetadataValue) r.value())));
    } else if (r.key() instanceof ConsumerGroupTargetAssignmentMetadataKey) {
      return withTarget((ConsumerGroupTargetAssignmentMetadataValue) r.value());
    } else if (r.key() instanceof ConsumerGroupTargetAssignmentMemberKey k) {
      return withTarget(k.memberId(), (ConsumerGroupTargetAssignmentMemberValue) r.value());
    } else if (r.key() instanceof ConsumerGroupCurrentMemberAssignmentKey k) {
      return withCurrent(k.memberId(), (ConsumerGroupCurrentMemberAssignmentValue) r.value());
    } else if (r.key() instanceof ConsumerGroupRegularExpressionKey k) {
      return withRegex(k.regularExpression(), (ConsumerGroupRegularExpressionValue) r.value());
    } else if (r.key() instanceof ConsumerGroupPartitionMetadataKey) {
      return with(
          new Epochs(
              epochs.group,
              epochs.metadataHash,
              !tombstone,
              epochs.target,
              epochs.targetTimestamp));
    }
    return this;
  }

  private ConsumerGroupImage with(Epochs e) {
    return new ConsumerGroupImage(e, members, targets, regexes, owners);
  }

  private ConsumerGroupImage withGroup(ConsumerGroupMetadataValue v) {
    return with(
        new Epochs(
            v.epoch(),
            v.metadataHash(),
            epochs.hasPartitionMetadata,
            epochs.target,
            epochs.targetTimestamp));
  }

  private ConsumerGroupImage withTarget(ConsumerGroupTargetAssignmentMetadataValue v) {
    return with(
        new Epochs(
            epochs.group,
            epochs.metadataHash,
            epochs.hasPartitionMetadata,
            v == null ? -1 : v.assignmentEpoch(),
            v == null ? 0 : v.assignmentTimestamp()));
  }

  private ConsumerGroupImage withTarget(
      String memberId, ConsumerGroupTargetAssignmentMemberValue v) {
    PMap<String, TargetAssignment> after =
        v == null ? targets.minus(memberId) : targets.plus(memberId, TargetAssignment.read(v));
    return new ConsumerGroupImage(epochs, members, after, regexes, owners);
  }

  private ConsumerGroupImage withCurrent(
      String memberId, ConsumerGroupCurrentMemberAssignmentValue v) {
    if (v == null && !members.containsKey(memberId)) {
      return this;
    }
    return with(
        member(memberId)
            .with(v == null ? ConsumerMember.Current.GONE : ConsumerMember.Current.read(v)));
  }

  private ConsumerGroupImage withRegex(String regex, ConsumerGroupRegularExpressionValue v) {
    PMap<String, ResolvedRegex> after =
        v == null ? regexes.minus(regex) : regexes.plus(regex, ResolvedRegex.read(v));
    return new ConsumerGroupImage(epochs, members, targets, after, owners);
  }

  private ConsumerGroupImage with(ConsumerMember m) {
    ConsumerMember before = members.get(m.memberId());
    PMap<Uuid, PMap<Integer, String>> after = owners;
    if (before == null || !before.current().equals(m.current())) {
      after = before == null ? owners : disowned(before);
      after = owned(m.current().assigned(), m.memberId(), after);
      after = owned(m.current().revoking(), m.memberId(), after);
    }
    return new ConsumerGroupImage(epochs, members.plus(m.memberId(), m), targets, regexes, after);
  }

  private ConsumerGroupImage without(String memberId) {
    ConsumerMember before = members.get(memberId);
    return before == null
        ? this
        : new ConsumerGroupImage(
            epochs, members.minus(memberId), targets, regexes, disowned(before));
  }

  /** Compaction may leave a log in which another was given the partition before. */
  private PMap<Uuid, PMap<Integer, String>> disowned(ConsumerMember m) {
    Owners after = new Owners(owners);
    PartitionEpochs.Visitor remove =
        (topic, partition, epoch) -> {
          if (m.memberId().equals(after.get(topic, partition))) {
            after.remove(topic, partition);
          }
        };
    m.current().assigned().forEach(remove);
    m.current().revoking().forEach(remove);
    return after.map;
  }

  private static PMap<Uuid, PMap<Integer, String>> owned(
      PartitionEpochs partitions, String memberId, PMap<Uuid, PMap<Integer, String>> before) {
    Owners after = new Owners(before);
    partitions.forEach((topic, partition, epoch) -> after.put(topic, partition, memberId));
    return after.map;
  }

  /** The owners while they change. */
  private static final class Owners {
    PMap<Uuid, PMap<Integer, String>> map;

    Owners(PMap<Uuid, PMap<Integer, String>> map) {
      this.map = map;
    }

    String get(Uuid topic, int partition) {
      PMap<Integer, String> partitions = map.get(topic);
      return partitions == null ? null : partitions.get(partition);
    }

    void put(Uuid topic, int partition, String memberId) {
      map =
          map.plus(topic, map.getOrDefault(topic, HashTreePMap.empty()).plus(partition, memberId));
    }

    void remove(Uuid topic, int partition) {
      PMap<Integer, String> left = map.get(topic).minus(partition);
      map = left.isEmpty() ? map.minus(topic) : map.plus(topic, left);
    }
  }

  private ConsumerMember member(String memberId) {
    ConsumerMember m = members.get(memberId);
    return m == null ? ConsumerMember.of(memberId) : m;
  }

  /** Null if nobody owns it. */
  String owner(Uuid topic, int partition) {
    PMap<Integer, String> partitions = owners.get(topic);
    return partitions == null ? null : partitions.get(partition);
  }

  /** What the member is to own, by the newest target; nothing if that does not know it yet. */
  TargetAssignment target(String memberId) {
    return targets.getOrDefault(memberId, TargetAssignment.NONE);
  }
}
