package dev.vitrine.broker.group;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.OffsetCommitRequest;
import java.util.List;

/**
 * A group of whatever protocol, as those see it who deal with offsets or list groups. Belongs to
 * the coordinator's shard. (Kafka's other types come here as further implementations.)
 */
sealed interface Group permits ClassicGroup, ConsumerGroup {
  String groupId();

  /** As ListGroups tells it, such as {@code classic}. */
  String type();

  /** As ListGroups tells it, such as {@code Stable}. */
  String stateName();

  /** Empty for a group that has had no members. */
  String protocolTypeOrEmpty();

  /** Whether others may know of it already. */
  boolean isCommitted();

  /** Whether it has no members. */
  boolean isEmpty();

  /**
   * @param version of the request
   * @return what is still to be checked for each partition
   * @throws GroupException if this member may not commit offsets now
   */
  OffsetCheck checkOffsetCommit(OffsetCommitRequest request, short version);

  /**
   * @throws GroupException if offsets may not be deleted now
   */
  void checkOffsetDelete();

  /**
   * @throws GroupException if the group may not be deleted now
   */
  void checkDelete();

  /** Offsets of such a topic are neither deleted nor expired. */
  boolean isSubscribedTo(String topic);

  /**
   * Whether the offset is older than {@code retentionMs}, and the group is in a state in which
   * offsets grow old.
   */
  boolean isExpired(CommittedOffset offset, long now, long retentionMs);

  /** The records that delete it, without its offsets. */
  List<CoordinatorRecord> tombstones();

  /** Answers all who wait, and forgets its timers: the coordinator goes away. */
  void close(Errors error);
}
