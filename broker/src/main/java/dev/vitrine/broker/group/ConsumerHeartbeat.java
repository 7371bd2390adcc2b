package dev.vitrine.broker.group;

import dev.vitrine.broker.group.ConsumerMember.Profile;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.vitrine.protocol.message.ConsumerGroupHeartbeatResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One ConsumerGroupHeartbeat of a member that joins or stays: a pure step from the group as it is
 * to records and an answer (KIP-848). The order of the checks is Kafka's.
 */
final class ConsumerHeartbeat {
  private final ConsumerDraft draft;
  private final Caller caller;
  private final ConsumerGroupHeartbeatRequest request;
  private final String memberId;
  private ConsumerUpdate update;

  /**
   * @param memberId of the request, or a new one if it has none
   */
  ConsumerHeartbeat(
      ConsumerDraft draft, Caller caller, ConsumerGroupHeartbeatRequest request, String memberId) {
    this.draft = draft;
    this.caller = caller;
    this.request = request;
    this.memberId = memberId;
  }

  /**
   * @param stale whether topics of the group may have changed since they were looked at
   * @throws GroupException if the member is refused; then nothing of the draft counts
   */
  ConsumerGroupHeartbeatResponse run(RegexRefresh refresh, boolean stale) {
    Map<Uuid, Set<Integer>> owned = owned();
    update = new ConsumerUpdate(draft, find(owned));
    update.profile(profile(update.before().profile()), refresh);
    boolean changed =
        update.topicsChanged()
            || update.regex() == RegexStatus.UPDATED_AND_RESOLVED
            || update.assignorChanged();
    update.groupEpoch(changed, stale);
    update.target();
    update.reconcile(owned);
    return answer();
  }

  /** What it has done, once it has run. */
  ConsumerUpdate update() {
    return update;
  }

  private ConsumerMember find(Map<Uuid, Set<Integer>> owned) {
    ConsumerMembership membership = new ConsumerMembership(draft);
    membership.checkSize(request.memberId(), request.instanceId());
    boolean joins = request.memberEpoch() == ConsumerMembership.JOIN_EPOCH;
    ConsumerMember m;
    if (request.instanceId() == null) {
      m = joins ? membership.joining(memberId) : membership.known(memberId);
    } else if (joins) {
      return membership.joiningStatic(memberId, request.instanceId(), false);
    } else {
      m = membership.knownStatic(memberId, request.instanceId());
    }
    ConsumerMembership.checkEpoch(m, request.memberEpoch(), owned);
    return m;
  }

  private Map<Uuid, Set<Integer>> owned() {
    if (request.topicPartitions() == null) {
      return null;
    }
    Map<Uuid, Set<Integer>> owned = new TreeMap<>();
    request
        .topicPartitions()
        .forEach(
            t -> owned.computeIfAbsent(t.topicId(), id -> new TreeSet<>()).addAll(t.partitions()));
    return owned;
  }

  /** What the request leaves out has not changed. */
  private Profile profile(Profile old) {
    return new Profile(
        request.instanceId() == null ? old.instanceId() : request.instanceId(),
        request.rackId() == null ? old.rackId() : request.rackId(),
        caller.clientId(),
        caller.host(),
        request.subscribedTopicNames() == null
            ? old.topics()
            : ConsumerMember.sorted(request.subscribedTopicNames()),
        request.subscribedTopicRegex() == null ? old.regex() : request.subscribedTopicRegex(),
        request.rebalanceTimeoutMs() == -1
            ? old.rebalanceTimeoutMs()
            : request.rebalanceTimeoutMs(),
        request.serverAssignor() == null ? old.serverAssignor() : request.serverAssignor(),
        null);
  }

  /** The assignment is told when it is new, and to who has told everything himself. */
  private ConsumerGroupHeartbeatResponse answer() {
    ConsumerMember m = update.member();
    ConsumerGroupHeartbeatResponse response =
        new ConsumerGroupHeartbeatResponse()
            .memberId(m.memberId())
            .memberEpoch(m.epoch())
            .heartbeatIntervalMs(draft.around().terms().heartbeatIntervalMs());
    boolean isFull =
        request.rebalanceTimeoutMs() != -1
            && (request.subscribedTopicNames() != null || request.subscribedTopicRegex() != null)
            && request.topicPartitions() != null;
    PartitionEpochs assigned = m.current().assigned();
    if (request.memberEpoch() == ConsumerMembership.JOIN_EPOCH
        || isFull
        || !assigned.equals(update.before().current().assigned())) {
      response.assignment(assignment(assigned));
    }
    return response;
  }

  private static ConsumerGroupHeartbeatResponse.Assignment assignment(PartitionEpochs assigned) {
    List<ConsumerGroupHeartbeatResponse.TopicPartitions> topics = new ArrayList<>();
    assigned
        .byTopic()
        .forEach(
            (topic, partitions) ->
                topics.add(
                    new ConsumerGroupHeartbeatResponse.TopicPartitions()
                        .topicId(topic)
                        .partitions(new ArrayList<>(partitions.keySet()))));
    return new ConsumerGroupHeartbeatResponse.Assignment().topicPartitions(topics);
  }
}
