package dev.vitrine.broker.group;

import dev.vitrine.broker.partition.Partition;
import dev.vitrine.broker.replication.LocalReplicas;
import dev.vitrine.metadata.ImageChange;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import java.util.Collection;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The coordinators of one shard, by their partition: they come and go with the leadership. Belongs
 * to the shard.
 */
final class ShardCoordinators implements LocalReplicas.Observer {
  static final String TOPIC = "__consumer_offsets";

  private static final Logger LOG = LoggerFactory.getLogger(ShardCoordinators.class);

  private final CoordinatorContext context;
  private final TreeMap<Integer, PartitionCoordinator> byPartition = new TreeMap<>();

  ShardCoordinators(CoordinatorContext context) {
    this.context = context;
  }

  CoordinatorContext context() {
    return context;
  }

  @Override
  public void roleChanged(Partition p) {
    if (p.name().topic().equals(TOPIC)) {
      roleChanged(new PartitionLog(p), p.isLeader(), p.leaderEpoch());
    }
  }

  /** As above, for any log. */
  void roleChanged(CoordinatorLog log, boolean leads, int leaderEpoch) {
    int index = log.name().partition();
    PartitionCoordinator before = byPartition.get(index);
    if (before != null && leads && before.leaderEpoch() == leaderEpoch) {
      return;
    }
    if (before != null) {
      byPartition.remove(index);
      before.close();
    }
    if (leads) {
      PartitionCoordinator c = new PartitionCoordinator(context, log, leaderEpoch);
      byPartition.put(index, c);
      c.load();
    }
  }

  @Override
  public void removed(Partition p) {
    if (p.name().topic().equals(TOPIC)) {
      PartitionCoordinator c = byPartition.remove(p.name().partition());
      if (c != null) {
        c.close();
      }
    }
  }

  /** The high watermark of a partition has moved, or it no longer leads. */
  void committed(Partition p) {
    if (p.name().topic().equals(TOPIC)) {
      PartitionCoordinator c = byPartition.get(p.name().partition());
      if (c != null && p.isLeader() && p.leaderEpoch() == c.leaderEpoch()) {
        c.highWatermarkMoved();
      }
    }
  }

  void topicDeleted(String topic, Uuid topicId) {
    for (PartitionCoordinator c : byPartition.values()) {
      if (c.isActive()) {
        c.groups().expiry().topicDeleted(topic, topicId);
      }
    }
  }

  void metadataChanged(ImageChange change) {
    for (PartitionCoordinator c : byPartition.values()) {
      if (c.isActive()) {
        c.groups().consumers().metadataChanged(change);
      }
    }
  }

  Collection<PartitionCoordinator> all() {
    return byPartition.values();
  }

  /** Lets the coordinator of this partition do it, or says why it cannot. */
  void serve(int partition, GroupRouter.Service service) {
    PartitionCoordinator c = byPartition.get(partition);
    Errors error = c == null ? Errors.NOT_COORDINATOR : c.availability();
    if (error != Errors.NONE) {
      service.refuse(error);
      return;
    }
    try {
      c.run(() -> service.serve(c.groups()));
    } catch (RuntimeException e) {
      LOG.error("A request to the coordinator of {} has failed", c.log().name(), e);
      service.refuse(Errors.UNKNOWN_SERVER_ERROR);
    }
  }
}
