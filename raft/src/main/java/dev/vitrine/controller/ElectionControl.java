package dev.vitrine.controller;

import dev.vitrine.controller.PartitionUpdate.Election;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.ElectLeadersRequest;
import dev.vitrine.protocol.message.ElectLeadersResponse;
import dev.vitrine.protocol.message.ElectLeadersResponse.PartitionResult;
import dev.vitrine.protocol.message.ElectLeadersResponse.ReplicaElectionResult;
import dev.vitrine.protocol.message.PartitionChangeRecord;
import java.util.Map;

/** ElectLeaders v0-2: by a user's wish, preferred or unclean. On the quorum loop. */
final class ElectionControl {
  private static final byte PREFERRED = 0;
  private static final byte UNCLEAN = 1;

  private final Leadership leadership;

  ElectionControl(Leadership leadership) {
    this.leadership = leadership;
  }

  ElectLeadersResponse elect(ElectLeadersRequest request, Draft draft) {
    byte type = request.electionType();
    if (type != PREFERRED && type != UNCLEAN) {
      throw new ControllerException(Errors.INVALID_REQUEST, "Unknown election type " + type);
    }
    ElectLeadersResponse response = new ElectLeadersResponse();
    if (request.topicPartitions() == null) {
      electAll(type, draft, response);
      return response;
    }
    for (ElectLeadersRequest.TopicPartitions t : request.topicPartitions()) {
      ReplicaElectionResult result = new ReplicaElectionResult().topic(t.topic());
      for (int partition : t.partitions()) {
        result.partitionResult().add(electOne(type, t.topic(), partition, draft));
      }
      response.replicaElectionResults().add(result);
    }
    return response;
  }

  /** Names every topic, but of its partitions only those that need an election. */
  private void electAll(byte type, Draft draft, ElectLeadersResponse response) {
    for (TopicImage topic : draft.image().topics().all()) {
      ReplicaElectionResult result = new ReplicaElectionResult().topic(topic.name());
      for (Map.Entry<Integer, PartitionImage> e : topic.partitions().entrySet()) {
        if (isNeeded(type, e.getValue())) {
          result.partitionResult().add(electOne(type, topic.name(), e.getKey(), draft));
        }
      }
      response.replicaElectionResults().add(result);
    }
  }

  private static boolean isNeeded(byte type, PartitionImage p) {
    return type == PREFERRED ? p.leader() != p.preferredReplica() : !p.hasLeader();
  }

  private PartitionResult electOne(byte type, String name, int index, Draft draft) {
    MetadataImage image = draft.image();
    TopicImage topic = image.topic(name);
    if (topic == null) {
      return result(index, Errors.UNKNOWN_TOPIC_OR_PARTITION, "No such topic as " + name);
    }
    PartitionImage partition = topic.partition(index);
    if (partition == null) {
      return result(
          index, Errors.UNKNOWN_TOPIC_OR_PARTITION, "No such partition as " + name + "-" + index);
    }
    if (!isNeeded(type, partition)) {
      return result(index, Errors.ELECTION_NOT_NEEDED, Errors.ELECTION_NOT_NEEDED.message());
    }
    PartitionChangeRecord record =
        leadership
            .update(image, topic, index, partition)
            .election(type == PREFERRED ? Election.PREFERRED : Election.UNCLEAN)
            .record();
    // As in Kafka, any change counts, also one that makes another than the preferred replica lead.
    if (record == null) {
      Errors error =
          type == PREFERRED
              ? Errors.PREFERRED_LEADER_NOT_AVAILABLE
              : Errors.ELIGIBLE_LEADERS_NOT_AVAILABLE;
      return result(index, error, error.message());
    }
    draft.add(record);
    return result(index, Errors.NONE, null);
  }

  static PartitionResult result(int partition, Errors error, String message) {
    return new PartitionResult()
        .partitionId(partition)
        .errorCode(error.code())
        .errorMessage(message);
  }
}
