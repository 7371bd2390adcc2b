package dev.vitrine.compat.sim;

import dev.vitrine.broker.partition.Partition;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.TopicImage;
import io.netty.buffer.ByteBuf;
import java.util.HashSet;
import java.util.Set;

/** What must come about once there are no more faults: everything works, and all agree. */
final class Ending {
  private final ClusterSim sim;

  Ending(ClusterSim sim) {
    this.sim = sim;
  }

  void reach() {
    sim.admin.stopping = true;
    sim.producers.forEach(p -> p.stopping = true);
    sim.plainProducers.forEach(p -> p.stopping = true);
    sim.await("the administrator is done", sim.admin::isDone);
    sim.await("every replica is in sync", sim::isWhole);
    sim.await(
        "the producers have written all",
        () -> sim.producers.stream().allMatch(SimProducer::isDone));
    sim.members.forEach(m -> m.commits = 0);
    sim.await(
        "the groups commit",
        () -> sim.members.stream().mapToInt(m -> m.commits).sum() >= 5 * sim.members.size());
    sim.members.forEach(m -> m.stopping = true);
    sim.await("the readers have read all", () -> sim.readers.stream().allMatch(SimReader::isAtEnd));
    // Last, and looked at in the same instant: a coordinator may still have something to write.
    sim.await("the replicas are level", () -> sim.isWhole() && isLevel());
    checkBytes();
    sim.check(sim.history.records() > 0, null, "nothing was written");
  }

  /** Each broker has the replicas that it should have, and all of a partition end at one place. */
  private boolean isLevel() {
    MetadataImage image = sim.history.image();
    for (SimNode n : sim.brokers) {
      Set<PartitionId> here = new HashSet<>();
      for (Partition p : n.partitions()) {
        PartitionId id = PartitionId.of(p);
        here.add(id);
        if (p.highWatermark() != p.logEndOffset() || p.logEndOffset() != sim.history.size(id)) {
          return false;
        }
      }
      if (!here.equals(placedOn(n.id, image))) {
        return false;
      }
    }
    return true;
  }

  private static Set<PartitionId> placedOn(int broker, MetadataImage image) {
    Set<PartitionId> placed = new HashSet<>();
    for (TopicImage t : image.topics().all()) {
      t.partitions()
          .forEach(
              (i, p) -> {
                if (p.replicas().contains(broker)) {
                  placed.add(new PartitionId(t.id(), i));
                }
              });
    }
    return placed;
  }

  private void checkBytes() {
    for (TopicImage t : sim.history.image().topics().all()) {
      for (int i : t.partitions().keySet()) {
        PartitionId id = new PartitionId(t.id(), i);
        long start = 0;
        for (SimNode n : sim.brokers) {
          Partition p = n.partition(id);
          start = p == null ? start : Math.max(start, p.logStartOffset());
        }
        ByteBuf first = null;
        for (SimNode n : sim.brokers) {
          Partition p = n.partition(id);
          if (p != null) {
            ByteBuf bytes = LogBytes.all(p, start);
            first = first == null ? bytes : first;
            if (!bytes.equals(first)) {
              sim.check(
                  false,
                  n,
                  p.name()
                      + " has other bytes than elsewhere: "
                      + LogBytes.difference(first, bytes));
            }
          }
        }
      }
    }
  }
}
