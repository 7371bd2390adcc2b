package dev.vitrine.broker.group;

import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.message.GroupMetadataKey;
import dev.vitrine.protocol.message.GroupMetadataValue;
import dev.vitrine.protocol.message.OffsetCommitKey;
import dev.vitrine.protocol.message.OffsetCommitValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Makes the records that Apache Kafka 4.4 writes, in the versions in which it writes them. */
final class GroupRecords {
  private static final int GROUP_METADATA_VERSION = 3;
  private static final int OFFSET_COMMIT_VERSION = 4;

  /** The only one that can carry a time of expiry. */
  private static final int OFFSET_COMMIT_EXPIRING_VERSION = 1;

  private GroupRecords() {}

  static CoordinatorRecord offset(String group, TopicPartition partition, CommittedOffset o) {
    OffsetCommitValue value =
        new OffsetCommitValue()
            .offset(o.offset())
            .leaderEpoch(o.leaderEpoch())
            .metadata(o.metadata())
            .commitTimestamp(o.commitTimestamp())
            .expireTimestamp(o.expireTimestamp())
            .topicId(o.topicId());
    boolean expires = o.expireTimestamp() != -1;
    return CoordinatorRecord.of(
        offsetKey(group, partition),
        value,
        expires ? OFFSET_COMMIT_EXPIRING_VERSION : OFFSET_COMMIT_VERSION);
  }

  static CoordinatorRecord offsetTombstone(String group, TopicPartition partition) {
    return CoordinatorRecord.tombstone(offsetKey(group, partition));
  }

  private static OffsetCommitKey offsetKey(String group, TopicPartition p) {
    return new OffsetCommitKey().group(group).topic(p.topic()).partition(p.partition());
  }

  /** A group that has just been made. */
  static CoordinatorRecord newGroup(ClassicGroup group) {
    return metadata(
        group.groupId(),
        new GroupMetadataValue()
            .protocolType("")
            .generation(0)
            .protocol(null)
            .leader(null)
            .currentStateTimestamp(group.stateTimestamp())
            .members(List.of()));
  }

  /** A group as it is, but with these assignments. */
  static CoordinatorRecord group(ClassicGroup group, Map<String, byte[]> assignments) {
    List<GroupMetadataValue.MemberMetadata> members = new ArrayList<>();
    for (ClassicMember m : group.members()) {
      members.add(
          new GroupMetadataValue.MemberMetadata()
              .memberId(m.memberId())
              .groupInstanceId(m.groupInstanceId())
              .clientId(m.clientId())
              .clientHost(m.clientHost())
              .rebalanceTimeout(m.rebalanceTimeoutMs())
              .sessionTimeout(m.sessionTimeoutMs())
              .subscription(m.metadata(group.protocolName()))
              .assignment(assignments.getOrDefault(m.memberId(), ClassicMember.NO_ASSIGNMENT)));
    }
    return metadata(
        group.groupId(),
        new GroupMetadataValue()
            .protocolType(group.protocolType() == null ? "" : group.protocolType())
            .generation(group.generation())
            .protocol(group.protocolName())
            .leader(group.leaderId())
            .currentStateTimestamp(group.stateTimestamp())
            .members(members));
  }

  private static CoordinatorRecord metadata(String group, GroupMetadataValue value) {
    return CoordinatorRecord.of(new GroupMetadataKey().group(group), value, GROUP_METADATA_VERSION);
  }

  static CoordinatorRecord groupTombstone(String group) {
    return CoordinatorRecord.tombstone(new GroupMetadataKey().group(group));
  }
}
