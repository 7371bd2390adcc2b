package dev.vitrine.controller;

import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.AlterPartitionRequest;
import dev.vitrine.protocol.message.AlterPartitionRequest.BrokerState;
import dev.vitrine.protocol.message.AlterPartitionResponse;
import dev.vitrine.protocol.message.PartitionChangeRecord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * AlterPartition v2-3: a leader shrinks or expands the in-sync set of what it leads, or says that
 * it has recovered from an unclean election. On the quorum loop.
 */
final class AlterPartitionControl {
  private static final Logger log = LoggerFactory.getLogger(AlterPartitionControl.class);
  private static final int FIRST_VERSION_WITH_EPOCHS = 3;

  private final Leadership leadership;

  AlterPartitionControl(Leadership leadership) {
    this.leadership = leadership;
  }

  AlterPartitionResponse alter(AlterPartitionRequest r, short version, Draft draft) {
    AlterPartitionResponse response = new AlterPartitionResponse();
    if (r.topics().isEmpty()) {
      return response; // Kafka does not even look at who asks
    }
    BrokerControl.current(draft.image(), r.brokerId(), r.brokerEpoch());
    for (AlterPartitionRequest.TopicData t : r.topics()) {
      AlterPartitionResponse.TopicData answer =
          new AlterPartitionResponse.TopicData().topicId(t.topicId());
      for (AlterPartitionRequest.PartitionData p : t.partitions()) {
        TopicImage topic = draft.image().topic(t.topicId());
        answer.partitions().add(alterOne(r.brokerId(), topic, p, version, draft));
      }
      response.topics().add(answer);
    }
    return response;
  }

  private AlterPartitionResponse.PartitionData alterOne(
      int broker,
      TopicImage topic,
      AlterPartitionRequest.PartitionData p,
      short version,
      Draft draft) {
    List<BrokerState> isr = wanted(p, version);
    Errors error = check(draft.image(), broker, topic, p, isr);
    AlterPartitionResponse.PartitionData answer =
        new AlterPartitionResponse.PartitionData().partitionIndex(p.partitionIndex());
    if (error != Errors.NONE) {
      log.info(
          "broker {} may not alter partition {} of {}: {}",
          broker,
          p.partitionIndex(),
          topic == null ? "an unknown topic" : topic.name(),
          error);
      return answer.errorCode(error.code());
    }
    PartitionImage partition = topic.partition(p.partitionIndex());
    PartitionChangeRecord record =
        leadership
            .update(draft.image(), topic, p.partitionIndex(), partition)
            .isr(isr.stream().map(BrokerState::brokerId).toList())
            .recovering(p.leaderRecoveryState() == 1)
            .record();
    if (record != null) {
      draft.add(record);
    }
    PartitionImage now = draft.image().partition(topic.id(), p.partitionIndex());
    if (partition.isReassigning() && !now.isReassigning()) {
      log.info(
          "{}-{}: the reassignment is complete, replicas {}, leader {}",
          topic.name(),
          p.partitionIndex(),
          now.replicas(),
          now.leader());
    }
    if (now.leader() != broker) {
      // The end of a reassignment: an error, although the change was made. Metadata tell the rest.
      return answer.errorCode(Errors.NEW_LEADER_ELECTED.code());
    }
    return answer
        .leaderId(now.leader())
        .leaderEpoch(now.leaderEpoch())
        .isr(new ArrayList<>(now.isr()))
        .leaderRecoveryState((byte) (now.recovering() ? 1 : 0))
        .partitionEpoch(now.partitionEpoch());
  }

  private static List<BrokerState> wanted(AlterPartitionRequest.PartitionData p, short version) {
    if (version >= FIRST_VERSION_WITH_EPOCHS) {
      return p.newIsrWithEpochs();
    }
    List<BrokerState> states = new ArrayList<>();
    p.newIsr().forEach(id -> states.add(new BrokerState().brokerId(id).brokerEpoch(-1)));
    return states;
  }

  private static Errors check(
      MetadataImage image,
      int broker,
      TopicImage topic,
      AlterPartitionRequest.PartitionData p,
      List<BrokerState> isr) {
    if (topic == null) {
      return Errors.UNKNOWN_TOPIC_ID;
    }
    PartitionImage now = topic.partition(p.partitionIndex());
    if (now == null) {
      return Errors.UNKNOWN_TOPIC_OR_PARTITION;
    }
    // A leader that knows of later epochs than this controller has found one that was replaced.
    if (p.leaderEpoch() > now.leaderEpoch() || p.partitionEpoch() > now.partitionEpoch()) {
      return Errors.NOT_CONTROLLER;
    }
    if (p.leaderEpoch() < now.leaderEpoch()) {
      return Errors.FENCED_LEADER_EPOCH;
    }
    if (broker != now.leader()) {
      return Errors.INVALID_REQUEST;
    }
    if (p.partitionEpoch() < now.partitionEpoch()) {
      return Errors.INVALID_UPDATE_VERSION;
    }
    List<Integer> ids = isr.stream().map(BrokerState::brokerId).toList();
    boolean recovering = p.leaderRecoveryState() == 1;
    if (!ids.contains(now.leader())
        || !now.replicas().containsAll(ids)
        || new HashSet<>(ids).size() != ids.size()
        || p.leaderRecoveryState() < 0
        || p.leaderRecoveryState() > 1
        || recovering && !now.recovering()
        || recovering && ids.size() > 1) {
      return Errors.INVALID_REQUEST;
    }
    return isr.stream().allMatch(s -> isEligible(image, now, s))
        ? Errors.NONE
        : Errors.INELIGIBLE_REPLICA;
  }

  /** Active, with its replica in a directory that works, and the one that the leader knows. */
  private static boolean isEligible(MetadataImage image, PartitionImage partition, BrokerState s) {
    return Leadership.mayLead(image, partition, s.brokerId())
        && (s.brokerEpoch() == -1 || s.brokerEpoch() == image.broker(s.brokerId()).epoch());
  }
}
