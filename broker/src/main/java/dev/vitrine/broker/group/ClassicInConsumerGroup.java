package dev.vitrine.broker.group;

import dev.vitrine.broker.group.ConsumerMember.Classic;
import dev.vitrine.broker.group.ConsumerMember.Profile;
import dev.vitrine.broker.group.ConsumerMember.State;
import dev.vitrine.config.GroupSettings;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.MalformedMessageException;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.ConsumerProtocolSubscription;
import dev.vitrine.protocol.message.HeartbeatRequest;
import dev.vitrine.protocol.message.JoinGroupRequest;
import dev.vitrine.protocol.message.JoinGroupResponse;
import dev.vitrine.protocol.message.LeaveGroupRequest.MemberIdentity;
import dev.vitrine.protocol.message.LeaveGroupResponse;
import dev.vitrine.protocol.message.LeaveGroupResponse.MemberResponse;
import dev.vitrine.protocol.message.SyncGroupRequest;
import dev.vitrine.protocol.message.SyncGroupResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Members of the classic protocol in a consumer group (KIP-848): to them a new target is a
 * rebalance, a join is the heartbeat that brings one, and a sync tells what they own. Belongs to
 * the coordinator. The order of the checks is Kafka's.
 */
final class ClassicInConsumerGroup {
  private static final Logger LOG = LoggerFactory.getLogger(ClassicInConsumerGroup.class);

  /** From here on a new member is first given its id, and joins with it (KIP-394). */
  private static final int KNOWN_MEMBER_ID_VERSION = 4;

  private final PartitionCoordinator coordinator;
  private final ConsumerGroups consumers;
  private final GroupConversion conversion;

  ClassicInConsumerGroup(
      PartitionCoordinator coordinator, ConsumerGroups consumers, GroupConversion conversion) {
    this.coordinator = coordinator;
    this.consumers = consumers;
    this.conversion = conversion;
  }

  // ---- joins

  void join(
      ConsumerGroup group,
      Caller caller,
      JoinGroupRequest request,
      String newMemberId,
      Consumer<JoinGroupResponse> answer) {
    if (caller.version() == 0) {
      request.rebalanceTimeoutMs(request.sessionTimeoutMs());
    }
    try {
      checkJoin(group, request, newMemberId);
      if (request.groupInstanceId() == null
          && request.memberId().isEmpty()
          && caller.version() >= KNOWN_MEMBER_ID_VERSION) {
        answer.accept(ClassicGroup.joinError(newMemberId, Errors.MEMBER_ID_REQUIRED));
        return;
      }
      joinChecked(group, caller, request, newMemberId, answer);
    } catch (GroupException e) {
      answer.accept(ClassicGroup.joinError("", e.error()));
    }
  }

  private void checkJoin(ConsumerGroup group, JoinGroupRequest request, String memberId) {
    GroupSettings settings = coordinator.context().settings();
    if (settings.consumer().migration() == GroupSettings.Migration.DISABLED) {
      LOG.info("[Group {}] Classic members may not join: migration is disabled", group.groupId());
      throw new GroupException(Errors.INCONSISTENT_GROUP_PROTOCOL);
    }
    new ConsumerMembership(consumers.draft(group)).checkSize(memberId, request.groupInstanceId());
    if (!supports(group.view(), request)) {
      throw new GroupException(Errors.INCONSISTENT_GROUP_PROTOCOL);
    }
  }

  /** One of its protocols must be one of all the other classic members too. */
  private static boolean supports(ConsumerGroupView view, JoinGroupRequest request) {
    if (!request.protocolType().equals(ClassicGroup.CONSUMER)) {
      return false;
    }
    Map<String, Integer> supporters = new TreeMap<>();
    for (ConsumerMember m : view.image().members().values()) {
      if (m.isClassic()) {
        m.profile().classic().protocols().forEach(p -> supporters.merge(p.name(), 1, Integer::sum));
      }
    }
    int all = view.classicMembers();
    return request.protocols().stream().anyMatch(p -> supporters.getOrDefault(p.name(), 0) == all);
  }

  private void joinChecked(
      ConsumerGroup group,
      Caller caller,
      JoinGroupRequest request,
      String memberId,
      Consumer<JoinGroupResponse> answer) {
    ConsumerDraft draft = consumers.draft(group);
    ConsumerMember replaced = draft.view().staticMember(request.groupInstanceId());
    boolean downgrade = replaced != null && conversion.canDowngrade(draft.view(), replaced);
    ConsumerUpdate update = new ConsumerUpdate(draft, find(draft, request, memberId));
    ConsumerProtocolSubscription s = subscription(request);
    update.profile(
        profile(update.before().profile(), caller, request, s), consumers.refresh(group));
    update.groupEpoch(update.subscriptionChanged(), group.stale);
    Map<Uuid, Set<Integer>> owned = ConsumerProtocol.owned(s, draft.around().cluster());
    boolean appended;
    if (downgrade) {
      appended = downgrade(draft, update, owned, request, answer);
    } else {
      update.target();
      update.reconcile(owned);
      appended =
          coordinator.append(
              draft.records(), error -> joined(group, update, request, error, answer));
    }
    if (appended && !downgrade) {
      consumers.applied(group, update);
    }
  }

