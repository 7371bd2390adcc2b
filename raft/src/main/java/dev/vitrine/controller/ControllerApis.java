package dev.vitrine.controller;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.message.*;
import java.util.List;

/**
 * Which concern decides on which request. On the quorum loop; keeps nothing itself.
 *
 * @param topics CreateTopics
 * @param topicChanges what happens to topics later
 */
record ControllerApis(
    BrokerControl brokers,
    HeartbeatControl heartbeats,
    AlterPartitionControl partitions,
    TopicCreation topics,
    TopicControl topicChanges,
    ConfigControl configs,
    ClientQuotaControl quotas,
    FeatureControl features,
    ElectionControl elections,
    ReassignmentControl reassignments,
    NodeControl nodes) {
  static final List<ApiKeys> ALL =
      List.of(
          ApiKeys.CREATE_TOPICS,
          ApiKeys.DELETE_TOPICS,
          ApiKeys.ALTER_CONFIGS,
          ApiKeys.CREATE_PARTITIONS,
          ApiKeys.ELECT_LEADERS,
          ApiKeys.INCREMENTAL_ALTER_CONFIGS,
          ApiKeys.ALTER_PARTITION_REASSIGNMENTS,
          ApiKeys.LIST_PARTITION_REASSIGNMENTS,
          ApiKeys.ALTER_CLIENT_QUOTAS,
          ApiKeys.ALTER_PARTITION,
          ApiKeys.UPDATE_FEATURES,
          ApiKeys.BROKER_REGISTRATION,
          ApiKeys.BROKER_HEARTBEAT,
          ApiKeys.UNREGISTER_BROKER,
          ApiKeys.ALLOCATE_PRODUCER_IDS,
          ApiKeys.CONTROLLER_REGISTRATION,
          ApiKeys.ASSIGN_REPLICAS_TO_DIRS,
          ApiKeys.UNREGISTER_CONTROLLER);

  /**
   * Adds the records to the draft and returns the answer for when they are committed.
   *
   * @throws ControllerException if the request as a whole is refused
   */
  ApiMessage decide(ApiMessage request, short version, Draft draft, long nowTicks) {
    if (request instanceof BrokerHeartbeatRequest r) {
      return heartbeats.heartbeat(r, draft, nowTicks);
    } else if (request instanceof AlterPartitionRequest r) {
      return partitions.alter(r, version, draft);
    } else if (request instanceof CreateTopicsRequest r) {
      return topics.create(r, draft);
    } else if (request instanceof DeleteTopicsRequest r) {
      return topicChanges.delete(r, version, draft);
    } else if (request instanceof CreatePartitionsRequest r) {
      return topicChanges.grow(r, draft);
    } else if (request instanceof IncrementalAlterConfigsRequest r) {
      return configs.alter(r, draft);
    } else if (request instanceof AlterConfigsRequest r) {
      return configs.replace(r, draft);
    } else if (request instanceof AlterClientQuotasRequest r) {
      return quotas.alter(r, draft);
    } else if (request instanceof ElectLeadersRequest r) {
      return elections.elect(r, draft);
    } else if (request instanceof AlterPartitionReassignmentsRequest r) {
      return reassignments.alter(r, draft);
    } else if (request instanceof ListPartitionReassignmentsRequest r) {
      return reassignments.list(r, draft.image());
    } else if (request instanceof UpdateFeaturesRequest r) {
      return features.update(r, version, draft);
    } else if (request instanceof BrokerRegistrationRequest r) {
      return brokers.register(r, version, draft, nowTicks);
    } else if (request instanceof UnregisterBrokerRequest r) {
      return brokers.unregister(r, draft);
    } else if (request instanceof AllocateProducerIdsRequest r) {
      return nodes.allocate(r, draft);
    } else if (request instanceof AssignReplicasToDirsRequest r) {
      return nodes.assign(r, draft);
    } else if (request instanceof ControllerRegistrationRequest r) {
      return nodes.register(r, draft);
    } else if (request instanceof UnregisterControllerRequest r) {
      return nodes.unregister(r, draft);
    }
    throw new IllegalArgumentException("not a request for the controller: " + request);
  }

  /** How long the client wants to wait; the longest for requests that do not say. */
  static int timeoutMs(ApiMessage request) {
    if (request instanceof CreateTopicsRequest r) {
      return r.timeoutMs();
    } else if (request instanceof DeleteTopicsRequest r) {
      return r.timeoutMs();
    } else if (request instanceof CreatePartitionsRequest r) {
      return r.timeoutMs();
    } else if (request instanceof ElectLeadersRequest r) {
      return r.timeoutMs();
    } else if (request instanceof AlterPartitionReassignmentsRequest r) {
      return r.timeoutMs();
    } else if (request instanceof UpdateFeaturesRequest r) {
      return r.timeoutMs();
    }
    return Integer.MAX_VALUE;
  }
}
