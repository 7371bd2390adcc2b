package dev.vitrine.controller;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.*;

/** The answer of each API when the request as a whole is refused. Stateless. */
final class Refusals {
  private Refusals() {}

  static ApiMessage of(ApiMessage request, short version, Errors error, String message) {
    short code = error.code();
    if (request instanceof BrokerHeartbeatRequest) {
      return new BrokerHeartbeatResponse().errorCode(code);
    } else if (request instanceof AlterPartitionRequest) {
      return new AlterPartitionResponse().errorCode(code);
    } else if (request instanceof BrokerRegistrationRequest) {
      return new BrokerRegistrationResponse().errorCode(code);
    } else if (request instanceof AllocateProducerIdsRequest) {
      return new AllocateProducerIdsResponse().errorCode(code);
    } else if (request instanceof AssignReplicasToDirsRequest) {
      return new AssignReplicasToDirsResponse().errorCode(code);
    } else if (request instanceof UnregisterBrokerRequest) {
      return new UnregisterBrokerResponse().errorCode(code).errorMessage(message);
    } else if (request instanceof ControllerRegistrationRequest) {
      return new ControllerRegistrationResponse().errorCode(code).errorMessage(message);
    } else if (request instanceof UnregisterControllerRequest) {
      return new UnregisterControllerResponse().errorCode(code).errorMessage(message);
    } else if (request instanceof ListPartitionReassignmentsRequest) {
      return new ListPartitionReassignmentsResponse().errorCode(code).errorMessage(message);
    } else if (request instanceof UpdateFeaturesRequest) {
      return new UpdateFeaturesResponse().errorCode(code).errorMessage(message);
    }
    return ofParts(request, version, error, message);
  }

  /** Those that have no place for an error but at each part. */
  private static ApiMessage ofParts(
      ApiMessage request, short version, Errors error, String message) {
    if (request instanceof CreateTopicsRequest r) {
      CreateTopicsResponse response = new CreateTopicsResponse();
      r.topics()
          .forEach(t -> response.topics().add(TopicCreation.refusal(t.name(), error, message)));
      return response;
    } else if (request instanceof DeleteTopicsRequest r) {
      DeleteTopicsResponse response = new DeleteTopicsResponse();
      TopicControl.states(r, version)
          .forEach(
              s ->
                  response
                      .responses()
                      .add(TopicControl.result(s.name(), s.topicId(), error, message)));
      return response;
    } else if (request instanceof CreatePartitionsRequest r) {
      CreatePartitionsResponse response = new CreatePartitionsResponse();
      r.topics().forEach(t -> response.results().add(TopicControl.grown(t.name(), error, message)));
      return response;
    } else if (request instanceof ElectLeadersRequest r) {
      return electLeaders(r, version, error, message);
    } else if (request instanceof AlterPartitionReassignmentsRequest r) {
      return reassignments(r, error, message);
    } else if (request instanceof IncrementalAlterConfigsRequest r) {
      IncrementalAlterConfigsResponse response = new IncrementalAlterConfigsResponse();
      for (IncrementalAlterConfigsRequest.AlterConfigsResource c : r.resources()) {
        response
            .responses()
            .add(
                new IncrementalAlterConfigsResponse.AlterConfigsResourceResponse()
                    .resourceType(c.resourceType())
                    .resourceName(c.resourceName())
                    .errorCode(error.code())
                    .errorMessage(message));
      }
      return response;
    } else if (request instanceof AlterConfigsRequest r) {
      AlterConfigsResponse response = new AlterConfigsResponse();
      for (AlterConfigsRequest.AlterConfigsResource c : r.resources()) {
        response
            .responses()
            .add(
                new AlterConfigsResponse.AlterConfigsResourceResponse()
                    .resourceType(c.resourceType())
                    .resourceName(c.resourceName())
                    .errorCode(error.code())
                    .errorMessage(message));
      }
      return response;
    }
    return clientQuotas((AlterClientQuotasRequest) request, error, message);
  }

  private static ApiMessage clientQuotas(AlterClientQuotasRequest r, Errors error, String message) {
    AlterClientQuotasResponse response = new AlterClientQuotasResponse();
    for (AlterClientQuotasRequest.EntryData e : r.entries()) {
      AlterClientQuotasResponse.EntryData entry =
          new AlterClientQuotasResponse.EntryData().errorCode(error.code()).errorMessage(message);
      e.entity()
          .forEach(
              part ->
                  entry
                      .entity()
                      .add(
                          new AlterClientQuotasResponse.EntityData()
                              .entityType(part.entityType())
                              .entityName(part.entityName())));
      response.entries().add(entry);
    }
    return response;
  }

  private static ApiMessage reassignments(
      AlterPartitionReassignmentsRequest r, Errors error, String message) {
    AlterPartitionReassignmentsResponse response =
        new AlterPartitionReassignmentsResponse().errorCode(error.code()).errorMessage(message);
    for (AlterPartitionReassignmentsRequest.ReassignableTopic t : r.topics()) {
      AlterPartitionReassignmentsResponse.ReassignableTopicResponse topic =
          new AlterPartitionReassignmentsResponse.ReassignableTopicResponse().name(t.name());
      for (AlterPartitionReassignmentsRequest.ReassignablePartition p : t.partitions()) {
        topic
            .partitions()
            .add(
                new AlterPartitionReassignmentsResponse.ReassignablePartitionResponse()
                    .partitionIndex(p.partitionIndex())
                    .errorCode(error.code())
                    .errorMessage(message));
      }
      response.responses().add(topic);
    }
    return response;
  }

  private static ApiMessage electLeaders(
      ElectLeadersRequest r, short version, Errors error, String message) {
    ElectLeadersResponse response = new ElectLeadersResponse();
    if (version >= 1) {
      response.errorCode(error.code());
    }
    if (r.topicPartitions() != null) {
      for (ElectLeadersRequest.TopicPartitions t : r.topicPartitions()) {
        ElectLeadersResponse.ReplicaElectionResult result =
            new ElectLeadersResponse.ReplicaElectionResult().topic(t.topic());
        t.partitions()
            .forEach(p -> result.partitionResult().add(ElectionControl.result(p, error, message)));
        response.replicaElectionResults().add(result);
      }
    }
    return response;
  }
}