  private ConsumerMember find(ConsumerDraft draft, JoinGroupRequest request, String memberId) {
    ConsumerMembership membership = new ConsumerMembership(draft);
    String instanceId = request.groupInstanceId();
    if (instanceId == null) {
      return membership.joining(memberId);
    }
    return request.memberId().isEmpty()
        ? membership.joiningStatic(memberId, instanceId, true)
        : membership.knownStatic(memberId, instanceId);
  }

  private static ConsumerProtocolSubscription subscription(JoinGroupRequest request) {
    try {
      return ConsumerProtocol.subscription(request.protocols().get(0).metadata());
    } catch (MalformedMessageException e) {
      throw new GroupException(Errors.INCONSISTENT_GROUP_PROTOCOL);
    }
  }

  private static Profile profile(
      Profile old, Caller caller, JoinGroupRequest request, ConsumerProtocolSubscription s) {
    String rack = s.rackId() == null || s.rackId().isEmpty() ? old.rackId() : s.rackId();
    return new Profile(
        request.groupInstanceId() == null ? old.instanceId() : request.groupInstanceId(),
        rack,
        caller.clientId(),
        caller.host(),
        ConsumerMember.sorted(s.topics()),
        "",
        request.rebalanceTimeoutMs() == -1
            ? old.rebalanceTimeoutMs()
            : request.rebalanceTimeoutMs(),
        old.serverAssignor(),
        new Classic(request.sessionTimeoutMs(), Protocol.of(request.protocols())));
  }

  private boolean downgrade(
      ConsumerDraft draft,
      ConsumerUpdate update,
      Map<Uuid, Set<Integer>> owned,
      JoinGroupRequest request,
      Consumer<JoinGroupResponse> answer) {
    boolean outdated = draft.image().epochs().target() < draft.image().epochs().group();
    if (!outdated) {
      update.reconcile(owned);
    }
    JoinGroupResponse response = response(update.member());
    return conversion.downgrade(
        draft,
        List.of(),
        outdated ? "it became a classic group while its assignment was out of date" : null,
        error ->
            answer.accept(
                error == Errors.NONE
                    ? response
                    : ClassicGroup.joinError(request.memberId(), error)));
  }

  private static JoinGroupResponse response(ConsumerMember m) {
    return new JoinGroupResponse()
        .memberId(m.memberId())
        .generationId(m.epoch())
        .protocolType(ClassicGroup.CONSUMER)
        .protocolName(m.profile().classic().protocols().get(0).name());
  }

  private void joined(
      ConsumerGroup group,
      ConsumerUpdate update,
      JoinGroupRequest request,
      Errors error,
      Consumer<JoinGroupResponse> answer) {
    if (error != Errors.NONE) {
      answer.accept(ClassicGroup.joinError("", error));
      return;
    }
    String memberId = update.member().memberId();
    ConsumerGroup.Timers timers = group.timers(memberId);
    timers.join.cancel();
    consumers.heard(group, memberId, request.sessionTimeoutMs());
    timers.sync.set(
        request.rebalanceTimeoutMs(),
        () -> consumers.expired(group, memberId, "has not synced in time", m -> true));
    answer.accept(response(update.member()));
  }

  // ---- syncs and heartbeats

  void sync(ConsumerGroup group, SyncGroupRequest request, Consumer<SyncGroupResponse> answer) {
    try {
      ConsumerMember m = check(group, request.memberId(), request.groupInstanceId());
      checkGeneration(m, request.generationId());
      checkProtocol(m, request);
      if (group.view().image().epochs().target() > m.epoch()
          && m.current().state() != State.UNREVOKED_PARTITIONS) {
        expectJoin(group, m);
        throw new GroupException(Errors.REBALANCE_IN_PROGRESS);
      }
      byte[] owned =
          ConsumerProtocol.write(
              m.current().assigned(),
              coordinator.context().image().get(),
              ConsumerProtocol.version(m.profile().classic().protocols().get(0).metadata()));
      coordinator.afterWrites(error -> synced(group, m, request, owned, error, answer));
    } catch (GroupException e) {
      answer.accept(new SyncGroupResponse().errorCode(e.error().code()));
    }
  }

