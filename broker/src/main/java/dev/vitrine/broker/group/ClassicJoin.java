package dev.vitrine.broker.group;

import dev.vitrine.broker.group.ClassicGroup.State;
import dev.vitrine.broker.group.ClassicMember.Identity;
import dev.vitrine.broker.group.ClassicMember.Terms;
import dev.vitrine.config.GroupSettings;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.JoinGroupRequest;
import dev.vitrine.protocol.message.JoinGroupResponse;
import dev.vitrine.seam.Shard;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * JoinGroup: who may come in, as whom, and whether that disturbs the others. Belongs to the
 * coordinator. The order of the checks is Kafka's.
 */
final class ClassicJoin {
  private static final Logger LOG = LoggerFactory.getLogger(ClassicJoin.class);

  /** From here on a new member is first given its id, and joins with it (KIP-394). */
  private static final int KNOWN_MEMBER_ID_VERSION = 4;

  /** From here on a returning static leader may know that it leads (KIP-814). */
  private static final int SKIP_ASSIGNMENT_VERSION = 9;

  private final PartitionCoordinator coordinator;
  private final LiveGroups groups;
  private final ClassicRebalance rebalance;
  private final GroupSettings settings;
  private final Shard shard;

  ClassicJoin(PartitionCoordinator coordinator, LiveGroups groups, ClassicRebalance rebalance) {
    this.coordinator = coordinator;
    this.groups = groups;
    this.rebalance = rebalance;
    this.settings = coordinator.context().settings();
    this.shard = coordinator.context().shard();
  }

  /** One request and where its answer goes. */
  private record Join(Caller caller, JoinGroupRequest request, Consumer<JoinGroupResponse> answer) {
    Terms terms() {
      int rebalanceTimeout =
          caller.version() == 0 || request.rebalanceTimeoutMs() < 0
              ? request.sessionTimeoutMs()
              : request.rebalanceTimeoutMs();
      return new Terms(rebalanceTimeout, request.sessionTimeoutMs(), protocols());
    }

    List<Protocol> protocols() {
      return Protocol.of(request.protocols());
    }

    String instanceId() {
      return request.groupInstanceId();
    }

    void fail(String memberId, Errors error) {
      answer.accept(ClassicGroup.joinError(memberId, error));
    }

    String reason() {
      return request.reason() == null || request.reason().isEmpty()
          ? "not provided"
          : request.reason();
    }
  }

  void join(Caller caller, JoinGroupRequest request, Consumer<JoinGroupResponse> answer) {
    Join join = new Join(caller, request, answer);
    String memberId = request.memberId();
    if (groups.get(request.groupId()) instanceof ConsumerGroup consumer) {
      if (!consumer.isEmpty()) {
        String known = memberId.isEmpty() ? groups.consumers().newMemberId() : memberId;
        groups.classicMembers().join(consumer, caller, request, known, answer);
        return;
      }
      if (memberId.isEmpty()) {
        // Nobody uses it: it becomes a classic group.
        coordinator.append(consumer.tombstones(), error -> {});
      }
    }
    ClassicGroup group = groups.classic(request.groupId());
    boolean isNew = groups.get(request.groupId()) == null;
    if (group == null) {
      if (!isNew || !memberId.isEmpty()) {
        join.fail(memberId, Errors.UNKNOWN_MEMBER_ID);
        return;
      }
      group = groups.create(request.groupId());
    }
    if (!accepts(group, memberId)) {
      group.remove(memberId);
      join.fail("", Errors.GROUP_MAX_SIZE_REACHED);
    } else if (memberId.isEmpty()) {
      joinNew(group, join);
    } else {
      joinKnown(group, join);
    }
    if (isNew) {
      storeNew(group);
    }
  }

  /** A group must be in the log before it can be found again. */
  private void storeNew(ClassicGroup group) {
    coordinator.append(
        List.of(GroupRecords.newGroup(group)),
        error -> {
          if (error != Errors.NONE && coordinator.isActive()) {
            LOG.warn("[Group {}] Cannot store the new group: {}", group.groupId(), error);
            groups.remove(group);
            group.close(error);
            group.transitionTo(State.DEAD);
          }
        });
  }

  private boolean accepts(ClassicGroup group, String memberId) {
    return switch (group.state()) {
      case EMPTY, DEAD -> true;
      case PREPARING_REBALANCE ->
          (group.has(memberId) && group.member(memberId).isAwaitingJoin())
              || group.awaitingJoin() < settings.maxSize();
      case COMPLETING_REBALANCE, STABLE -> group.has(memberId) || group.size() < settings.maxSize();
    };
  }

  // ---- without a member id

  private void joinNew(ClassicGroup group, Join join) {
    if (!group.supports(join.request.protocolType(), join.protocols())) {
      join.fail("", Errors.INCONSISTENT_GROUP_PROTOCOL);
      return;
    }
    String prefix = join.instanceId() == null ? join.caller.clientId() : join.instanceId();
    String memberId = prefix + "-" + randomUuid();
    if (join.instanceId() != null) {
      String known = group.staticMemberId(join.instanceId());
      if (known == null) {
        LOG.info(
            "[Group {}] Static member {} joins as {} (reason: {})",
            group.groupId(),
            join.instanceId(),
            memberId,
            join.reason());
        add(group, join, memberId);
      } else {
        returned(group, join, group.member(known), memberId);
      }
    } else if (join.caller.version() >= KNOWN_MEMBER_ID_VERSION) {
      rebalance.expectJoin(group, memberId, join.request.sessionTimeoutMs());
      join.fail(memberId, Errors.MEMBER_ID_REQUIRED);
    } else {
      add(group, join, memberId);
    }
  }

