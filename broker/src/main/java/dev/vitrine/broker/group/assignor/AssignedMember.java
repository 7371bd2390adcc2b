package dev.vitrine.broker.group.assignor;

import dev.vitrine.protocol.Uuid;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A member of a consumer group, as assignors see it.
 *
 * @param instanceId of a static member
 * @param rackId as the member says; neither of Kafka's two assignors looks at it
 * @param subscribedTopics ids of all topics that it wants, by name or by pattern
 * @param target what it was to own so far
 */
public record AssignedMember(
    Optional<String> instanceId,
    Optional<String> rackId,
    Set<Uuid> subscribedTopics,
    Map<Uuid, Set<Integer>> target) {}
