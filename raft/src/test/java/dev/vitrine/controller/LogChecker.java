package dev.vitrine.controller;

import dev.vitrine.metadata.BrokerRegistration;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.message.PartitionChangeRecord;
import dev.vitrine.protocol.message.PartitionRecord;
import dev.vitrine.protocol.message.RegisterBrokerRecord;
import dev.vitrine.quorum.CommittedBatch;
import java.util.HashSet;
import java.util.List;

/** Reads what is committed and holds it against what must always be true. */
final class LogChecker {
  private final FakeQuorum quorum;
  private MetadataImage image = MetadataImage.EMPTY;
  private int checked;

  LogChecker(FakeQuorum quorum) {
    this.quorum = quorum;
  }

  MetadataImage image() {
    return image;
  }

  void check() {
    int committed = quorum.log.size() - quorum.uncommitted();
    for (; checked < committed; checked++) {
      CommittedBatch batch = quorum.log.get(checked);
      long offset = batch.baseOffset();
      for (var record : batch.records()) {
        MetadataImage next = image.apply(record.message());
        checkStep(record.message(), offset++, image, next);
        image = next;
      }
      image = image.at(batch.lastOffset(), batch.epoch());
      checkState();
    }
  }

  private static void checkStep(
      ApiMessage record, long offset, MetadataImage before, MetadataImage after) {
    if (record instanceof PartitionChangeRecord r) {
      PartitionImage was = before.partition(r.topicId(), r.partitionId());
      PartitionImage is = after.partition(r.topicId(), r.partitionId());
      holds(is.partitionEpoch() == was.partitionEpoch() + 1, record);
      boolean election = is.leader() != was.leader() || !is.replicas().containsAll(was.replicas());
      holds(is.leaderEpoch() == was.leaderEpoch() + (election ? 1 : 0), was + " " + record);
      // The end of a reassignment comes with a replica that has just caught up, which may lead at
      // once: it was in the set that the leader proposed.
      boolean ended = was.isReassigning() && !is.isReassigning();
      boolean clean = was.isr().contains(is.leader()) || is.leader() < 0 || ended;
      holds(clean || is.recovering() && is.isr().equals(List.of(is.leader())), was + " " + record);
      holds(is.equals(was) == false, record);
    } else if (record instanceof PartitionRecord r) {
      holds(r.leaderEpoch() == 0 && r.partitionEpoch() == 0, record);
    } else if (record instanceof RegisterBrokerRecord r) {
      BrokerRegistration was = before.broker(r.brokerId());
      boolean same = was != null && was.incarnationId().equals(r.incarnationId());
      holds(r.brokerEpoch() == (same ? was.epoch() : offset), record);
    }
  }

  private void checkState() {
    for (TopicImage topic : image.topics().all()) {
      topic
          .partitions()
          .forEach(
              (index, p) -> {
                String what = topic.name() + "-" + index + " " + p;
                holds(!p.isr().isEmpty(), what);
                holds(p.replicas().containsAll(p.isr()), what);
                holds(new HashSet<>(p.isr()).size() == p.isr().size(), what);
                holds(new HashSet<>(p.replicas()).size() == p.replicas().size(), what);
                holds(p.directories().size() == p.replicas().size(), what);
                holds(p.replicas().containsAll(p.addingReplicas()), what);
                holds(p.replicas().containsAll(p.removingReplicas()), what);
                holds(!ReplicaAssignment.of(p).isCompletedBy(p.isr()), what);
                if (p.hasLeader()) {
                  holds(p.isr().contains(p.leader()), what);
                  holds(Leadership.mayLead(image, p, p.leader()), what);
                }
                // Only the last one of the set may be in it although it is gone.
                holds(
                    p.isr().size() == 1 || p.isr().stream().allMatch(image.cluster()::isActive),
                    what);
              });
    }
  }

  private static void holds(boolean condition, Object what) {
    ControllerSimulation.require(condition, what.toString());
  }
}
