package dev.vitrine.broker.group;

import dev.vitrine.broker.group.ClassicGroup.State;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.LeaveGroupRequest.MemberIdentity;
import dev.vitrine.protocol.message.LeaveGroupResponse;
import dev.vitrine.protocol.message.LeaveGroupResponse.MemberResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** LeaveGroup: members that go, or that an admin removes. Belongs to the coordinator. */
final class ClassicLeave {
  private static final Logger LOG = LoggerFactory.getLogger(ClassicLeave.class);

  private final PartitionCoordinator coordinator;
  private final LiveGroups groups;
  private final ClassicRebalance rebalance;

  ClassicLeave(PartitionCoordinator coordinator, LiveGroups groups, ClassicRebalance rebalance) {
    this.coordinator = coordinator;
    this.groups = groups;
    this.rebalance = rebalance;
  }

  /** Answers as version 3 and later do: for each member. */
  void leave(String groupId, List<MemberIdentity> members, Consumer<LeaveGroupResponse> answer) {
    ConsumerGroup consumer = groups.consumer(groupId);
    if (consumer != null) {
      groups.classicMembers().leave(consumer, members, answer);
      return;
    }
    ClassicGroup group = groups.classic(groupId);
    if (group != null && group.is(State.DEAD)) {
      answer.accept(new LeaveGroupResponse().errorCode(Errors.COORDINATOR_NOT_AVAILABLE.code()));
      return;
    }
    List<MemberResponse> results = new ArrayList<>();
    List<String> gone = new ArrayList<>();
    for (MemberIdentity m : members) {
      Errors error = group == null ? Errors.UNKNOWN_MEMBER_ID : leave(group, m);
      if (error == Errors.NONE) {
        gone.add(m.memberId().isEmpty() ? m.groupInstanceId() : m.memberId());
      }
      results.add(
          new MemberResponse()
              .memberId(m.memberId())
              .groupInstanceId(m.groupInstanceId())
              .errorCode(error.code()));
    }
    LeaveGroupResponse response = new LeaveGroupResponse().members(results);
    if (gone.isEmpty()) {
      answer.accept(response);
      return;
    }
    rebalance.left(group, "members leave: " + gone);
    // If they were the last, that is in the log before they hear of it.
    coordinator.afterWrites(
        error ->
            answer.accept(
                error == Errors.NONE
                    ? response
                    : new LeaveGroupResponse().errorCode(error.code())));
  }

  private Errors leave(ClassicGroup group, MemberIdentity m) {
    String memberId = m.memberId();
    if (memberId.isEmpty()) {
      // An admin knows only the instance.
      String known = m.groupInstanceId() == null ? null : group.staticMemberId(m.groupInstanceId());
      if (known == null) {
        return Errors.UNKNOWN_MEMBER_ID;
      }
      memberId = known;
    } else if (!group.isPendingJoin(memberId)) {
      try {
        group.check(memberId, m.groupInstanceId());
      } catch (GroupException e) {
        return e.error();
      }
    }
    LOG.info(
        "[Group {}] Member {} leaves (reason: {})",
        group.groupId(),
        memberId,
        m.reason() == null ? "not provided" : m.reason());
    group.remove(memberId);
    return Errors.NONE;
  }
}
