package dev.vitrine.broker.replication;

import dev.vitrine.broker.partition.Partition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.rpc.RpcClient;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Shard;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;

/**
 * The fetchers of one shard, one for each broker that leads something that is followed here, and
 * which partition is with which. Belongs to the shard.
 */
public final class Fetchers {
  private record Key(Uuid topicId, int partition) {}

  private record Place(int leaderId, int leaderEpoch) {}

  private final FetcherOptions options;
  private final Shard shard;
  private final RpcClient client;
  private final IntFunction<Endpoint> endpoints;
  private final Map<Integer, ReplicaFetcher> byLeader = new TreeMap<>();
  private final Map<Key, Place> places = new HashMap<>();

  /**
   * @param endpoints where a broker is to be fetched from, or null while it is not alive; asked
   *     again with each change
   */
  public Fetchers(
      FetcherOptions options, Shard shard, RpcClient client, IntFunction<Endpoint> endpoints) {
    this.options = options;
    this.shard = shard;
    this.client = client;
    this.endpoints = endpoints;
  }

  /**
   * Follows the partition's leader as the partition knows it; or nobody, if it leads itself or
   * there is no leader.
   */
  public void assign(Partition partition) {
    Key key = new Key(partition.topicId(), partition.name().partition());
    Place wanted =
        partition.isLeader() || endpoints.apply(partition.leaderId()) == null
            ? null
            : new Place(partition.leaderId(), partition.leaderEpoch());
    Place had = places.get(key);
    if (had != null && !had.equals(wanted)) {
      remove(partition);
    }
    if (wanted == null) {
      return;
    }
    ReplicaFetcher fetcher = fetcherOf(wanted.leaderId);
    if (!wanted.equals(places.put(key, wanted)) || !fetcher.follows(key.topicId, key.partition)) {
      fetcher.add(partition, wanted.leaderEpoch);
    }
  }

  public void remove(Partition partition) {
    Place had = places.remove(new Key(partition.topicId(), partition.name().partition()));
    if (had == null) {
      return;
    }
    ReplicaFetcher fetcher = byLeader.get(had.leaderId);
    if (fetcher != null) {
      fetcher.remove(partition.topicId(), partition.name().partition());
      if (fetcher.isIdle()) {
        byLeader.remove(had.leaderId).close();
      }
    }
  }

  /** A connection is for one address: a broker that came back on another gets a new fetcher. */
  private ReplicaFetcher fetcherOf(int leaderId) {
    Endpoint at = endpoints.apply(leaderId);
    ReplicaFetcher there = byLeader.get(leaderId);
    if (there != null && there.endpoint().equals(at)) {
      return there;
    }
    if (there != null) {
      there.close();
    }
    ReplicaFetcher fresh = new ReplicaFetcher(options, shard, client.channel(at), leaderId);
    byLeader.put(leaderId, fresh);
    return fresh;
  }

  public void close() {
    byLeader.values().forEach(ReplicaFetcher::close);
    byLeader.clear();
    places.clear();
  }
}
