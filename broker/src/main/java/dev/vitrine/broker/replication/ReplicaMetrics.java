package dev.vitrine.broker.replication;

import dev.vitrine.broker.observe.Metric;
import dev.vitrine.broker.observe.MetricSource;
import dev.vitrine.broker.observe.Sample;
import dev.vitrine.broker.partition.Partition;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.seam.Shard;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * What the replicas of one shard have to tell. Belongs to the shard; looks at some hundred of them
 * in a task, so that nobody has to wait for all.
 */
public final class ReplicaMetrics implements MetricSource {
  private static final int AT_ONCE = 200;

  private final LocalReplicas replicas;
  private final Supplier<MetadataImage> metadata;

  public ReplicaMetrics(LocalReplicas replicas, Supplier<MetadataImage> metadata) {
    this.replicas = replicas;
    this.metadata = metadata;
  }

  @Override
  public Shard owner() {
    return replicas.shard();
  }

  @Override
  public void tell(Sample into, Runnable done) {
    // Zeros first: what does not occur is to be told as well.
    into.add(Metric.PARTITIONS, replicas.all().size());
    into.add(Metric.LEADERS, 0);
    into.add(Metric.OFFLINE_REPLICAS, 0);
    into.add(Metric.UNDER_REPLICATED, 0);
    into.add(Metric.UNDER_MIN_ISR, 0);
    into.add(Metric.AT_MIN_ISR, 0);
    into.add(Metric.REASSIGNING, 0);
    into.add(Metric.MAX_LAG, 0, "Replica");
    into.add(Metric.PURGATORY, 0, "Produce");
    into.add(Metric.PURGATORY, 0, "Fetch");
    tell(new ArrayList<>(replicas.all()), 0, into, done);
  }

  private void tell(List<Partition> all, int from, Sample into, Runnable done) {
    int to = Math.min(all.size(), from + AT_ONCE);
    all.subList(from, to).forEach(p -> tell(p, into));
    if (to == all.size()) {
      done.run();
    } else {
      owner().execute(() -> tell(all, to, into, done));
    }
  }

  private void tell(Partition p, Sample into) {
    String topic = p.name().topic();
    String index = Integer.toString(p.name().partition());
    if (p.log().failure() != null) {
      into.add(Metric.OFFLINE_REPLICAS, 1);
      return;
    }
    into.add(Metric.LOG_SIZE, p.log().size(), topic, index);
    into.add(Metric.LOG_END_OFFSET, p.logEndOffset(), topic, index);
    into.add(Metric.LOG_START_OFFSET, p.logStartOffset(), topic, index);
    into.add(Metric.LOG_SEGMENTS, p.log().segmentCount(), topic, index);
    into.add(Metric.PURGATORY, p.pendingAppends(), "Produce");
    into.add(Metric.PURGATORY, p.waitingReads(), "Fetch");
    Partition.Health health = p.health();
    if (health == null) {
      into.add(Metric.MAX_LAG, p.following().lag(), "Replica");
      into.add(
          Metric.FOLLOWER_LAG,
          p.following().lag(),
          "ReplicaFetcherThread-0-" + p.leaderId(),
          topic,
          index);
    } else {
      tellOfLeader(p, health, topic, index, into);
    }
  }

  private void tellOfLeader(
      Partition p, Partition.Health health, String topic, String index, Sample into) {
    PartitionImage image = metadata.get().partition(p.topicId(), p.name().partition());
    int adding = image == null ? 0 : image.addingReplicas().size();
    boolean under = health.inSync() < health.replicas() - adding;
    boolean underMin = health.inSync() < health.minInSync();
    boolean atMin = health.inSync() == health.minInSync();
    into.add(Metric.LEADERS, 1);
    into.add(Metric.UNDER_REPLICATED, under);
    into.add(Metric.UNDER_MIN_ISR, underMin);
    into.add(Metric.AT_MIN_ISR, atMin);
    into.add(Metric.REASSIGNING, image != null && image.isReassigning());
    into.add(Metric.PARTITION_UNDER_REPLICATED, under, topic, index);
    into.add(Metric.PARTITION_UNDER_MIN_ISR, underMin, topic, index);
    into.add(Metric.PARTITION_AT_MIN_ISR, atMin, topic, index);
    into.add(Metric.PARTITION_REPLICAS, health.replicas(), topic, index);
    into.add(Metric.PARTITION_IN_SYNC, health.inSync(), topic, index);
    into.add(Metric.LAST_STABLE_OFFSET_LAG, p.highWatermark() - p.lastStableOffset(), topic, index);
  }
}
