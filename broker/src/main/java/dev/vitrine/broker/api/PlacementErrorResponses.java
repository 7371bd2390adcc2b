package dev.vitrine.broker.api;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.AlterPartitionReassignmentsRequest;
import dev.vitrine.protocol.message.AlterPartitionReassignmentsRequest.ReassignableTopic;
import dev.vitrine.protocol.message.AlterPartitionReassignmentsResponse;
import dev.vitrine.protocol.message.AlterPartitionReassignmentsResponse.ReassignablePartitionResponse;
import dev.vitrine.protocol.message.AlterPartitionReassignmentsResponse.ReassignableTopicResponse;
import dev.vitrine.protocol.message.ElectLeadersRequest;
import dev.vitrine.protocol.message.ElectLeadersRequest.TopicPartitions;
import dev.vitrine.protocol.message.ElectLeadersResponse;
import dev.vitrine.protocol.message.ElectLeadersResponse.PartitionResult;
import dev.vitrine.protocol.message.ElectLeadersResponse.ReplicaElectionResult;

/** {@link ErrorResponses} of what asks where partitions lie and who leads them. Stateless. */
final class PlacementErrorResponses {
  private static final short FIRST_WITH_WHOLE_ERROR = 1;

  private PlacementErrorResponses() {}

  static ApiMessage reassignments(AlterPartitionReassignmentsRequest request, Errors e) {
    AlterPartitionReassignmentsResponse response =
        new AlterPartitionReassignmentsResponse().errorCode(e.code()).errorMessage(null);
    for (ReassignableTopic t : request.topics()) {
      ReassignableTopicResponse topic = new ReassignableTopicResponse().name(t.name());
      t.partitions()
          .forEach(
              p ->
                  topic
                      .partitions()
                      .add(
                          new ReassignablePartitionResponse()
                              .partitionIndex(p.partitionIndex())
                              .errorCode(e.code())
                              .errorMessage(null)));
      response.responses().add(topic);
    }
    return response;
  }

  static ApiMessage elections(ElectLeadersRequest request, short version, Errors e) {
    ElectLeadersResponse response = new ElectLeadersResponse();
    if (version >= FIRST_WITH_WHOLE_ERROR) {
      response.errorCode(e.code());
    }
    if (request.topicPartitions() != null) {
      for (TopicPartitions t : request.topicPartitions()) {
        ReplicaElectionResult result = new ReplicaElectionResult().topic(t.topic());
        t.partitions()
            .forEach(
                p ->
                    result
                        .partitionResult()
                        .add(
                            new PartitionResult()
                                .partitionId(p)
                                .errorCode(e.code())
                                .errorMessage(null)));
        response.replicaElectionResults().add(result);
      }
    }
    return response;
  }
}
