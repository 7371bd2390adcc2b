package dev.vitrine.broker.group.assignor;

import dev.vitrine.protocol.Uuid;
import java.util.Map;
import java.util.SortedMap;

/**
 * What an assignor looks at.
 *
 * @param members by member id
 * @param partitionCounts of the topics that are there, by topic id
 */
public record AssignmentInput(
    SortedMap<String, AssignedMember> members, Map<Uuid, Integer> partitionCounts) {}
