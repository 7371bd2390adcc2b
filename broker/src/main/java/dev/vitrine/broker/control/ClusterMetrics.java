package dev.vitrine.broker.control;

import dev.vitrine.broker.observe.Metric;
import dev.vitrine.broker.observe.Sample;
import dev.vitrine.metadata.BrokerRegistration;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.metadata.TopicImage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What a controller tells of the whole cluster, counted out of its image when somebody asks. On the
 * loop of who asks: it looks at each partition there is.
 */
public final class ClusterMetrics implements Consumer<Sample> {
  private final Supplier<MetadataImage> metadata;
  private final BooleanSupplier active;

  /**
   * @param active whether this node is the active controller; from any thread
   */
  public ClusterMetrics(Supplier<MetadataImage> metadata, BooleanSupplier active) {
    this.metadata = metadata;
    this.active = active;
  }

  @Override
  public void accept(Sample into) {
    MetadataImage image = metadata.get();
    int fenced = 0;
    for (BrokerRegistration b : image.cluster().brokers().values()) {
      fenced += b.fenced() ? 1 : 0;
    }
    into.add(Metric.ACTIVE_CONTROLLER, active.getAsBoolean());
    into.add(Metric.ACTIVE_BROKERS, image.cluster().brokers().size() - fenced);
    into.add(Metric.FENCED_BROKERS, fenced);
    into.add(Metric.CONTROLLER_APPLIED_OFFSET, image.offset());
    int topics = 0;
    int partitions = 0;
    int offline = 0;
    int imbalanced = 0;
    for (TopicImage topic : image.topics().all()) {
      topics++;
      for (PartitionImage p : topic.partitions().values()) {
        partitions++;
        offline += p.hasLeader() ? 0 : 1;
        imbalanced += p.leader() == p.preferredReplica() ? 0 : 1;
      }
    }
    into.add(Metric.TOPICS, topics);
    into.add(Metric.CLUSTER_PARTITIONS, partitions);
    into.add(Metric.OFFLINE_PARTITIONS, offline);
    into.add(Metric.PREFERRED_IMBALANCE, imbalanced);
  }
}
