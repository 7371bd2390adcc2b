package dev.vitrine.broker.group;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.message.OffsetFetchRequest.OffsetFetchRequestGroup;
import dev.vitrine.protocol.message.OffsetFetchRequest.OffsetFetchRequestTopics;
import dev.vitrine.protocol.message.OffsetFetchResponse.OffsetFetchResponseGroup;
import dev.vitrine.protocol.message.OffsetFetchResponse.OffsetFetchResponsePartitions;
import dev.vitrine.protocol.message.OffsetFetchResponse.OffsetFetchResponseTopics;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** OffsetFetch: what was committed. Belongs to the coordinator. */
final class OffsetReads {
  private static final long NO_OFFSET = -1;
  private static final int NO_EPOCH = -1;

  private final PartitionCoordinator coordinator;
  private final LiveGroups groups;

  OffsetReads(PartitionCoordinator coordinator, LiveGroups groups) {
    this.coordinator = coordinator;
    this.groups = groups;
  }

  /**
   * @param request its topics have names, and ids if they are known; null topics mean all
   * @param stable whether to wait for what is being written, and to refuse what a transaction may
   *     still change
   */
  void fetch(
      OffsetFetchRequestGroup request, boolean stable, Consumer<OffsetFetchResponseGroup> answer) {
    if (!stable && coordinator.knowsCommitted()) {
      answer.accept(checkedRead(request, coordinator.committed(), false));
      return;
    }
    OffsetFetchResponseGroup ofTip = stable ? checkedRead(request, coordinator.tip(), true) : null;
    coordinator.afterWrites(
        error -> {
          if (error != Errors.NONE) {
            answer.accept(
                new OffsetFetchResponseGroup().groupId(request.groupId()).errorCode(error.code()));
          } else {
            answer.accept(stable ? ofTip : checkedRead(request, coordinator.committed(), false));
          }
        });
  }

  private OffsetFetchResponseGroup checkedRead(
      OffsetFetchRequestGroup request, GroupImage image, boolean stable) {
    try {
      check(request, image);
    } catch (GroupException e) {
      return new OffsetFetchResponseGroup().groupId(request.groupId()).errorCode(e.error().code());
    }
    return read(request, image, stable);
  }

  /** A member of a consumer group that names itself must be one, and in its epoch. */
  private static void check(OffsetFetchRequestGroup request, GroupImage image) {
    ConsumerGroupImage group = image.consumers().get(request.groupId());
    if (group == null || (request.memberId() == null && request.memberEpoch() < 0)) {
      return;
    }
    ConsumerMember m = request.memberId() == null ? null : group.members().get(request.memberId());
    if (m == null) {
      throw new GroupException(Errors.UNKNOWN_MEMBER_ID);
    }
    if (request.memberEpoch() != m.epoch()) {
      throw new GroupException(
          m.isClassic() ? Errors.ILLEGAL_GENERATION : Errors.STALE_MEMBER_EPOCH);
    }
  }

  private OffsetFetchResponseGroup read(
      OffsetFetchRequestGroup request, GroupImage image, boolean stable) {
    String groupId = request.groupId();
    OffsetFetchResponseGroup result = new OffsetFetchResponseGroup().groupId(groupId);
    if (request.topics() == null) {
      readAll(groupId, image, stable, result);
      return result;
    }
    boolean dead = groups.get(groupId) == null;
    for (OffsetFetchRequestTopics t : request.topics()) {
      OffsetFetchResponseTopics topic =
          new OffsetFetchResponseTopics().name(t.name()).topicId(t.topicId());
      result.topics().add(topic);
      for (int p : t.partitionIndexes()) {
        TopicPartition tp = new TopicPartition(t.name(), p);
        CommittedOffset o = dead ? null : image.offset(groupId, tp);
        if (stable && !dead && image.isUnstable(groupId, tp)) {
          topic.partitions().add(none(p, Errors.UNSTABLE_OFFSET_COMMIT));
        } else if (o == null || o.isOfOther(t.topicId())) {
          topic.partitions().add(none(p, Errors.NONE));
        } else {
          topic.partitions().add(some(p, o));
        }
      }
    }
    return result;
  }

  private static void readAll(
      String groupId, GroupImage image, boolean stable, OffsetFetchResponseGroup result) {
    OffsetFetchResponseTopics topic = null;
    for (Map.Entry<TopicPartition, CommittedOffset> e :
        new TreeMap<>(image.offsetsOf(groupId)).entrySet()) {
      TopicPartition tp = e.getKey();
      if (topic == null || !topic.name().equals(tp.topic())) {
        topic = new OffsetFetchResponseTopics().name(tp.topic()).topicId(e.getValue().topicId());
        result.topics().add(topic);
      }
      topic
          .partitions()
          .add(
              stable && image.isUnstable(groupId, tp)
                  ? none(tp.partition(), Errors.UNSTABLE_OFFSET_COMMIT)
                  : some(tp.partition(), e.getValue()));
    }
  }

  static OffsetFetchResponsePartitions none(int partition, Errors error) {
    return new OffsetFetchResponsePartitions()
        .partitionIndex(partition)
        .committedOffset(NO_OFFSET)
        .committedLeaderEpoch(NO_EPOCH)
        .metadata("")
        .errorCode(error.code());
  }

  private static OffsetFetchResponsePartitions some(int partition, CommittedOffset o) {
    return new OffsetFetchResponsePartitions()
        .partitionIndex(partition)
        .committedOffset(o.offset())
        .committedLeaderEpoch(o.leaderEpoch())
        .metadata(o.metadata());
  }
}
