package dev.vitrine.broker.group;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.OffsetCommitRequest;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A group of the consumer protocol (KIP-848) as it lives. All that must survive is in its {@link
 * ConsumerGroupImage}; this has the timers of its members and what else each new leader finds out
 * again. Belongs to the coordinator's shard. It holds state; what happens is decided by {@link
 * ConsumerGroups}.
 */
final class ConsumerGroup implements Group {
  /** The timers of one member. */
  static final class Timers {
    final Deadline session;

    /** Until it has given up what it is to give up. */
    final Deadline revocation;

    /** Of a classic member: until it joins again, and until it asks for its assignment. */
    final Deadline join;

    final Deadline sync;

    private Timers(PartitionCoordinator coordinator) {
      session = new Deadline(coordinator.context().shard());
      revocation = new Deadline(coordinator.context().shard());
      join = new Deadline(coordinator.context().shard());
      sync = new Deadline(coordinator.context().shard());
    }

    private void cancel() {
      session.cancel();
      revocation.cancel();
      join.cancel();
      sync.cancel();
    }
  }

  private final String groupId;
  private final PartitionCoordinator coordinator;
  private final Map<String, Timers> timers = new TreeMap<>();
  private ConsumerGroupView ofTip;
  private ConsumerGroupView ofCommitted;

  /** Its topics may have changed since they were looked at. */
  boolean stale = true;

  /** Its patterns are being matched right now. */
  boolean resolving;

  ConsumerGroup(String groupId, PartitionCoordinator coordinator) {
    this.groupId = groupId;
    this.coordinator = coordinator;
  }

  /** As of the last append. */
  ConsumerGroupView view() {
    ConsumerGroupImage image = coordinator.tip().consumers().get(groupId);
    if (ofTip == null || ofTip.image() != image) {
      ofTip = new ConsumerGroupView(image);
    }
    return ofTip;
  }

  /** What may be told; null if nothing may yet. */
  ConsumerGroupView committed() {
    ConsumerGroupImage image = coordinator.committed().consumers().get(groupId);
    if (image == null) {
      return null;
    }
    if (ofCommitted == null || ofCommitted.image() != image) {
      ofCommitted = new ConsumerGroupView(image);
    }
    return ofCommitted;
  }

  Timers timers(String memberId) {
    return timers.computeIfAbsent(memberId, m -> new Timers(coordinator));
  }

  /** Forgets those of one that is no member any more. */
  void cancelTimers(String memberId) {
    Timers t = timers.remove(memberId);
    if (t != null) {
      t.cancel();
    }
  }

  @Override
  public String groupId() {
    return groupId;
  }

  @Override
  public String type() {
    return "consumer";
  }

  @Override
  public String stateName() {
    ConsumerGroupView v = committed();
    return v == null ? "Empty" : v.state();
  }

  @Override
  public String protocolTypeOrEmpty() {
    return ClassicGroup.CONSUMER;
  }

  @Override
  public boolean isCommitted() {
    return committed() != null;
  }

  @Override
  public boolean isEmpty() {
    return view().image().members().isEmpty();
  }

  // ---- offsets

  @Override
  public OffsetCheck checkOffsetCommit(OffsetCommitRequest request, short version) {
    int epoch = request.generationIdOrMemberEpoch();
    if (epoch < 0 && isEmpty()) {
      return OffsetCheck.ANY; // an admin, or a consumer that does without group management
    }
    ConsumerMember m = view().image().members().get(request.memberId());
    if (m == null) {
      throw new GroupException(Errors.UNKNOWN_MEMBER_ID);
    }
    if (!m.isClassic() && version < OffsetCommits.MEMBER_EPOCH_VERSION) {
      throw new GroupException(Errors.UNSUPPORTED_VERSION);
    }
    if (epoch == m.epoch()) {
      return OffsetCheck.ANY;
    }
    Errors refusal = m.isClassic() ? Errors.ILLEGAL_GENERATION : Errors.STALE_MEMBER_EPOCH;
    if (epoch > m.epoch()) {
      throw new GroupException(refusal);
    }
    return (topic, topicId, partition) -> checkOwned(m, epoch, topicId, partition, refusal);
  }

  /**
   * The epoch is older than the member's: that is fine for what it has had since then (KIP-1251).
   */
  private static void checkOwned(
      ConsumerMember m, int epoch, Uuid topicId, int partition, Errors refusal) {
    Integer since = m.current().assigned().epoch(topicId, partition);
    if (since == null) {
      since = m.current().revoking().epoch(topicId, partition);
    }
    if (since == null || epoch < since) {
      throw new GroupException(refusal);
    }
  }

  @Override
  public void checkOffsetDelete() {
    // Topics that members are subscribed to are refused one by one.
  }

  @Override
  public void checkDelete() {
    if (!isEmpty()) {
      throw new GroupException(Errors.NON_EMPTY_GROUP);
    }
  }

  @Override
  public boolean isSubscribedTo(String topic) {
    return view().subscribedTopics().contains(topic);
  }

  @Override
  public boolean isExpired(CommittedOffset offset, long now, long retentionMs) {
    return offset.expireTimestamp() != -1
        ? now >= offset.expireTimestamp()
        : now - offset.commitTimestamp() >= retentionMs;
  }

  @Override
  public List<CoordinatorRecord> tombstones() {
    ConsumerDraft draft = new ConsumerDraft(groupId, view(), null);
    ConsumerFence.delete(draft);
    return draft.records();
  }

  @Override
  public void close(Errors error) {
    timers.values().forEach(Timers::cancel);
    timers.clear();
  }

  @Override
  public String toString() {
    return groupId + " (" + view().state() + ", epoch " + view().image().epochs().group() + ")";
  }
}
