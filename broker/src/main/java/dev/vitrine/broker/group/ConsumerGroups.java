package dev.vitrine.broker.group;

import dev.vitrine.broker.group.ConsumerMember.State;
import dev.vitrine.metadata.ImageChange;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionChange;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.vitrine.protocol.message.ConsumerGroupHeartbeatResponse;
import dev.vitrine.seam.Shard;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * ConsumerGroupHeartbeat, and what time and changes of topics do to consumer groups (KIP-848): lets
 * the pure steps decide, appends their records, and keeps the timers. Belongs to the coordinator.
 */
final class ConsumerGroups {
  private static final Logger LOG = LoggerFactory.getLogger(ConsumerGroups.class);

  /** A member that could not be removed because nothing can be written is tried again then. */
  private static final int RETRY_MS = 500;

  private final PartitionCoordinator coordinator;
  private final LiveGroups groups;
  private final GroupConversion conversion;
  private final Shard shard;

  /** The metadata offset at which topics were created last. */
  private long newTopicsSince;

  ConsumerGroups(PartitionCoordinator coordinator, LiveGroups groups, GroupConversion conversion) {
    this.coordinator = coordinator;
    this.groups = groups;
    this.conversion = conversion;
    this.shard = coordinator.context().shard();
  }

  ConsumerDraft.Surroundings around(String groupId) {
    CoordinatorContext c = coordinator.context();
    return new ConsumerDraft.Surroundings(
        c.image().get(), c.settings(), c.terms().apply(groupId), c.assignors(), shard.now());
  }

  ConsumerDraft draft(ConsumerGroup group) {
    return new ConsumerDraft(group.groupId(), group.view(), around(group.groupId()));
  }

  // ---- heartbeats

  void heartbeat(
      Caller caller,
      ConsumerGroupHeartbeatRequest request,
      Consumer<ConsumerGroupHeartbeatResponse> answer) {
    try {
      if (request.memberEpoch() < ConsumerMembership.JOIN_EPOCH) {
        leave(request, answer);
      } else {
        beat(caller, request, answer);
      }
    } catch (GroupException e) {
      answer.accept(refusal(e.error(), e.getMessage()));
    }
  }

  static ConsumerGroupHeartbeatResponse refusal(Errors error, String message) {
    return new ConsumerGroupHeartbeatResponse().errorCode(error.code()).errorMessage(message);
  }

  private void beat(
      Caller caller,
      ConsumerGroupHeartbeatRequest request,
      Consumer<ConsumerGroupHeartbeatResponse> answer) {
    String groupId = request.groupId();
    boolean joins = request.memberEpoch() == ConsumerMembership.JOIN_EPOCH;
    ConsumerDraft draft = open(groupId, joins);
    ConsumerGroup before = groups.consumer(groupId);
    String memberId = request.memberId().isEmpty() ? newMemberId() : request.memberId();
    ConsumerHeartbeat step = new ConsumerHeartbeat(draft, caller, request, memberId);
    ConsumerGroupHeartbeatResponse response =
        step.run(refresh(before), before == null || before.stale);
    logJoin(joins, draft, memberId);
    if (groups.get(groupId) instanceof ClassicGroup classic) {
      classic.interrupt();
    }
    boolean appended =
        coordinator.append(
            draft.records(),
            error -> answer.accept(error == Errors.NONE ? response : refusal(error, null)));
    ConsumerGroup group = groups.consumer(groupId);
    if (appended && group != null) {
      applied(group, step.update());
      heard(group, memberId, draft.around().terms().sessionTimeoutMs());
      if (before == null) {
        startClassicSessions(group, memberId);
      }
    }
  }

  /** The group as it is or, for one who joins, as it would be made. */
  private ConsumerDraft open(String groupId, boolean joins) {
    Group g = groups.get(groupId);
    if (g instanceof ConsumerGroup consumer) {
      return draft(consumer);
    }
    if (!joins) {
      throw new GroupException(
          Errors.GROUP_ID_NOT_FOUND,
          g == null
              ? "Consumer group " + groupId + " not found."
              : "Group " + groupId + " is not a consumer group.");
    }
    ConsumerDraft draft =
        new ConsumerDraft(groupId, new ConsumerGroupView(ConsumerGroupImage.NEW), around(groupId));
    if (g instanceof ClassicGroup classic) {
      conversion.upgrade(classic, draft);
    }
    return draft;
  }

