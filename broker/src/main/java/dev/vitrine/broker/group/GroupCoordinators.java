package dev.vitrine.broker.group;

import dev.vitrine.broker.api.ApiTable;
import dev.vitrine.broker.group.assignor.ServerAssignors;
import dev.vitrine.broker.observe.NodeMetrics;
import dev.vitrine.broker.partition.Partition;
import dev.vitrine.broker.replication.LocalReplicas;
import dev.vitrine.broker.replication.Replicas;
import dev.vitrine.config.ConsumerGroupTerms;
import dev.vitrine.config.GroupSettings;
import dev.vitrine.metadata.ConfigResource;
import dev.vitrine.metadata.ImageChange;
import dev.vitrine.metadata.LiveConfig;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.seam.Shard;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The group coordinator of a broker, put together: made before the replicas, which tell it what
 * becomes of their partitions. Immutable; each part of it belongs to one shard.
 */
public final class GroupCoordinators {
  private final List<ShardCoordinators> shards = new ArrayList<>();
  private final GroupSettings settings;
  private final GroupRouter router;
  private final Supplier<MetadataImage> image;

  /**
   * @param shards in the order in which {@link dev.vitrine.broker.replication.Replicas} has them
   * @param image the cluster as this broker knows it; asked from all shards
   */
  public GroupCoordinators(
      List<? extends Shard> shards, LiveConfig live, Supplier<MetadataImage> image) {
    this.settings = live.fromFile().groups();
    ServerAssignors assignors = ServerAssignors.of(settings.consumer().assignors());
    for (Shard s : shards) {
      CoordinatorContext context =
          new CoordinatorContext(s, settings, image, id -> terms(id, image.get(), live), assignors);
      this.shards.add(new ShardCoordinators(context));
    }
    this.image = image;
    this.router = new GroupRouter(List.copyOf(this.shards), image);
  }

  private static ConsumerGroupTerms terms(String groupId, MetadataImage image, LiveConfig live) {
    Map<String, String> ofGroup =
        image.configs().of(new ConfigResource(ConfigResource.GROUP, groupId));
    return ConsumerGroupTerms.of(ofGroup, live.at(image));
  }

  /** For the shard's {@link LocalReplicas}. */
  public LocalReplicas.Observer observerFor(Shard shard) {
    return of(shard);
  }

  /**
   * For the shard's {@link dev.vitrine.broker.partition.PartitionContext}: hears of high
   * watermarks.
   */
  public Consumer<Partition> committedFor(Shard shard) {
    return of(shard)::committed;
  }

  private ShardCoordinators of(Shard shard) {
    for (ShardCoordinators s : shards) {
      if (s.context().shard() == shard) {
        return s;
      }
    }
    throw new IllegalArgumentException("not a shard of this broker: " + shard);
  }

  /**
   * The metadata has changed: offsets of deleted topics go, and groups look at their topics again.
   * Any thread.
   */
  public void metadataChanged(ImageChange change) {
    if (!change.partitions().isEmpty() || !change.createdTopics().isEmpty()) {
      for (ShardCoordinators s : shards) {
        s.context().shard().execute(() -> s.metadataChanged(change));
      }
    }
    for (TopicImage t : change.deletedTopics()) {
      for (ShardCoordinators s : shards) {
        s.context().shard().execute(() -> s.topicDeleted(t.name(), t.id()));
      }
    }
  }

  public void addTo(NodeMetrics metrics, Replicas replicas) {
    shards.forEach(s -> metrics.add(new GroupMetrics(s, replicas, image)));
  }

  public void addTo(ApiTable table) {
    table
        .add(ApiKeys.OFFSET_COMMIT, new OffsetCommitHandler(router))
        .add(ApiKeys.OFFSET_FETCH, new OffsetFetchHandler(router))
        .add(ApiKeys.JOIN_GROUP, new JoinGroupHandler(router, settings))
        .add(ApiKeys.HEARTBEAT, new HeartbeatHandler(router))
        .add(ApiKeys.LEAVE_GROUP, new LeaveGroupHandler(router))
        .add(ApiKeys.SYNC_GROUP, new SyncGroupHandler(router))
        .add(ApiKeys.DESCRIBE_GROUPS, new DescribeGroupsHandler(router))
        .add(ApiKeys.LIST_GROUPS, new ListGroupsHandler(router))
        .add(ApiKeys.DELETE_GROUPS, new DeleteGroupsHandler(router))
        .add(ApiKeys.OFFSET_DELETE, new OffsetDeleteHandler(router))
        .add(ApiKeys.CONSUMER_GROUP_HEARTBEAT, new ConsumerGroupHeartbeatHandler(router, settings))
        .add(ApiKeys.CONSUMER_GROUP_DESCRIBE, new ConsumerGroupDescribeHandler(router, settings));
  }
}
