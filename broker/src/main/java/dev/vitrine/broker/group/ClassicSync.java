package dev.vitrine.broker.group;

import dev.vitrine.broker.group.ClassicGroup.State;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.HeartbeatRequest;
import dev.vitrine.protocol.message.SyncGroupRequest;
import dev.vitrine.protocol.message.SyncGroupResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * SyncGroup and Heartbeat: what a member does between two joins. Belongs to the coordinator. The
 * order of the checks is Kafka's.
 */
final class ClassicSync {
  private static final Logger LOG = LoggerFactory.getLogger(ClassicSync.class);

  private final PartitionCoordinator coordinator;
  private final LiveGroups groups;
  private final ClassicRebalance rebalance;

  ClassicSync(PartitionCoordinator coordinator, LiveGroups groups, ClassicRebalance rebalance) {
    this.coordinator = coordinator;
    this.groups = groups;
    this.rebalance = rebalance;
  }

  void sync(SyncGroupRequest request, Consumer<SyncGroupResponse> answer) {
    ConsumerGroup consumer = groups.consumer(request.groupId());
    if (consumer != null && !consumer.isEmpty()) {
      groups.classicMembers().sync(consumer, request, answer);
      return;
    }
    ClassicGroup group = groups.classic(request.groupId());
    try {
      check(group, request);
    } catch (GroupException e) {
      answer.accept(new SyncGroupResponse().errorCode(e.error().code()));
      return;
    }
    ClassicMember m = group.member(request.memberId());
    rebalance.synced(group, m.memberId());
    if (group.is(State.STABLE)) {
      answer.accept(group.synced(m));
      return;
    }
    group.failSync(m, Errors.REBALANCE_IN_PROGRESS); // one before this, of a lost connection
    m.sync = answer;
    if (group.isLeader(m.memberId())) {
      LOG.info(
          "[Group {}] Assignment of generation {} from leader {}: {} members, {} of them static",
          group.groupId(),
          group.generation(),
          m.memberId(),
          group.size(),
          group.staticMemberCount());
      store(group, request);
    }
  }

  private static void check(ClassicGroup group, SyncGroupRequest request) {
    if (group == null || group.isEmpty()) {
      throw new GroupException(Errors.UNKNOWN_MEMBER_ID);
    }
    if (group.is(State.DEAD)) {
      throw new GroupException(Errors.COORDINATOR_NOT_AVAILABLE);
    }
    group.check(request.memberId(), request.groupInstanceId());
    if (request.generationId() != group.generation()) {
      throw new GroupException(Errors.ILLEGAL_GENERATION);
    }
    if (differ(request.protocolType(), group.protocolType())
        || differ(request.protocolName(), group.protocolName())) {
      throw new GroupException(Errors.INCONSISTENT_GROUP_PROTOCOL);
    }
    if (group.is(State.EMPTY)) {
      throw new GroupException(Errors.UNKNOWN_MEMBER_ID);
    }
    if (group.is(State.PREPARING_REBALANCE)) {
      throw new GroupException(Errors.REBALANCE_IN_PROGRESS);
    }
  }

  private static boolean differ(String asked, String known) {
    return asked != null && known != null && !asked.equals(known);
  }

  private void store(ClassicGroup group, SyncGroupRequest request) {
    Map<String, byte[]> assignments = new HashMap<>();
    request.assignments().forEach(a -> assignments.put(a.memberId(), a.assignment()));
    int generation = group.generation();
    coordinator.append(
        List.of(GroupRecords.group(group, assignments)),
        error -> rebalance.assigned(group, generation, assignments, error));
  }

  Errors heartbeat(HeartbeatRequest request) {
    ConsumerGroup consumer = groups.consumer(request.groupId());
    if (consumer != null) {
      return groups.classicMembers().heartbeat(consumer, request);
    }
    ClassicGroup group = groups.classic(request.groupId());
    if (group == null) {
      return Errors.UNKNOWN_MEMBER_ID;
    }
    if (group.is(State.DEAD)) {
      return Errors.COORDINATOR_NOT_AVAILABLE;
    }
    try {
      group.check(request.memberId(), request.groupInstanceId());
    } catch (GroupException e) {
      return e.error();
    }
    if (request.generationId() != group.generation()) {
      return Errors.ILLEGAL_GENERATION;
    }
    if (group.is(State.EMPTY)) {
      return Errors.UNKNOWN_MEMBER_ID;
    }
    rebalance.heard(group, group.member(request.memberId()));
    return group.is(State.PREPARING_REBALANCE) ? Errors.REBALANCE_IN_PROGRESS : Errors.NONE;
  }
}
