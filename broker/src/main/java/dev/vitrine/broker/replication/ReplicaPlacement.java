package dev.vitrine.broker.replication;

import dev.vitrine.broker.partition.ReplicationQuota;
import dev.vitrine.broker.partition.Throttle;
import dev.vitrine.broker.partition.TopicSettings;
import dev.vitrine.config.KafkaConfig;
import dev.vitrine.config.ReplicationSettings;
import dev.vitrine.config.TopicConfigs;
import dev.vitrine.metadata.ConfigResource;
import dev.vitrine.metadata.ImageChange;
import dev.vitrine.metadata.LiveConfig;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionChange;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.seam.Shard;
import dev.vitrine.storage.Log;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns changes of the metadata into tasks of the shards that own the replicas concerned. On the
 * quorum loop; each replica gets its tasks in the order of the changes.
 */
public final class ReplicaPlacement {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaPlacement.class);

  private final int brokerId;
  private final Replicas replicas;
  private final LiveConfig live;
  private final ReplicationQuota asLeader;
  private final ReplicationQuota asFollower;
  private final ReplicationQuota moving;

  /**
   * @param moving of replicas between directories
   */
  public ReplicaPlacement(LiveConfig live, Replicas replicas, ReplicationQuota moving) {
    this.moving = moving;
    this.brokerId = live.fromFile().node().nodeId();
    this.live = live;
    this.replicas = replicas;
    this.asLeader = quota();
    this.asFollower = quota();
  }

  private ReplicationQuota quota() {
    ReplicationSettings.Quotas q = live.fromFile().replication().quotas();
    return new ReplicationQuota(q.windows(), q.windowMs());
  }

  public void apply(ImageChange change) {
    MetadataImage image = change.after();
    Map<String, TopicSettings> settings = new HashMap<>();
    boolean brokersDefault = false;
    for (ConfigResource r : change.configs()) {
      brokersDefault |=
          r.equals(ConfigResource.defaultBroker()) || r.equals(ConfigResource.broker(brokerId));
    }
    if (brokersDefault) {
      ReplicationSettings.Quotas q = live.at(image).replication().quotas();
      asLeader.limit(q.leaderRate());
      asFollower.limit(q.followerRate());
      moving.limit(live.at(image).logs().moves().rate());
    }
    for (PartitionChange p : change.partitions()) {
      TopicPartition name = new TopicPartition(p.topic(), p.partition());
      LocalReplicas owner = replicas.ownerOf(name);
      if (p.after() != null && p.after().replicas().contains(brokerId)) {
        TopicSettings s = settings.computeIfAbsent(p.topic(), t -> settings(t, image));
        owner.shard().execute(() -> owner.place(name, p.topicId(), p.after(), s));
      } else if (p.before() != null && p.before().replicas().contains(brokerId)) {
        owner.shard().execute(() -> owner.remove(name, p.topicId()));
      }
    }
    for (int broker : change.brokers()) {
      replicas.shards().forEach(s -> s.shard().execute(() -> s.brokerChanged(broker)));
    }
    for (ConfigResource r : change.configs()) {
      if (r.type() == ConfigResource.TOPIC) {
        settingsChanged(r.name(), image);
      }
    }
    if (brokersDefault) {
      image.topics().all().forEach(t -> settingsChanged(t.name(), image));
    }
  }

  private void settingsChanged(String topic, MetadataImage image) {
    if (image.topic(topic) != null) {
      TopicSettings s = settings(topic, image);
      replicas
          .shards()
          .forEach(shard -> shard.shard().execute(() -> shard.settingsChanged(topic, s)));
    }
  }

  private TopicSettings settings(String topic, MetadataImage image) {
    KafkaConfig config = live.at(image);
    Map<String, String> overrides = image.configs().topic(topic);
    return new TopicSettings(
        TopicConfigs.logConfig(overrides, config),
        TopicConfigs.appendRules(overrides, config),
        TopicConfigs.minInsyncReplicas(overrides, config),
        new Throttle(TopicConfigs.throttledLeaders(overrides, config), asLeader),
        new Throttle(TopicConfigs.throttledFollowers(overrides, config), asFollower));
  }

  /**
   * Sets aside the logs of replicas that went elsewhere, or of topics that were deleted, while this
   * broker was away.
   */
  public void setStraysAside(LogStore logs, Supplier<MetadataImage> metadata) {
    deleteStrayFutures(logs, metadata);
    for (Log log : logs.logs()) {
      LocalReplicas owner = replicas.ownerOf(log.partition());
      owner
          .shard()
          .execute(
              () -> {
                if (isStray(log, metadata.get())
                    && owner.get(log.partition(), log.topicId()) == null) {
                  LOG.warn("{} is not placed on this broker: set aside", log.partition());
                  logs.stray(log, owner.shard());
                }
              });
    }
  }

  private void deleteStrayFutures(LogStore logs, Supplier<MetadataImage> metadata) {
    for (Log log : logs.futures()) {
      Shard shard = replicas.ownerOf(log.partition()).shard();
      shard.execute(
          () -> {
            if (isStray(log, metadata.get())) {
              logs.deleteFuture(log, shard);
            }
          });
    }
  }

  private boolean isStray(Log log, MetadataImage image) {
    if (log.partition().topic().equals("__cluster_metadata")) {
      return false;
    }
    TopicImage topic = image.topic(log.partition().topic());
    return topic == null
        || !topic.id().equals(log.topicId())
        || topic.partition(log.partition().partition()) == null
        || !topic.partition(log.partition().partition()).replicas().contains(brokerId);
  }
}
