package dev.vitrine.broker.group;

import dev.vitrine.broker.observe.Metric;
import dev.vitrine.broker.observe.MetricSource;
import dev.vitrine.broker.observe.Sample;
import dev.vitrine.broker.partition.Partition;
import dev.vitrine.broker.replication.Replicas;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.seam.Shard;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What the coordinators of one shard have to tell of their groups. Belongs to the shard; the lags
 * come from the shards of the partitions.
 */
final class GroupMetrics implements MetricSource {
  private static final int AT_ONCE = 500;

  /** Told also when there is no such group, as Kafka does. */
  private static final List<String> CLASSIC_STATES =
      List.of("PreparingRebalance", "CompletingRebalance", "Stable", "Empty", "Dead");

  private static final List<String> CONSUMER_STATES =
      List.of("Empty", "Assigning", "Reconciling", "Stable", "Dead");

  private final ShardCoordinators coordinators;
  private final Replicas replicas;
  private final Supplier<MetadataImage> metadata;

  GroupMetrics(
      ShardCoordinators coordinators, Replicas replicas, Supplier<MetadataImage> metadata) {
    this.coordinators = coordinators;
    this.replicas = replicas;
    this.metadata = metadata;
  }

  /** A committed offset whose lag is to be found out. */
  private record Committed(String group, TopicPartition partition, long offset) {}

  @Override
  public Shard owner() {
    return coordinators.context().shard();
  }

  @Override
  public void tell(Sample into, Runnable done) {
    into.add(Metric.GROUPS, 0);
    into.add(Metric.GROUP_OFFSETS, 0);
    into.add(Metric.GROUPS_BY_PROTOCOL, 0, "classic");
    into.add(Metric.GROUPS_BY_PROTOCOL, 0, "consumer");
    CLASSIC_STATES.forEach(state -> into.add(Metric.CLASSIC_GROUPS, 0, state));
    CONSUMER_STATES.forEach(state -> into.add(Metric.CONSUMER_GROUPS, 0, state));
    List<Committed> offsets = new ArrayList<>();
    for (PartitionCoordinator c : coordinators.all()) {
      if (c.isActive()) {
        tell(c, into, offsets);
      }
    }
    tellLags(offsets, 0, into, done);
  }

  private static void tell(PartitionCoordinator c, Sample into, List<Committed> offsets) {
    for (Group g : c.groups().all()) {
      into.add(Metric.GROUPS, 1);
      into.add(Metric.GROUPS_BY_PROTOCOL, 1, g.type());
      if (g.type().equals("classic")) {
        into.add(Metric.CLASSIC_GROUPS, 1, g.stateName());
      } else if (g.type().equals("consumer")) {
        into.add(Metric.CONSUMER_GROUPS, 1, g.stateName());
      }
      Map<TopicPartition, CommittedOffset> committed = c.committed().offsetsOf(g.groupId());
      into.add(Metric.GROUP_OFFSETS, committed.size());
      committed.forEach((p, o) -> offsets.add(new Committed(g.groupId(), p, o.offset())));
    }
  }

  private void tellLags(List<Committed> all, int from, Sample into, Runnable done) {
    int to = Math.min(all.size(), from + AT_ONCE);
    Gathered<Double> lags =
        new Gathered<>(
            owner(),
            to - from,
            found -> {
              tellLags(all.subList(from, to), found, into);
              if (to < all.size()) {
                owner().execute(() -> tellLags(all, to, into, done));
              } else {
                done.run();
              }
            });
    for (int i = from; i < to; i++) {
      findLag(all.get(i), lags.part(i - from));
    }
  }

  private void findLag(Committed c, java.util.function.Consumer<Double> lag) {
    TopicImage topic = metadata.get().topic(c.partition.topic());
    if (topic == null) {
      lag.accept(Double.NaN);
      return;
    }
    replicas.with(c.partition, topic.id(), p -> lag.accept(p == null ? Double.NaN : lag(p, c)));
  }

  private static double lag(Partition p, Committed c) {
    return Math.max(0, p.highWatermark() - c.offset);
  }

  private static void tellLags(List<Committed> offsets, List<Double> lags, Sample into) {
    for (int i = 0; i < offsets.size(); i++) {
      Committed c = offsets.get(i);
      String topic = c.partition.topic();
      String index = Integer.toString(c.partition.partition());
      into.add(Metric.GROUP_CURRENT_OFFSET, c.offset, c.group, topic, index);
      if (!lags.get(i).isNaN()) {
        into.add(Metric.GROUP_LAG, lags.get(i), c.group, topic, index);
      }
    }
  }
}
