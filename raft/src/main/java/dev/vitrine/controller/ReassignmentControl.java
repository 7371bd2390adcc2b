package dev.vitrine.controller;

import dev.vitrine.controller.PartitionUpdate.Election;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.AlterPartitionReassignmentsRequest;
import dev.vitrine.protocol.message.AlterPartitionReassignmentsRequest.ReassignablePartition;
import dev.vitrine.protocol.message.AlterPartitionReassignmentsRequest.ReassignableTopic;
import dev.vitrine.protocol.message.AlterPartitionReassignmentsResponse;
import dev.vitrine.protocol.message.AlterPartitionReassignmentsResponse.ReassignablePartitionResponse;
import dev.vitrine.protocol.message.AlterPartitionReassignmentsResponse.ReassignableTopicResponse;
import dev.vitrine.protocol.message.ListPartitionReassignmentsRequest;
import dev.vitrine.protocol.message.ListPartitionReassignmentsRequest.ListPartitionReassignmentsTopics;
import dev.vitrine.protocol.message.ListPartitionReassignmentsResponse;
import dev.vitrine.protocol.message.ListPartitionReassignmentsResponse.OngoingPartitionReassignment;
import dev.vitrine.protocol.message.ListPartitionReassignmentsResponse.OngoingTopicReassignment;
import dev.vitrine.protocol.message.PartitionChangeRecord;
import java.util.Collection;
import java.util.List;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * AlterPartitionReassignments v0-1 and ListPartitionReassignments v0 (KIP-455): begins, replaces
 * and cancels reassignments. They end by themselves, in {@link PartitionUpdate}, when an in-sync
 * set says so. On the quorum loop.
 *
 * <p>Each partition is decided alone. INVALID_REPLICA_ASSIGNMENT for replicas that are none,
 * doubled or not registered; INVALID_REPLICATION_FACTOR where a change of their number is not
 * allowed; NO_REASSIGNMENT_IN_PROGRESS for nothing to cancel; UNKNOWN_TOPIC_OR_PARTITION.
 */
final class ReassignmentControl {
  private static final Logger log = LoggerFactory.getLogger(ReassignmentControl.class);

  private final Leadership leadership;

  ReassignmentControl(Leadership leadership) {
    this.leadership = leadership;
  }

  AlterPartitionReassignmentsResponse alter(AlterPartitionReassignmentsRequest r, Draft draft) {
    if (r.topics().isEmpty()) {
      return new AlterPartitionReassignmentsResponse();
    }
    AlterPartitionReassignmentsResponse response =
        new AlterPartitionReassignmentsResponse()
            .allowReplicationFactorChange(r.allowReplicationFactorChange())
            .errorMessage(null);
    for (ReassignableTopic t : r.topics()) {
      ReassignableTopicResponse topic = new ReassignableTopicResponse().name(t.name());
      for (ReassignablePartition p : t.partitions()) {
        ReassignablePartitionResponse result = result(p.partitionIndex(), Errors.NONE, null);
        try {
          alterOne(t.name(), p, r.allowReplicationFactorChange(), draft);
        } catch (ControllerException e) {
          log.info("{}-{} is not reassigned: {}", t.name(), p.partitionIndex(), e.getMessage());
          // As in Kafka, what the error says by itself is not said again.
          boolean generic = e.getMessage().equals(e.error().message());
          result = result(p.partitionIndex(), e.error(), generic ? null : e.getMessage());
        }
        topic.partitions().add(result);
      }
      response.responses().add(topic);
    }
    return response;
  }

