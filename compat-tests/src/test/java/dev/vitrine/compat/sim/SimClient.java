package dev.vitrine.compat.sim;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.MetadataRequest;
import dev.vitrine.protocol.message.MetadataResponse;
import dev.vitrine.rpc.RpcCallback;
import dev.vitrine.rpc.RpcClient;
import dev.vitrine.rpc.RpcFailure;
import dev.vitrine.rpc.RpcOptions;
import dev.vitrine.rpc.RpcRequest;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.sim.SimShard;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A client of the simulated cluster as Kafka's clients are: learns the leaders by Metadata, never
 * believes an older epoch, asks again after what may be tried again. Lives on a host of its own.
 */
abstract class SimClient {
  private static final int BACKOFF_MS = 50;

  /** What a client may meet and must try again after. */
  static final Set<Errors> RETRIABLE =
      Set.of(
          Errors.NOT_LEADER_OR_FOLLOWER,
          Errors.LEADER_NOT_AVAILABLE,
          Errors.UNKNOWN_TOPIC_OR_PARTITION,
          Errors.UNKNOWN_TOPIC_ID,
          Errors.INCONSISTENT_TOPIC_ID,
          Errors.NOT_ENOUGH_REPLICAS,
          Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
          Errors.REQUEST_TIMED_OUT,
          Errors.FENCED_LEADER_EPOCH,
          Errors.UNKNOWN_LEADER_EPOCH,
          Errors.COORDINATOR_LOAD_IN_PROGRESS,
          Errors.COORDINATOR_NOT_AVAILABLE,
          Errors.NOT_COORDINATOR,
          Errors.KAFKA_STORAGE_ERROR,
          Errors.OFFSET_NOT_AVAILABLE);

  record Leader(int id, int epoch) {}

  final ClusterSim sim;
  final String name;
  final SimShard shard;
  final RpcClient rpc;
  final TreeMap<TopicPartition, Leader> leaders = new TreeMap<>();
  private final TreeMap<String, Uuid> topicIds = new TreeMap<>();

  /** Topics that are deleted, whatever a broker says that has not heard of it. */
  private final Set<Uuid> gone = new HashSet<>();

  private boolean refreshing;

  SimClient(ClusterSim sim, String name) {
    this.sim = sim;
    this.name = name;
    this.shard = sim.world.newShard(name);
    this.rpc = new RpcClient(shard, sim.network.host(name), RpcOptions.of(name));
  }

  final void start() {
    shard.execute(this::begin);
  }

  abstract void begin();

  /** The topic that had this name is gone. */
  void topicGone(String name) {}

  final Uuid topicId(TopicPartition p) {
    return topicIds.get(p.topic());
  }

  final PartitionId id(TopicPartition p) {
    return new PartitionId(topicIds.get(p.topic()), p.partition());
  }

  /** Whether it knows the leaders of what is there from the start. */
  final boolean isReady() {
    return leaders.containsKey(new TopicPartition(ClusterSim.TOPIC, sim.plan.partitions - 1));
  }

  final Endpoint anyNode() {
    return sim.brokers.get(shard.random().nextInt(sim.brokers.size())).endpoint();
  }

  final Endpoint node(int id) {
    return sim.node(id).endpoint();
  }

  final <T extends ApiMessage> void ask(
      Endpoint to, ApiMessage request, Class<T> type, Consumer<T> answered, Runnable failed) {
    ask(to, RpcRequest.of(request), type, answered, failed);
  }

  final <T extends ApiMessage> void ask(
      Endpoint to, RpcRequest request, Class<T> type, Consumer<T> answered, Runnable failed) {
    rpc.send(
        to,
        request,
        sim.plan.patienceMs,
        new RpcCallback() {
          @Override
          public void completed(ApiMessage response, short version, ByteBuf frame) {
            answered.accept(type.cast(response));
          }

          @Override
          public void failed(RpcFailure failure) {
            sim.check(
                failure.kind() != RpcFailure.Kind.MALFORMED
                    && failure.kind() != RpcFailure.Kind.UNSUPPORTED_VERSION,
                null,
                name + ": " + failure.message());
            failed.run();
          }
        });
  }

  final void later(Runnable what) {
    shard.schedule(BACKOFF_MS / 2 + shard.random().nextInt(BACKOFF_MS), what);
  }

  /** Asks once for the leaders; who needs them looks again later. */
  final void refresh() {
    if (refreshing) {
      return;
    }
    refreshing = true;
    MetadataRequest request =
        new MetadataRequest().topics(new ArrayList<>()).allowAutoTopicCreation(false);
    for (String topic : ClusterSim.TOPICS) {
      request.topics().add(new MetadataRequest.MetadataRequestTopic().name(topic));
    }
    ask(
        anyNode(),
        request,
        MetadataResponse.class,
        r -> {
          learn(r);
          refreshing = false;
        },
        () -> later(() -> refreshing = false));
  }

  private void learn(MetadataResponse r) {
    for (MetadataResponse.MetadataResponseTopic t : r.topics()) {
      if (t.errorCode() != Errors.NONE.code()) {
        Uuid known = topicIds.get(t.name());
        if (t.errorCode() == Errors.UNKNOWN_TOPIC_OR_PARTITION.code()
            && known != null
            && sim.history.image().topic(known) == null) {
          forget(t.name());
        }
        continue;
      }
      if (!isNewest(t.name(), t.topicId())) {
        continue;
      }
      for (MetadataResponse.MetadataResponsePartition p : t.partitions()) {
        TopicPartition at = new TopicPartition(t.name(), p.partitionIndex());
        Leader known = leaders.get(at);
        if (known == null || p.leaderEpoch() >= known.epoch) {
          leaders.put(at, new Leader(p.leaderId(), p.leaderEpoch()));
        }
      }
    }
  }

  /** A broker that is behind may still tell of a topic that was replaced. */
  private boolean isNewest(String name, Uuid id) {
    Uuid known = topicIds.get(name);
    if (known == null || sim.bornLater(id, known)) {
      if (known != null) {
        forget(name);
      }
      topicIds.put(name, id);
      return true;
    }
    return known.equals(id) && !gone.contains(id);
  }

  private void forget(String name) {
    gone.add(topicIds.get(name));
    leaders.keySet().removeIf(p -> p.topic().equals(name));
    topicGone(name);
  }

  final void retriable(Errors error, String where) {
    sim.check(RETRIABLE.contains(error), null, name + " gets " + error + " " + where);
  }
}
