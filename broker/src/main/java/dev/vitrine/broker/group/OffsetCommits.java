package dev.vitrine.broker.group;

import dev.vitrine.broker.group.ClassicGroup.State;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.message.OffsetCommitRequest;
import dev.vitrine.protocol.message.OffsetCommitRequest.OffsetCommitRequestPartition;
import dev.vitrine.protocol.message.OffsetCommitRequest.OffsetCommitRequestTopic;
import dev.vitrine.protocol.message.OffsetCommitResponse;
import dev.vitrine.protocol.message.OffsetCommitResponse.OffsetCommitResponsePartition;
import dev.vitrine.protocol.message.OffsetCommitResponse.OffsetCommitResponseTopic;
import dev.vitrine.protocol.message.OffsetDeleteRequest.OffsetDeleteRequestTopic;
import dev.vitrine.protocol.message.OffsetDeleteResponse;
import dev.vitrine.protocol.message.OffsetDeleteResponse.OffsetDeleteResponsePartition;
import dev.vitrine.protocol.message.OffsetDeleteResponse.OffsetDeleteResponseTopic;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * OffsetCommit and OffsetDelete for topics that exist: what of it may be written. Belongs to the
 * coordinator.
 */
final class OffsetCommits {
  /** From here on clients know that a group may not be there. */
  private static final int GROUP_NOT_FOUND_VERSION = 9;

  /** From here on the generation may be the epoch of a consumer group's member. */
  static final int MEMBER_EPOCH_VERSION = 9;

  private final PartitionCoordinator coordinator;
  private final LiveGroups groups;
  private final ClassicRebalance rebalance;

  OffsetCommits(PartitionCoordinator coordinator, LiveGroups groups, ClassicRebalance rebalance) {
    this.coordinator = coordinator;
    this.groups = groups;
    this.rebalance = rebalance;
  }

  /**
   * @param topics those of the request that exist, with their names and ids
   * @param answer the topics' answer, or the error for all of them
   */
  void commit(
      OffsetCommitRequest request,
      short version,
      List<OffsetCommitRequestTopic> topics,
      BiConsumer<Errors, OffsetCommitResponse> answer) {
    try {
      OffsetCheck check = check(request, version);
      for (OffsetCommitRequestTopic t : topics) {
        for (OffsetCommitRequestPartition p : t.partitions()) {
          if (isMetadataShort(p.committedMetadata())) {
            check.check(t.name(), t.topicId(), p.partitionIndex());
          }
        }
      }
    } catch (GroupException e) {
      answer.accept(e.error(), null);
      return;
    }
    if (groups.get(request.groupId()) instanceof ClassicGroup g
        && (g.is(State.STABLE) || g.is(State.PREPARING_REBALANCE))
        && g.has(request.memberId())) {
      rebalance.heard(g, g.member(request.memberId()));
    }
    long now = coordinator.context().shard().now();
    List<CoordinatorRecord> records = new ArrayList<>();
    OffsetCommitResponse response = new OffsetCommitResponse();
    for (OffsetCommitRequestTopic t : topics) {
      OffsetCommitResponseTopic result =
          new OffsetCommitResponseTopic().name(t.name()).topicId(t.topicId());
      response.topics().add(result);
      for (OffsetCommitRequestPartition p : t.partitions()) {
        Errors error = Errors.OFFSET_METADATA_TOO_LARGE;
        if (isMetadataShort(p.committedMetadata())) {
          error = Errors.NONE;
          records.add(
              GroupRecords.offset(
                  request.groupId(),
                  new TopicPartition(t.name(), p.partitionIndex()),
                  offset(request, t, p, now)));
        }
        result
            .partitions()
            .add(
                new OffsetCommitResponsePartition()
                    .partitionIndex(p.partitionIndex())
                    .errorCode(error.code()));
      }
    }
    if (records.isEmpty()) {
      answer.accept(Errors.NONE, response);
      return;
    }
    coordinator.append(records, error -> answer.accept(error, response));
  }

  private OffsetCheck check(OffsetCommitRequest request, short version) {
    Group group = groups.get(request.groupId());
    int generation = request.generationIdOrMemberEpoch();
    if (group == null) {
      if (generation < 0) {
        return OffsetCheck.ANY; // a consumer that only keeps its offsets here
      }
      throw new GroupException(
          version >= GROUP_NOT_FOUND_VERSION
              ? Errors.GROUP_ID_NOT_FOUND
              : Errors.ILLEGAL_GENERATION);
    }
    return group.checkOffsetCommit(request, version);
  }

  private boolean isMetadataShort(String metadata) {
    return metadata == null
        || metadata.length() <= coordinator.context().settings().offsets().metadataMaxBytes();
  }

  private static CommittedOffset offset(
      OffsetCommitRequest request,
      OffsetCommitRequestTopic t,
      OffsetCommitRequestPartition p,
      long now) {
    return new CommittedOffset(
        p.committedOffset(),
        p.committedLeaderEpoch(),
        p.committedMetadata() == null ? "" : p.committedMetadata(),
        now,
        request.retentionTimeMs() == -1 ? -1 : now + request.retentionTimeMs(),
        t.topicId());
  }

  /** Deletes the offsets of these topics, which exist. */
  void delete(
      String groupId,
      List<OffsetDeleteRequestTopic> topics,
      BiConsumer<Errors, OffsetDeleteResponse> answer) {
    Group group = groups.get(groupId);
    try {
      if (group == null) {
        throw new GroupException(Errors.GROUP_ID_NOT_FOUND);
      }
      group.checkOffsetDelete();
    } catch (GroupException e) {
      answer.accept(e.error(), null);
      return;
    }
    List<CoordinatorRecord> records = new ArrayList<>();
    OffsetDeleteResponse response = new OffsetDeleteResponse();
    for (OffsetDeleteRequestTopic t : topics) {
      boolean subscribed = group.isSubscribedTo(t.name());
      OffsetDeleteResponseTopic result = new OffsetDeleteResponseTopic().name(t.name());
      response.topics().add(result);
      t.partitions()
          .forEach(
              p -> {
                TopicPartition tp = new TopicPartition(t.name(), p.partitionIndex());
                if (!subscribed && isKnown(groupId, tp)) {
                  records.add(GroupRecords.offsetTombstone(groupId, tp));
                }
                Errors error = subscribed ? Errors.GROUP_SUBSCRIBED_TO_TOPIC : Errors.NONE;
                result
                    .partitions()
                    .add(
                        new OffsetDeleteResponsePartition()
                            .partitionIndex(p.partitionIndex())
                            .errorCode(error.code()));
              });
    }
    coordinator.append(records, error -> answer.accept(error, response));
  }

  private boolean isKnown(String groupId, TopicPartition tp) {
    GroupImage tip = coordinator.tip();
    return tip.offset(groupId, tp) != null || tip.isUnstable(groupId, tp);
  }
}
