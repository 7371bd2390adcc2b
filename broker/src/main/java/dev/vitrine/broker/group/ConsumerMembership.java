package dev.vitrine.broker.group;

import dev.vitrine.broker.group.ConsumerMember.Current;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who is who in a consumer group: finds the member that a request comes from, makes a new one, lets
 * a static member take the place of the one before it, and refuses who is not allowed. Pure.
 */
final class ConsumerMembership {
  /** In a heartbeat: the member joins. */
  static final int JOIN_EPOCH = 0;

  /** It leaves. */
  static final int LEAVE_EPOCH = -1;

  /** It leaves, and another of its instance is to come back. */
  static final int STATIC_LEAVE_EPOCH = -2;

  private static final Logger LOG = LoggerFactory.getLogger(ConsumerMembership.class);

  private final ConsumerDraft draft;
  private final String groupId;

  ConsumerMembership(ConsumerDraft draft) {
    this.draft = draft;
    this.groupId = draft.groupId();
  }

  /**
   * @throws GroupException if a new member would be one too many
   */
  void checkSize(String memberId, String instanceId) {
    int max = draft.around().settings().consumer().maxSize();
    if (draft.view().staticMember(instanceId) != null) {
      return;
    }
    if (draft.image().members().size() >= max
        && (memberId.isEmpty() || !draft.image().members().containsKey(memberId))) {
      throw new GroupException(
          Errors.GROUP_MAX_SIZE_REACHED,
          "The consumer group has reached its maximum capacity of " + max + " members.");
    }
  }

  /**
   * @throws GroupException if there is no such member
   */
  ConsumerMember known(String memberId) {
    ConsumerMember m = draft.image().members().get(memberId);
    if (m == null) {
      throw new GroupException(
          Errors.UNKNOWN_MEMBER_ID,
          "Member " + memberId + " is not a member of group " + groupId + ".");
    }
    return m;
  }

  /**
   * @throws GroupException if the instance is not known, or belongs to another member
   */
  ConsumerMember knownStatic(String memberId, String instanceId) {
    ConsumerMember m = draft.view().staticMember(instanceId);
    if (m == null) {
      throw new GroupException(
          Errors.UNKNOWN_MEMBER_ID, "Instance id " + instanceId + " is unknown.");
    }
    checkFence(m, memberId, instanceId);
    return m;
  }

  void checkFence(ConsumerMember m, String memberId, String instanceId) {
    if (!m.memberId().equals(memberId)) {
      throw new GroupException(
          Errors.FENCED_INSTANCE_ID,
          "Static member "
              + memberId
              + " with instance id "
              + instanceId
              + " was fenced by member "
              + m.memberId()
              + ".");
    }
  }

  /** The member, or a new one that is not in the group yet. */
  ConsumerMember joining(String memberId) {
    ConsumerMember m = draft.image().members().get(memberId);
    return m == null ? ConsumerMember.of(memberId) : m;
  }

  /**
   * The member that a static one becomes which joins: a new one, or one in the place of the last.
   *
   * @param classic whether it joins by the classic protocol, which does not ask whether the other
   *     has left
   */
  ConsumerMember joiningStatic(String memberId, String instanceId, boolean classic) {
    ConsumerMember old = draft.view().staticMember(instanceId);
    if (old == null) {
      return joining(memberId);
    }
    if (!classic && !old.isClassic() && old.epoch() != STATIC_LEAVE_EPOCH) {
      LOG.info(
          "[Group {}] Static member {} may not join as {}: {} has not left",
          groupId,
          instanceId,
          memberId,
          old.memberId());
      throw new GroupException(
          Errors.UNRELEASED_INSTANCE_ID,
          "Static member "
              + memberId
              + " with instance id "
              + instanceId
              + " cannot join the group because the instance id is owned by "
              + old.memberId()
              + " member.");
    }
    LOG.info(
        "[Group {}] Static member {} returns: {} becomes {}",
        groupId,
        instanceId,
        old.memberId(),
        memberId);
    return replace(old, memberId);
  }

  private ConsumerMember replace(ConsumerMember old, String memberId) {
    Current c = old.current();
    ConsumerMember m =
        new ConsumerMember(
            memberId, old.profile(), new Current(0, 0, c.state(), c.assigned(), c.revoking()));
    TargetAssignment target = draft.image().target(old.memberId());
    remove(old.memberId());
    draft.add(ConsumerGroupRecords.member(groupId, m));
    draft.add(ConsumerGroupRecords.target(groupId, memberId, target));
    draft.add(ConsumerGroupRecords.current(groupId, m));
    return m;
  }

  /** Everything of a member, in the order in which Kafka insists on it. */
  void remove(String memberId) {
    draft.add(ConsumerGroupRecords.currentTombstone(groupId, memberId));
    draft.add(ConsumerGroupRecords.targetTombstone(groupId, memberId));
    draft.add(ConsumerGroupRecords.memberTombstone(groupId, memberId));
  }

  /**
   * A member may be one epoch behind, if the answer with the new one was lost.
   *
   * @throws GroupException if the epoch is another one
   */
  static void checkEpoch(ConsumerMember m, int epoch, Map<Uuid, Set<Integer>> owned) {
    if (epoch == JOIN_EPOCH || epoch == m.epoch()) {
      return;
    }
    if (epoch > m.epoch()) {
      throw fenced("greater", epoch, m);
    }
    if (epoch != m.current().previousEpoch() || !ownsNothingElse(m, owned)) {
      throw fenced("smaller", epoch, m);
    }
  }

  private static GroupException fenced(String how, int epoch, ConsumerMember m) {
    return new GroupException(
        Errors.FENCED_MEMBER_EPOCH,
        "The consumer group member has a "
            + how
            + " member epoch ("
            + epoch
            + ") than the one known by the group coordinator ("
            + m.epoch()
            + "). The member must abandon all its partitions and rejoin.");
  }

  private static boolean ownsNothingElse(ConsumerMember m, Map<Uuid, Set<Integer>> owned) {
    if (owned == null) {
      return false;
    }
    for (Map.Entry<Uuid, Set<Integer>> e : owned.entrySet()) {
      if (!m.current().assigned().byTopic().containsKey(e.getKey())) {
        return false;
      }
      for (int p : e.getValue()) {
        if (!m.current().assigned().contains(e.getKey(), p)) {
          return false;
        }
      }
    }
    return true;
  }
}