  private void logJoin(boolean joins, ConsumerDraft draft, String memberId) {
    if (joins) {
      LOG.info(
          "[Group {}] Member {} joins by the consumer protocol, epoch {}",
          draft.groupId(),
          memberId,
          draft.image().epochs().group());
    }
  }

  /** As Kafka makes ids: none begins with a dash. */
  String newMemberId() {
    Uuid id;
    do {
      id =
          new Uuid(
              shard.random().nextLong() & ~0xf000L | 0x4000L,
              shard.random().nextLong() & 0x3fffffffffffffffL | 0x8000000000000000L);
    } while (id.toString().startsWith("-"));
    return id.toString();
  }

  /** What a step that was appended means for timers and patterns. */
  void applied(ConsumerGroup group, ConsumerUpdate update) {
    if (update.isRefreshed()) {
      group.stale = false;
    }
    ConsumerMember m = update.member();
    if (!m.isClassic() && !m.current().equals(update.before().current())) {
      if (m.current().state() == State.UNREVOKED_PARTITIONS) {
        expectRevocation(group, m);
      } else {
        group.timers(m.memberId()).revocation.cancel();
      }
    }
    if (!update.regexesDue().isEmpty()) {
      resolve(group, update.regexesDue());
    }
  }

  private void leave(
      ConsumerGroupHeartbeatRequest request, Consumer<ConsumerGroupHeartbeatResponse> answer) {
    Group g = groups.get(request.groupId());
    if (!(g instanceof ConsumerGroup group)) {
      throw new GroupException(
          Errors.GROUP_ID_NOT_FOUND,
          "Group " + request.groupId() + (g == null ? " not found." : " is not a consumer group."));
    }
    ConsumerMembership membership = new ConsumerMembership(draft(group));
    ConsumerMember m =
        request.instanceId() == null
            ? membership.known(request.memberId())
            : membership.knownStatic(request.memberId(), request.instanceId());
    LOG.info("[Group {}] Member {} leaves", group.groupId(), m.memberId());
    ConsumerGroupHeartbeatResponse response =
        new ConsumerGroupHeartbeatResponse()
            .memberId(m.memberId())
            .memberEpoch(request.memberEpoch());
    Consumer<Errors> done =
        error -> answer.accept(error == Errors.NONE ? response : refusal(error, null));
    if (request.instanceId() != null
        && request.memberEpoch() == ConsumerMembership.STATIC_LEAVE_EPOCH) {
      ConsumerDraft draft = draft(group);
      ConsumerFence.leaveForNow(draft, m);
      coordinator.append(draft.records(), done);
    } else {
      fence(group, List.of(m), done);
    }
  }

  /**
   * Members go. If only members of the classic protocol remain, the group becomes a classic one.
   *
   * @return whether that could be written
   */
  boolean fence(ConsumerGroup group, Collection<ConsumerMember> members, Consumer<Errors> done) {
    if (conversion.canDowngrade(group.view(), members)) {
      return conversion.downgrade(draft(group), members, done);
    }
    ConsumerDraft draft = draft(group);
    ConsumerFence.fence(draft, members);
    if (!coordinator.append(draft.records(), done)) {
      return false;
    }
    members.forEach(m -> group.cancelTimers(m.memberId()));
    return true;
  }

  // ---- time

  /** A loaded group: all its members have their session time from now. */
  void start(ConsumerGroup group) {
    int session = coordinator.context().terms().apply(group.groupId()).sessionTimeoutMs();
    for (ConsumerMember m : group.view().image().members().values()) {
      heard(group, m.memberId(), session);
      if (m.current().state() == State.UNREVOKED_PARTITIONS) {
        expectRevocation(group, m);
      }
    }
  }

  /** Before any group. */
  void start() {
    newTopicsSince = coordinator.context().image().get().offset();
  }

  private void startClassicSessions(ConsumerGroup group, String except) {
    for (ConsumerMember m : group.view().image().members().values()) {
      if (m.isClassic() && !m.memberId().equals(except)) {
        heard(group, m.memberId(), m.profile().classic().sessionTimeoutMs());
      }
    }
  }