  private void synced(
      ConsumerGroup group,
      ConsumerMember m,
      SyncGroupRequest request,
      byte[] owned,
      Errors error,
      Consumer<SyncGroupResponse> answer) {
    if (error != Errors.NONE) {
      answer.accept(new SyncGroupResponse().errorCode(error.code()));
      return;
    }
    group.timers(m.memberId()).sync.cancel();
    consumers.heard(group, m.memberId(), m.profile().classic().sessionTimeoutMs());
    answer.accept(
        new SyncGroupResponse()
            .protocolType(request.protocolType())
            .protocolName(request.protocolName())
            .assignment(owned));
  }

  Errors heartbeat(ConsumerGroup group, HeartbeatRequest request) {
    ConsumerMember m;
    try {
      m = check(group, request.memberId(), request.groupInstanceId());
      checkGeneration(m, request.generationId());
    } catch (GroupException e) {
      return e.error();
    }
    consumers.heard(group, m.memberId(), m.profile().classic().sessionTimeoutMs());
    State state = m.current().state();
    if (m.epoch() < group.view().image().epochs().target()
        || state == State.UNREVOKED_PARTITIONS
        || (state == State.UNRELEASED_PARTITIONS && !waits(group, m))) {
      expectJoin(group, m);
      return Errors.REBALANCE_IN_PROGRESS;
    }
    return Errors.NONE;
  }

  /** Whether others still own something that it is to have. */
  private static boolean waits(ConsumerGroup group, ConsumerMember m) {
    ConsumerGroupImage image = group.view().image();
    for (Map.Entry<Uuid, Set<Integer>> e : image.target(m.memberId()).partitions().entrySet()) {
      for (int p : e.getValue()) {
        if (!m.current().assigned().contains(e.getKey(), p) && image.owner(e.getKey(), p) != null) {
          return true;
        }
      }
    }
    return false;
  }

  private void expectJoin(ConsumerGroup group, ConsumerMember m) {
    Deadline join = group.timers(m.memberId()).join;
    if (!join.isSet()) {
      join.set(
          m.profile().rebalanceTimeoutMs(),
          () -> consumers.expired(group, m.memberId(), "has not joined in time", now -> true));
    }
  }

  private ConsumerMember check(ConsumerGroup group, String memberId, String instanceId) {
    ConsumerMembership membership = new ConsumerMembership(consumers.draft(group));
    ConsumerMember m =
        instanceId == null
            ? membership.known(memberId)
            : membership.knownStatic(memberId, instanceId);
    if (!m.isClassic()) {
      throw new GroupException(Errors.UNKNOWN_MEMBER_ID);
    }
    return m;
  }

  private static void checkGeneration(ConsumerMember m, int generation) {
    if (m.epoch() != generation) {
      throw new GroupException(Errors.ILLEGAL_GENERATION);
    }
  }

  private static void checkProtocol(ConsumerMember m, SyncGroupRequest request) {
    String name = m.profile().classic().protocols().get(0).name();
    boolean otherType =
        request.protocolType() != null && !request.protocolType().equals(ClassicGroup.CONSUMER);
    if (otherType || (request.protocolName() != null && !request.protocolName().equals(name))) {
      throw new GroupException(Errors.INCONSISTENT_GROUP_PROTOCOL);
    }
  }

  // ---- leaving

  /** Answers as version 3 and later do: for each member, of whichever protocol. */
  void leave(
      ConsumerGroup group, List<MemberIdentity> leaving, Consumer<LeaveGroupResponse> answer) {
    ConsumerMembership membership = new ConsumerMembership(consumers.draft(group));
    Map<String, ConsumerMember> gone = new TreeMap<>();
    List<MemberResponse> results = new ArrayList<>();
    for (MemberIdentity m : leaving) {
      Errors error = Errors.NONE;
      try {
        ConsumerMember found = leaving(membership, group, m);
        gone.put(found.memberId(), found);
      } catch (GroupException e) {
        error = e.error();
      }
      results.add(
          new MemberResponse()
              .memberId(m.memberId())
              .groupInstanceId(m.groupInstanceId())
              .errorCode(error.code()));
    }
    Consumer<Errors> done =
        error ->
            answer.accept(
                error == Errors.NONE
                    ? new LeaveGroupResponse().members(results)
                    : new LeaveGroupResponse().errorCode(error.code()));
    if (gone.isEmpty()) {
      coordinator.afterWrites(done);
    } else {
      LOG.info("[Group {}] Members leave: {}", group.groupId(), gone.keySet());
      consumers.fence(group, gone.values(), done);
    }
  }

  /** An admin knows only the instance. */
  private static ConsumerMember leaving(
      ConsumerMembership membership, ConsumerGroup group, MemberIdentity m) {
    if (m.groupInstanceId() == null) {
      return membership.known(m.memberId());
    }
    ConsumerMember found = group.view().staticMember(m.groupInstanceId());
    if (found == null) {
      throw new GroupException(Errors.UNKNOWN_MEMBER_ID);
    }
    if (!m.memberId().isEmpty()) {
      membership.checkFence(found, m.memberId(), m.groupInstanceId());
    }
    return found;
  }
}
