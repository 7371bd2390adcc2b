package dev.vitrine.broker.group;

import dev.vitrine.broker.group.ClassicGroup.State;
import dev.vitrine.config.GroupSettings;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.SyncGroupResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a classic group goes from one generation to the next, and what time does to it: the join
 * phase with its delays, the wait for syncs, members that fall silent. Belongs to the coordinator.
 */
final class ClassicRebalance {
  private static final Logger LOG = LoggerFactory.getLogger(ClassicRebalance.class);

  /** How long a new member, which cannot send heartbeats yet, may wait for its first answer. */
  private static final int NEW_MEMBER_JOIN_TIMEOUT_MS = 5 * 60 * 1000;

  private final PartitionCoordinator coordinator;
  private final GroupSettings settings;

  ClassicRebalance(PartitionCoordinator coordinator) {
    this.coordinator = coordinator;
    this.settings = coordinator.context().settings();
  }

  /** A loaded group: all its members have their session time from now. */
  void start(ClassicGroup group) {
    for (ClassicMember m : group.members()) {
      heard(group, m);
    }
    if (group.size() > settings.maxSize()) {
      LOG.info(
          "[Group {}] has {} members, more than group.max.size", group.groupId(), group.size());
      prepare(group, "more members than group.max.size allows");
    }
  }

  // ---- the join phase

  /** A member has come, gone or changed. */
  void advance(ClassicGroup group, String reason) {
    if (group.canRebalance()) {
      prepare(group, reason);
    } else {
      completeIfAllJoined(group);
    }
  }

  /** Ends the join phase if nobody is missing; an initial one lasts until its delay is over. */
  void completeIfAllJoined(ClassicGroup group) {
    if (group.is(State.PREPARING_REBALANCE)
        && group.haveAllJoined()
        && group.previousState() != State.EMPTY) {
      completeJoin(group);
    }
  }

  void prepare(ClassicGroup group, String reason) {
    if (group.is(State.COMPLETING_REBALANCE)) {
      failSyncs(group, Errors.REBALANCE_IN_PROGRESS);
    }
    group.syncPhase.cancel();
    boolean initial = group.is(State.EMPTY);
    LOG.info(
        "[Group {}] Preparing to rebalance in state {}, generation {} (reason: {})",
        group.groupId(),
        group.stateName(),
        group.generation(),
        reason);
    group.transitionTo(State.PREPARING_REBALANCE);
    if (initial) {
      int delay = settings.initialRebalanceDelayMs();
      awaitFirstMembers(group, delay, Math.max(group.rebalanceTimeoutMs() - delay, 0));
    } else if (group.haveAllJoined()) {
      completeJoin(group);
    } else {
      awaitJoins(group);
    }
  }

  private void awaitFirstMembers(ClassicGroup group, int delayMs, int remainingMs) {
    group.newMemberAdded = false;
    group.joinPhase.set(
        delayMs,
        () ->
            coordinator.run(
                () -> {
                  if (group.newMemberAdded && remainingMs != 0) {
                    awaitFirstMembers(
                        group,
                        Math.min(settings.initialRebalanceDelayMs(), remainingMs),
                        Math.max(remainingMs - delayMs, 0));
                  } else {
                    completeJoin(group);
                  }
                }));
  }

  private void awaitJoins(ClassicGroup group) {
    group.joinPhase.set(
        group.rebalanceTimeoutMs(), () -> coordinator.run(() -> completeJoin(group)));
  }

  private void completeJoin(ClassicGroup group) {
    group.joinPhase.cancel();
    if (!group.is(State.PREPARING_REBALANCE)) {
      return;
    }
    List<String> removed = new ArrayList<>();
    for (ClassicMember m : List.copyOf(group.members())) {
      if (!m.isAwaitingJoin() && !m.isStatic()) {
        removed.add(m.memberId());
        group.remove(m.memberId());
      }
    }
    if (!removed.isEmpty()) {
      LOG.info("[Group {}] removed members that have not joined: {}", group.groupId(), removed);
    }
    if (!group.electJoinedLeader() && !group.isEmpty()) {
      // Only static members, none of them here: their sessions decide.
      LOG.info("[Group {}] cannot complete its rebalance: nobody has rejoined", group.groupId());
      awaitJoins(group);
      return;
    }
    group.nextGeneration();
    if (group.isEmpty()) {
      LOG.info("[Group {}] Generation {} is empty", group.groupId(), group.generation());
      coordinator.append(List.of(GroupRecords.group(group, Map.of())), error -> warn(group, error));
    } else {
      LOG.info(
          "[Group {}] Generation {} has {} members, protocol {}, leader {}",
          group.groupId(),
          group.generation(),
          group.size(),
          group.protocolName(),
          group.leaderId());
      answerJoins(group);
    }
  }

