package dev.vitrine.broker.replication;

import dev.vitrine.broker.partition.Partition;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.seam.Shard;
import java.util.List;
import java.util.function.Consumer;

/**
 * Which shard owns which replica, and the way to it from any other. Immutable; any thread.
 *
 * <p>The owner follows from the name alone, so that a topic that is deleted and made again is
 * handled by the same shard, in order.
 */
public final class Replicas {
  private final List<LocalReplicas> shards;

  public Replicas(List<LocalReplicas> shards) {
    this.shards = List.copyOf(shards);
  }

  public LocalReplicas ownerOf(TopicPartition name) {
    return shards.get(indexOf(name, shards.size()));
  }

  /** Which of {@code shards} owns the partition. */
  public static int indexOf(TopicPartition name, int shards) {
    return Math.floorMod(31 * name.topic().hashCode() + name.partition(), shards);
  }

  public List<LocalReplicas> shards() {
    return shards;
  }

  /**
   * Hands the partition, or null if it is not here, to {@code use} on the partition's shard: at
   * once if the caller is on that shard, as a task otherwise. What comes of it must find its way
   * back by {@code caller.execute}: see {@link #reply}.
   */
  public void with(TopicPartition name, Uuid topicId, Consumer<Partition> use) {
    LocalReplicas owner = ownerOf(name);
    if (owner.shard().isCurrent()) {
      use.accept(owner.get(name, topicId));
    } else {
      owner.shard().execute(() -> use.accept(owner.get(name, topicId)));
    }
  }

  /** A consumer that may be called on any shard and hands on to {@code answer} on the caller's. */
  public static <T> Consumer<T> reply(Shard caller, Consumer<T> answer) {
    return value -> {
      if (caller.isCurrent()) {
        answer.accept(value);
      } else {
        caller.execute(() -> answer.accept(value));
      }
    };
  }
}
