package dev.vitrine.broker.group;

import dev.vitrine.protocol.message.ConsumerGroupCurrentMemberAssignmentKey;
import dev.vitrine.protocol.message.ConsumerGroupMemberMetadataKey;
import dev.vitrine.protocol.message.ConsumerGroupMetadataKey;
import dev.vitrine.protocol.message.ConsumerGroupMetadataValue;
import dev.vitrine.protocol.message.ConsumerGroupPartitionMetadataKey;
import dev.vitrine.protocol.message.ConsumerGroupRegularExpressionKey;
import dev.vitrine.protocol.message.ConsumerGroupRegularExpressionValue;
import dev.vitrine.protocol.message.ConsumerGroupTargetAssignmentMemberKey;
import dev.vitrine.protocol.message.ConsumerGroupTargetAssignmentMetadataKey;
import dev.vitrine.protocol.message.ConsumerGroupTargetAssignmentMetadataValue;
import java.util.ArrayList;

/** Makes the records of consumer groups, as Apache Kafka 4.4 writes them. */
final class ConsumerGroupRecords {
  private ConsumerGroupRecords() {}

  static CoordinatorRecord group(String group, int epoch, long metadataHash) {
    return CoordinatorRecord.of(
        new ConsumerGroupMetadataKey().groupId(group),
        new ConsumerGroupMetadataValue().epoch(epoch).metadataHash(metadataHash),
        0);
  }

  static CoordinatorRecord groupTombstone(String group) {
    return CoordinatorRecord.tombstone(new ConsumerGroupMetadataKey().groupId(group));
  }

  /** What logs of before 4.1 have beside the group's record. */
  static CoordinatorRecord partitionMetadataTombstone(String group) {
    return CoordinatorRecord.tombstone(new ConsumerGroupPartitionMetadataKey().groupId(group));
  }

  static CoordinatorRecord member(String group, ConsumerMember m) {
    return CoordinatorRecord.of(memberKey(group, m.memberId()), m.profile().write(), 0);
  }

  static CoordinatorRecord memberTombstone(String group, String member) {
    return CoordinatorRecord.tombstone(memberKey(group, member));
  }

  private static ConsumerGroupMemberMetadataKey memberKey(String group, String member) {
    return new ConsumerGroupMemberMetadataKey().groupId(group).memberId(member);
  }

  static CoordinatorRecord current(String group, ConsumerMember m) {
    return CoordinatorRecord.of(currentKey(group, m.memberId()), m.current().write(), 0);
  }

  static CoordinatorRecord currentTombstone(String group, String member) {
    return CoordinatorRecord.tombstone(currentKey(group, member));
  }

  private static ConsumerGroupCurrentMemberAssignmentKey currentKey(String group, String member) {
    return new ConsumerGroupCurrentMemberAssignmentKey().groupId(group).memberId(member);
  }

  static CoordinatorRecord target(String group, String member, TargetAssignment t) {
    return CoordinatorRecord.of(targetKey(group, member), t.write(), 0);
  }

  static CoordinatorRecord targetTombstone(String group, String member) {
    return CoordinatorRecord.tombstone(targetKey(group, member));
  }

  private static ConsumerGroupTargetAssignmentMemberKey targetKey(String group, String member) {
    return new ConsumerGroupTargetAssignmentMemberKey().groupId(group).memberId(member);
  }

  /**
   * @param timestamp when it was computed, milliseconds since 1970; 0 if the next one needs not
   *     wait for its interval
   */
  static CoordinatorRecord targetEpoch(String group, int epoch, long timestamp) {
    return CoordinatorRecord.of(
        new ConsumerGroupTargetAssignmentMetadataKey().groupId(group),
        new ConsumerGroupTargetAssignmentMetadataValue()
            .assignmentEpoch(epoch)
            .assignmentTimestamp(timestamp),
        0);
  }

  static CoordinatorRecord targetEpochTombstone(String group) {
    return CoordinatorRecord.tombstone(
        new ConsumerGroupTargetAssignmentMetadataKey().groupId(group));
  }

  static CoordinatorRecord regex(String group, String regex, ResolvedRegex r) {
    return CoordinatorRecord.of(
        regexKey(group, regex),
        new ConsumerGroupRegularExpressionValue()
            .topics(new ArrayList<>(r.topics()))
            .version(r.version())
            .timestamp(r.timestamp()),
        0);
  }

  static CoordinatorRecord regexTombstone(String group, String regex) {
    return CoordinatorRecord.tombstone(regexKey(group, regex));
  }

  private static ConsumerGroupRegularExpressionKey regexKey(String group, String regex) {
    return new ConsumerGroupRegularExpressionKey().groupId(group).regularExpression(regex);
  }
}