  /** Of version 4, from the shard's chance so that a simulation repeats. */
  private UUID randomUuid() {
    long high = shard.random().nextLong() & ~0xf000L | 0x4000L;
    long low = shard.random().nextLong() & 0x3fffffffffffffffL | 0x8000000000000000L;
    return new UUID(high, low);
  }

  private void add(ClassicGroup group, Join join, String memberId) {
    Identity identity =
        new Identity(memberId, join.instanceId(), join.caller.clientId(), join.caller.host());
    ClassicMember m = new ClassicMember(identity, join.terms(), new Deadline(shard));
    m.isNew = true;
    m.join = join.answer;
    if (group.is(State.PREPARING_REBALANCE) && group.previousState() == State.EMPTY) {
      group.newMemberAdded = true;
    }
    if (group.isEmpty()) {
      group.protocolType(join.request.protocolType());
    }
    group.add(m);
    rebalance.expectNew(group, m);
    rebalance.advance(group, "new member " + memberId + " joins, client reason: " + join.reason());
  }

  // ---- with a member id

  private void joinKnown(ClassicGroup group, Join join) {
    String memberId = join.request.memberId();
    if (group.is(State.DEAD)) {
      join.fail(memberId, Errors.COORDINATOR_NOT_AVAILABLE);
      return;
    }
    if (!group.supports(join.request.protocolType(), join.protocols())) {
      join.fail(memberId, Errors.INCONSISTENT_GROUP_PROTOCOL);
      return;
    }
    if (group.isPendingJoin(memberId)) {
      if (join.instanceId() != null) {
        // Only dynamic members are made to wait for their id. Kafka fails on it, and so names none.
        join.fail("", Errors.UNKNOWN_SERVER_ERROR);
      } else {
        add(group, join, memberId);
      }
      return;
    }
    try {
      group.check(memberId, join.instanceId());
    } catch (GroupException e) {
      join.fail(memberId, e.error());
      return;
    }
    rejoin(group, join, group.member(memberId));
  }

  private void rejoin(ClassicGroup group, Join join, ClassicMember m) {
    boolean same = m.matches(join.protocols());
    boolean leads = group.isLeader(m.memberId());
    switch (group.state()) {
      case PREPARING_REBALANCE -> update(group, join, m, "member joins while rebalancing");
      case COMPLETING_REBALANCE -> {
        if (same) {
          // It may not have got the first answer.
          join.answer.accept(group.joined(m.memberId(), group.leaderId(), leads));
        } else {
          update(group, join, m, "changed metadata");
        }
      }
      case STABLE -> {
        if (leads) {
          // It may know of changes, such as new partitions, that are not in its metadata.
          update(group, join, m, "the leader rejoins");
        } else if (!same) {
          update(group, join, m, "changed metadata");
        } else {
          join.answer.accept(group.joined(m.memberId(), group.leaderId(), false));
        }
      }
      case EMPTY, DEAD -> join.fail(m.memberId(), Errors.UNKNOWN_MEMBER_ID);
    }
  }

  private void update(ClassicGroup group, Join join, ClassicMember m, String why) {
    group.update(m, join.terms(), join.answer);
    rebalance.advance(
        group, why + ": member " + m.memberId() + ", client reason: " + join.reason());
  }

  // ---- static members that return

  private void returned(ClassicGroup group, Join join, ClassicMember old, String memberId) {
    LOG.info(
        "[Group {}] Static member {} returns: {} becomes {}",
        group.groupId(),
        join.instanceId(),
        old.memberId(),
        memberId);
    String leaderBefore = group.leaderId();
    Terms before = old.terms;
    ClassicMember m = group.replaceStatic(old, memberId);
    rebalance.heard(group, m);
    group.update(m, join.terms(), join.answer);
    if (group.is(State.STABLE)) {
      if (group.selectProtocol().equals(group.protocolName())) {
        storeReturned(group, new Returned(join, m, old.memberId(), before, leaderBefore));
      } else {
        rebalance.advance(group, "the protocol changes with static member " + join.instanceId());
      }
    } else if (group.is(State.COMPLETING_REBALANCE)) {
      // The leader may assign to the old id.
      rebalance.prepare(group, "static member " + join.instanceId() + " has a new id");
    } else {
      rebalance.completeIfAllJoined(group);
    }
  }

  /** A static member that takes its place again while nobody else notices. */
  private record Returned(
      Join join, ClassicMember member, String oldId, Terms before, String leaderBefore) {}

  private void storeReturned(ClassicGroup group, Returned r) {
    Map<String, byte[]> assignments = new HashMap<>();
    group.members().forEach(m -> assignments.put(m.memberId(), m.assignment));
    coordinator.append(
        List.of(GroupRecords.group(group, assignments)),
        error -> {
          ClassicMember m = r.member;
          if (group.member(m.memberId()) != m) {
            return; // gone meanwhile, and answered
          }
          if (error != Errors.NONE) {
            LOG.warn(
                "[Group {}] Cannot store the new id of static member {}: {}",
                group.groupId(),
                m.groupInstanceId(),
                error);
            m.terms = r.before;
            group.failJoin(m, "", error);
            rebalance.heard(group, group.replaceStatic(m, r.oldId));
          } else if (r.join.caller.version() >= SKIP_ASSIGNMENT_VERSION) {
            boolean leads = group.isLeader(m.memberId());
            group.answerJoin(
                m, group.joined(m.memberId(), group.leaderId(), leads).skipAssignment(leads));
          } else {
            // It would assign anew if it were told that it leads.
            group.answerJoin(m, group.joined(m.memberId(), r.leaderBefore, false));
          }
        });
  }
}