  /** Something was heard of the member. */
  void heard(ConsumerGroup group, String memberId, int sessionTimeoutMs) {
    group
        .timers(memberId)
        .session
        .set(sessionTimeoutMs, () -> expired(group, memberId, "has fallen silent", m -> true));
  }

  private void expectRevocation(ConsumerGroup group, ConsumerMember m) {
    int epoch = m.epoch();
    group
        .timers(m.memberId())
        .revocation
        .set(
            m.profile().rebalanceTimeoutMs(),
            () ->
                expired(
                    group,
                    m.memberId(),
                    "has not left epoch " + epoch + " in time",
                    now -> now.epoch() == epoch));
  }

  interface Condition {
    boolean holds(ConsumerMember now);
  }

  /** The member's time is up: it is fenced if the condition still holds. */
  void expired(ConsumerGroup group, String memberId, String why, Condition condition) {
    coordinator.run(
        () -> {
          ConsumerMember m =
              groups.consumer(group.groupId()) == group
                  ? group.view().image().members().get(memberId)
                  : null;
          if (m == null || !condition.holds(m)) {
            return;
          }
          LOG.info("[Group {}] Member {} {} and is removed", group.groupId(), memberId, why);
          if (!fence(group, List.of(m), error -> {})) {
            group
                .timers(memberId)
                .session
                .set(RETRY_MS, () -> expired(group, memberId, why, condition));
          }
        });
  }

  // ---- topics

  /** Topics have come, gone or changed: who is subscribed to them looks at them again. */
  void metadataChanged(ImageChange change) {
    if (!change.createdTopics().isEmpty()) {
      newTopicsSince = change.after().offset();
    }
    Set<String> names = new TreeSet<>();
    change.createdTopics().forEach(t -> names.add(t.name()));
    change.deletedTopics().forEach(t -> names.add(t.name()));
    for (PartitionChange p : change.partitions()) {
      if (p.before() == null
          || p.after() == null
          || !p.before().replicas().equals(p.after().replicas())) {
        names.add(p.topic());
      }
    }
    if (names.isEmpty()) {
      return;
    }
    for (Group g : groups.all()) {
      if (g instanceof ConsumerGroup c && !c.stale) {
        c.stale = names.stream().anyMatch(c.view().subscribedTopics()::contains);
      }
    }
  }

  // ---- patterns

  RegexRefresh refresh(ConsumerGroup group) {
    return new RegexRefresh(
        group != null && group.resolving,
        newTopicsSince,
        coordinator.context().settings().consumer().regexRefreshIntervalMs());
  }

  private void resolve(ConsumerGroup group, SortedSet<String> regexes) {
    group.resolving = true;
    MetadataImage cluster = coordinator.context().image().get();
    long now = shard.now();
    shard.offload(
        () -> RegexResolution.resolve(regexes, cluster, now),
        (resolved, failure) -> {
          group.resolving = false;
          if (failure != null) {
            LOG.error("[Group {}] Cannot resolve {}", group.groupId(), regexes, failure);
          } else if (coordinator.isActive() && groups.consumer(group.groupId()) == group) {
            coordinator.run(() -> resolved(group, resolved));
          }
        });
  }

  private void resolved(ConsumerGroup group, SortedMap<String, ResolvedRegex> resolved) {
    ConsumerDraft draft = draft(group);
    int epochBefore = draft.image().epochs().group();
    boolean changed = false;
    for (String regex : new ArrayList<>(resolved.keySet())) {
      if (!draft.view().regexSubscribers().containsKey(regex)) {
        continue; // nobody wants it any more
      }
      ResolvedRegex before = draft.image().regexes().get(regex);
      ResolvedRegex now = resolved.get(regex);
      Set<String> topicsBefore = before == null ? Set.of() : before.topics();
      changed |= !topicsBefore.equals(now.topics());
      draft.add(ConsumerGroupRecords.regex(group.groupId(), regex, now));
    }
    long hash = draft.metadataHash();
    if (changed || hash != draft.image().epochs().metadataHash()) {
      draft.nextEpoch(hash);
    }
    boolean appended =
        coordinator.append(
            draft.records(),
            error -> {
              if (error != Errors.NONE) {
                LOG.warn("[Group {}] Cannot store patterns: {}", group.groupId(), error);
              }
            });
    if (appended && draft.image().epochs().group() != epochBefore) {
      group.stale = false;
    }
  }
}