  private static void warn(ClassicGroup group, Errors error) {
    if (error != Errors.NONE) {
      LOG.warn("[Group {}] Cannot store that it is empty: {}", group.groupId(), error);
    }
  }

  private void answerJoins(ClassicGroup group) {
    for (ClassicMember m : group.members()) {
      boolean leads = group.isLeader(m.memberId());
      group.answerJoin(m, group.joined(m.memberId(), group.leaderId(), leads));
      m.isNew = false;
      group.pendingSyncs().add(m.memberId());
      heard(group, m);
    }
    int generation = group.generation();
    group.syncPhase.set(
        group.rebalanceTimeoutMs(), () -> coordinator.run(() -> expireSyncs(group, generation)));
  }

  // ---- syncs

  private void expireSyncs(ClassicGroup group, int generation) {
    boolean waiting = group.is(State.COMPLETING_REBALANCE) || group.is(State.STABLE);
    if (!waiting || generation != group.generation() || group.pendingSyncs().isEmpty()) {
      return;
    }
    List<String> late = List.copyOf(group.pendingSyncs());
    late.forEach(group::remove);
    prepare(group, "no SyncGroup in time from " + late);
  }

  /** One that has asked for its assignment. */
  void synced(ClassicGroup group, String memberId) {
    group.pendingSyncs().remove(memberId);
    if (group.pendingSyncs().isEmpty()) {
      group.syncPhase.cancel();
    }
  }

  /** The assignments are committed, or could not be stored. */
  void assigned(ClassicGroup group, int generation, Map<String, byte[]> assignments, Errors error) {
    if (!group.is(State.COMPLETING_REBALANCE) || generation != group.generation()) {
      return; // another rebalance came in between
    }
    if (error != Errors.NONE) {
      failSyncs(group, error);
      advance(group, "Error " + error + " when storing the assignments");
      return;
    }
    for (ClassicMember m : group.members()) {
      m.assignment = assignments.getOrDefault(m.memberId(), ClassicMember.NO_ASSIGNMENT);
      answerSync(group, m, group.synced(m));
    }
    group.transitionTo(State.STABLE);
  }

  private void failSyncs(ClassicGroup group, Errors error) {
    for (ClassicMember m : group.members()) {
      m.assignment = ClassicMember.NO_ASSIGNMENT;
      answerSync(group, m, new SyncGroupResponse().errorCode(error.code()));
    }
  }

  /** Its session may have run out unheeded while it waited, so it begins anew. */
  private void answerSync(ClassicGroup group, ClassicMember m, SyncGroupResponse answer) {
    if (group.answerSync(m, answer)) {
      heard(group, m);
    }
  }

  // ---- silence

  /** Something was heard of the member. */
  void heard(ClassicGroup group, ClassicMember m) {
    expect(group, m, m.sessionTimeoutMs());
  }

  /** It has just come, and can send no heartbeats before it is answered. */
  void expectNew(ClassicGroup group, ClassicMember m) {
    expect(group, m, NEW_MEMBER_JOIN_TIMEOUT_MS);
  }

  private void expect(ClassicGroup group, ClassicMember m, int ms) {
    m.session.set(ms, () -> coordinator.run(() -> silent(group, m)));
  }

  private void silent(ClassicGroup group, ClassicMember m) {
    if (group.member(m.memberId()) != m || m.isExcused()) {
      return;
    }
    LOG.info(
        "[Group {}] Member {} has fallen silent and is removed", group.groupId(), m.memberId());
    group.remove(m.memberId());
    left(group, "member " + m.memberId() + " has fallen silent");
  }

  /** One that was given an id is to join within its session time. */
  void expectJoin(ClassicGroup group, String memberId, int sessionTimeoutMs) {
    group
        .addPendingJoin(memberId)
        .set(
            sessionTimeoutMs,
            () ->
                coordinator.run(
                    () -> {
                      LOG.info(
                          "[Group {}] Member {} was given its id and has not joined",
                          group.groupId(),
                          memberId);
                      group.remove(memberId);
                      completeIfAllJoined(group);
                    }));
  }

  /** Members were removed. */
  void left(ClassicGroup group, String reason) {
    if (group.is(State.STABLE) || group.is(State.COMPLETING_REBALANCE)) {
      prepare(group, reason);
    } else {
      completeIfAllJoined(group);
    }
  }
}
