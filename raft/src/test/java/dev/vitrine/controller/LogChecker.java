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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Reads what is committed and holds it against what must always be true. With it goes a model of
 * the data: who has all that may have been acknowledged. While enough are in sync, that is whoever
 * is in sync; below {@code min.insync.replicas} nothing is acknowledged and nobody falls behind,
 * but whoever starts again after an unclean stop may have lost something.
 */
final class LogChecker {
  /** High bits of the incarnation ids of processes whose predecessor stopped well, or did not. */
  static final long CLEAN = 5;

  static final long UNCLEAN = 6;

  private final FakeQuorum quorum;
  private final int minInSync;
  private MetadataImage image = MetadataImage.EMPTY;
  private final Map<List<Object>, Set<Integer>> complete = new HashMap<>();
  private int checked;

  LogChecker(FakeQuorum quorum, int minInSync) {
    this.quorum = quorum;
    this.minInSync = minInSync;
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
        checkData(record.message(), image, next);
        image = next;
      }
      image = image.at(batch.lastOffset(), batch.epoch());
      checkState();
      writeMore();
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
      boolean clean = mayLead(was).contains(is.leader()) || is.leader() < 0 || ended(was, is);
      holds(clean || is.recovering() && is.isr().equals(List.of(is.leader())), was + " " + record);
      if (r.isr() != null && r.isr().isEmpty()) {
        holds(before.features().hasElr(), record);
      }
      holds(mayLead(was).containsAll(is.elr()), record);
      holds(is.equals(was) == false, record);
    } else if (record instanceof PartitionRecord r) {
      holds(r.leaderEpoch() == 0 && r.partitionEpoch() == 0, record);
    } else if (record instanceof RegisterBrokerRecord r) {
      BrokerRegistration was = before.broker(r.brokerId());
      boolean same = was != null && was.incarnationId().equals(r.incarnationId());
      holds(r.brokerEpoch() == (same ? was.epoch() : offset), record);
    }
  }

  /**
   * Follows who has everything, and lets nobody else be elected unless it is said to be unclean.
   */
  private void checkData(ApiMessage record, MetadataImage before, MetadataImage after) {
    if (record instanceof PartitionChangeRecord r) {
      PartitionImage was = before.partition(r.topicId(), r.partitionId());
      PartitionImage is = after.partition(r.topicId(), r.partitionId());
      Set<Integer> whole = complete.get(List.of(r.topicId(), r.partitionId()));
      if (ended(was, is)) {
        whole.addAll(is.isr());
      }
      if (is.leader() != was.leader() && is.leader() >= 0) {
        if (r.leaderRecoveryState() == 1 || !whole.contains(is.leader()) && is.recovering()) {
          whole.clear();
        } else {
          holds(whole.contains(is.leader()), record + " elects one of " + whole);
        }
      }
      whole.addAll(is.isr());
    } else if (record instanceof PartitionRecord r) {
      complete.put(List.of(r.topicId(), r.partitionId()), new TreeSet<>(r.isr()));
    } else if (record instanceof RegisterBrokerRecord r && after.features().hasElr()) {
      BrokerRegistration was = before.broker(r.brokerId());
      boolean same = was != null && was.incarnationId().equals(r.incarnationId());
      if (!same && r.incarnationId().mostSignificantBits() == UNCLEAN) {
        complete.values().forEach(whole -> whole.remove(r.brokerId()));
      }
    }
  }

  private static Set<Integer> mayLead(PartitionImage p) {
    Set<Integer> all = new HashSet<>(p.isr());
    all.addAll(p.elr());
    return all;
  }

  private static boolean ended(PartitionImage was, PartitionImage is) {
    return was.isReassigning() && !is.isReassigning();
  }

  /** Where enough are in sync there may be records now that nobody else has. */
  private void writeMore() {
    TopicRules rules = new TopicRules(new ControllerConfig(100, "").minInSyncReplicas(minInSync));
    for (TopicImage topic : image.topics().all()) {
      int wanted = rules.minInSync(image, topic.name());
      topic
          .partitions()
          .forEach(
              (index, p) -> {
                // As brokers count: at most as many as this partition has.
                int enough = Math.min(wanted, p.replicas().size());
                if (p.hasLeader() && p.isr().size() >= enough) {
                  complete.get(List.of(topic.id(), index)).retainAll(p.isr());
                }
              });
    }
  }

  private void checkState() {
    for (TopicImage topic : image.topics().all()) {
      topic
          .partitions()
          .forEach(
              (index, p) -> {
                String what = topic.name() + "-" + index + " " + p;
                holds(!p.isr().isEmpty() || !p.hasLeader(), what);
                holds(p.replicas().containsAll(p.elr()), what);
                holds(p.isr().stream().noneMatch(p.elr()::contains), what);
                holds(p.elr().isEmpty() || image.features().hasElr(), what);
                holds(p.lastKnownElr().isEmpty() || !p.hasLeader(), what);
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
                // Only where nobody is left may one be in the set although it is gone.
                holds(!p.hasLeader() || p.isr().stream().allMatch(image.cluster()::isActive), what);
              });
    }
  }

  private static void holds(boolean condition, Object what) {
    ControllerSimulation.require(condition, what.toString());
  }
}