  private void alterOne(
      String name, ReassignablePartition p, boolean allowFactorChange, Draft draft) {
    TopicImage topic = draft.image().topic(name);
    if (topic == null) {
      throw new ControllerException(
          Errors.UNKNOWN_TOPIC_OR_PARTITION, "Unable to find a topic named " + name + ".");
    }
    PartitionImage now = topic.partition(p.partitionIndex());
    if (now == null) {
      throw new ControllerException(
          Errors.UNKNOWN_TOPIC_OR_PARTITION,
          "Unable to find partition " + name + ":" + p.partitionIndex() + ".");
    }
    PartitionUpdate update =
        leadership.update(draft.image(), topic, p.partitionIndex(), now).isr(now.isr());
    if (p.replicas() == null) {
      cancel(draft.image(), topic, p.partitionIndex(), now, update);
    } else {
      change(draft.image(), now, p.replicas(), allowFactorChange, update);
    }
    PartitionChangeRecord record = update.record();
    if (record != null) {
      draft.add(record);
      PartitionImage after = draft.image().partition(topic.id(), p.partitionIndex());
      log.info(
          "{}-{}: replicas {} become {}, adding {}, removing {}",
          name,
          p.partitionIndex(),
          now.replicas(),
          after.replicas(),
          after.addingReplicas(),
          after.removingReplicas());
    }
  }

  private void cancel(
      MetadataImage image, TopicImage topic, int index, PartitionImage now, PartitionUpdate to) {
    if (!now.isReassigning()) {
      throw new ControllerException(Errors.NO_REASSIGNMENT_IN_PROGRESS);
    }
    ReplicaAssignment reverted = ReplicaAssignment.of(now).reverted();
    List<Integer> isr = ReplicaAssignment.minus(now.isr(), now.addingReplicas());
    if (isr.isEmpty()) {
      // Only new replicas have all that was acknowledged: without them something is lost.
      if (!leadership.uncleanAllowed(image, topic.name())) {
        throw Placement.invalid(
            "Unable to revert partition assignment for "
                + topic.name()
                + ":"
                + index
                + " because it would require an unclean leader election.");
      }
      isr = List.of(reverted.replicas().get(0));
      to.recovering(true);
    }
    to.assignment(reverted).isr(isr);
  }

  private static void change(
      MetadataImage image,
      PartitionImage now,
      List<Integer> target,
      boolean allowFactorChange,
      PartitionUpdate to) {
    Placement.checkManual(image, target, OptionalInt.empty());
    ReplicaAssignment assignment = ReplicaAssignment.of(now);
    int factor = ReplicaAssignment.minus(now.replicas(), now.removingReplicas()).size();
    if (!allowFactorChange && target.size() != factor) {
      throw new ControllerException(
          Errors.INVALID_REPLICATION_FACTOR,
          "The replication factor is changed from " + factor + " to " + target.size());
    }
    to.assignment(assignment.towards(target, id -> Placement.directory(image, id)))
        .election(Election.ONLINE);
  }

  private static ReassignablePartitionResponse result(int index, Errors error, String message) {
    return new ReassignablePartitionResponse()
        .partitionIndex(index)
        .errorCode(error.code())
        .errorMessage(message);
  }

  /** Says nothing of what is not being reassigned, or not there. */
  ListPartitionReassignmentsResponse list(
      ListPartitionReassignmentsRequest r, MetadataImage image) {
    ListPartitionReassignmentsResponse response =
        new ListPartitionReassignmentsResponse().errorMessage(null);
    if (r.topics() == null) {
      for (TopicImage topic : image.topics().all()) {
        list(topic, topic.partitions().keySet(), response);
      }
    } else {
      for (ListPartitionReassignmentsTopics t : r.topics()) {
        TopicImage topic = image.topic(t.name());
        if (topic != null) {
          list(topic, t.partitionIndexes(), response);
        }
      }
    }
    return response;
  }

  private static void list(
      TopicImage topic, Collection<Integer> indexes, ListPartitionReassignmentsResponse to) {
    OngoingTopicReassignment ongoing = new OngoingTopicReassignment().name(topic.name());
    for (int index : indexes) {
      PartitionImage p = topic.partition(index);
      if (p != null && p.isReassigning()) {
        ongoing
            .partitions()
            .add(
                new OngoingPartitionReassignment()
                    .partitionIndex(index)
                    .replicas(p.replicas())
                    .addingReplicas(p.addingReplicas())
                    .removingReplicas(p.removingReplicas()));
      }
    }
    if (!ongoing.partitions().isEmpty()) {
      to.topics().add(ongoing);
    }
  }
}
