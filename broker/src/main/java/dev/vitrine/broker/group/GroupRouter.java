package dev.vitrine.broker.group;

import dev.vitrine.broker.replication.Replicas;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The way from a group's id to its coordinator, on whichever shard that is. Any thread. */
final class GroupRouter {
  private final List<ShardCoordinators> shards;
  private final Supplier<MetadataImage> image;

  GroupRouter(List<ShardCoordinators> shards, Supplier<MetadataImage> image) {
    this.shards = shards;
    this.image = image;
  }

  /** What is to be done with a group. One of the two is called, once, on the group's shard. */
  interface Service {
    void serve(LiveGroups groups);

    void refuse(Errors error);
  }

  MetadataImage image() {
    return image.get();
  }

  List<ShardCoordinators> shards() {
    return shards;
  }

  /** As Kafka has it: on which partition of {@code __consumer_offsets} a group lives. */
  static int partitionFor(String groupId, int partitions) {
    return (groupId.hashCode() & 0x7fffffff) % partitions;
  }

  void route(String groupId, Consumer<LiveGroups> serve, Consumer<Errors> refuse) {
    TopicImage topic = image.get().topic(ShardCoordinators.TOPIC);
    if (topic == null || topic.partitionCount() == 0) {
      refuse.accept(Errors.COORDINATOR_NOT_AVAILABLE);
      return;
    }
    int partition = partitionFor(groupId, topic.partitionCount());
    int owner =
        Replicas.indexOf(new TopicPartition(ShardCoordinators.TOPIC, partition), shards.size());
    ShardCoordinators shard = shards.get(owner);
    Service service =
        new Service() {
          @Override
          public void serve(LiveGroups groups) {
            serve.accept(groups);
          }

          @Override
          public void refuse(Errors error) {
            refuse.accept(error);
          }
        };
    if (shard.context().shard().isCurrent()) {
      shard.serve(partition, service);
    } else {
      shard.context().shard().execute(() -> shard.serve(partition, service));
    }
  }
}
