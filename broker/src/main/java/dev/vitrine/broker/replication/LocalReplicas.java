package dev.vitrine.broker.replication;

import dev.vitrine.broker.partition.Assignment;
import dev.vitrine.broker.partition.Partition;
import dev.vitrine.broker.partition.PartitionContext;
import dev.vitrine.broker.partition.TopicSettings;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.seam.Shard;
import dev.vitrine.storage.Log;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replicas that one shard owns: makes and ends them as the metadata says, and keeps each with
 * the right leader. Belongs to the shard. It knows nothing of requests.
 */
public final class LocalReplicas {
  private static final Logger LOG = LoggerFactory.getLogger(LocalReplicas.class);

  /** Hears of the replicas that come, go and change their role; on the shard. */
  public interface Observer {
    /** The partition leads now, or leads in a new epoch, or no longer does. */
    void roleChanged(Partition partition);

    /** It is gone from this broker. */
    void removed(Partition partition);
  }

  /** Hears in which directory a replica lies, where the metadata say otherwise; on the shard. */
  public interface Directories {
    void placed(Uuid topicId, int partition, Uuid directory);
  }

  private final Shard shard;
  private final PartitionContext context;
  private final LogStore logs;
  private final Fetchers fetchers;
  private final Observer observer;
  private final LogMoves moves;
  private final Map<TopicPartition, Partition> partitions = new TreeMap<>();

  /** The same, for look-ups: each fetch of a follower makes some for every partition. */
  private final Map<TopicPartition, Partition> byName = new HashMap<>();

  public LocalReplicas(
      PartitionContext context,
      LogStore logs,
      Fetchers fetchers,
      Observer observer,
      LogMoves moves) {
    this.moves = moves;
    this.shard = context.shard();
    this.context = context;
    this.logs = logs;
    this.fetchers = fetchers;
    this.observer = observer;
  }

  public Shard shard() {
    return shard;
  }

  /** Null if this shard has no replica of this very topic. */
  public Partition get(TopicPartition name, Uuid topicId) {
    Partition p = byName.get(name);
    return p != null && p.topicId().equals(topicId) ? p : null;
  }

  public Collection<Partition> all() {
    return partitions.values();
  }

  /** The metadata places a replica here, or has something new about it. */
  public void place(
      TopicPartition name, Uuid topicId, PartitionImage image, TopicSettings settings) {
    Partition p = get(name, topicId);
    if (p == null) {
      p = create(name, topicId, image.directory(context.brokerId()), settings);
      if (p == null) {
        return;
      }
    }
    boolean works = p.log().failure() == null;
    if (!works && image.leader() == context.brokerId()) {
      return; // the controller will hear of the directory's failure, and choose another
    }
    int before = p.leaderEpoch();
    p.apply(Assignment.of(image));
    if (works) {
      fetchers.assign(p);
      moves.placed(p, image.directory(context.brokerId()));
    }
    if (before != p.leaderEpoch()) {
      observer.roleChanged(p);
    }
  }

  private Partition create(
      TopicPartition name, Uuid topicId, Uuid directory, TopicSettings settings) {
    Partition other = partitions.get(name);
    if (other != null) {
      remove(name, other.topicId());
    }
    try {
      Log log = logs.open(name, topicId, directory, settings.log(), shard);
      Partition p =
          new Partition(context, topicId, name, log, settings, logs.highWatermarkBefore(name));
      partitions.put(name, p);
      byName.put(name, p);
      return p;
    } catch (RuntimeException e) {
      LOG.error("The log of {} cannot be opened; this replica stays away", name, e);
      return null;
    }
  }

  /** The metadata takes the replica away: the topic is deleted, or lives elsewhere now. */
  public void remove(TopicPartition name, Uuid topicId) {
    Partition p = get(name, topicId);
    if (p != null) {
      partitions.remove(name);
      byName.remove(name);
      fetchers.remove(p);
      p.close();
      observer.removed(p);
      moves.removed(p);
      if (p.log().failure() == null) {
        logs.delete(p.log(), shard);
      }
    }
  }

  /** The replicas of this shard that are on their way to another directory. */
  public LogMoves moves() {
    return moves;
  }

  /** A log directory is out of use: its replicas neither follow nor answer any more. */
  public void directoryFailed() {
    for (Partition p : partitions.values()) {
      if (p.log().failure() != null) {
        fetchers.remove(p);
        p.storageFailed();
      }
    }
  }

  /**
   * A broker has come, gone or moved: those who follow it go by its new address, and those who lead
   * it may let it in.
   */
  public void brokerChanged(int brokerId) {
    for (Partition p : partitions.values()) {
      if (p.log().failure() != null) {
        continue;
      }
      p.brokerChanged(brokerId);
      if (p.leaderId() == brokerId) {
        fetchers.assign(p);
      }
    }
  }

  public void settingsChanged(String topic, TopicSettings settings) {
    for (Partition p : partitions.values()) {
      if (p.name().topic().equals(topic)) {
        p.settings(settings);
      }
    }
  }

  /** Nobody is served any more. The logs stay open: their owner closes them. */
  public void close() {
    fetchers.close();
    moves.close();
    for (Partition p : partitions.values()) {
      p.close();
      observer.removed(p);
    }
  }
}
