package dev.vitrine.broker.replication;

import dev.vitrine.broker.partition.Partition;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FetchRequest.FetchPartition;
import dev.vitrine.protocol.message.FetchResponse;
import dev.vitrine.protocol.message.FetchResponse.FetchableTopicResponse;
import dev.vitrine.protocol.message.FetchResponse.PartitionData;
import dev.vitrine.protocol.record.MemoryRecords;
import dev.vitrine.rpc.RpcCallback;
import dev.vitrine.rpc.RpcChannel;
import dev.vitrine.rpc.RpcFailure;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Shard;
import dev.vitrine.seam.Timer;
import dev.vitrine.storage.EpochEnd;
import io.netty.buffer.ByteBuf;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies the partitions of one shard that one broker leads: a loop of Fetch requests over a
 * connection of its own, one in flight. Belongs to that shard. It decides only when to ask and for
 * what; what the answer does to a log is {@link Partition}'s.
 *
 * <p>Every request carries, for each partition, the end of our log and the epoch of our last
 * record, so that the leader can tell in the answer where our history leaves its own (KIP-595), and
 * our log is cut there before anything is appended.
 */
public final class ReplicaFetcher {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaFetcher.class);

  private final FetcherOptions options;
  private final Shard shard;
  private final RpcChannel channel;
  private final int leaderId;
  private final OutOfRange outOfRange;
  private final Map<Uuid, Map<Integer, FollowedPartition>> followed = new LinkedHashMap<>();
  private final FollowerSession session = new FollowerSession();
  private boolean inFlight;

  /** The request under way waits at the leader, and has been told to come back. */
  private boolean nudged;

  private boolean closed;

  /** Said once; it may last. */
  private boolean failing;

  private Timer retry;

  public ReplicaFetcher(FetcherOptions options, Shard shard, RpcChannel channel, int leaderId) {
    this.options = options;
    this.shard = shard;
    this.channel = channel;
    this.leaderId = leaderId;
    this.outOfRange = new OutOfRange(options, shard, channel, this::fetchSoon);
  }

  public void add(Partition partition, int leaderEpoch) {
    if (options.truncateToHighWatermark()) {
      partition.following().truncateToHighWatermark();
    }
    followed
        .computeIfAbsent(partition.topicId(), id -> new LinkedHashMap<>())
        .put(partition.name().partition(), new FollowedPartition(partition, leaderEpoch));
    fetchSoon();
  }

  public void remove(Uuid topicId, int partition) {
    Map<Integer, FollowedPartition> ofTopic = followed.get(topicId);
    if (ofTopic != null && ofTopic.remove(partition) != null && ofTopic.isEmpty()) {
      followed.remove(topicId);
    }
  }

  public boolean follows(Uuid topicId, int partition) {
    return followed.getOrDefault(topicId, Map.of()).containsKey(partition);
  }

  public boolean isIdle() {
    return followed.isEmpty();
  }

  public Endpoint endpoint() {
    return channel.endpoint();
  }

  public void close() {
    closed = true;
    if (retry != null) {
      retry.cancel();
    }
    channel.close();
  }

  /** A task of its own, so that partitions that are added together share a request. */
  private void fetchSoon() {
    shard.execute(this::fetch);
  }

  private void fetch() {
    if (closed) {
      return;
    }
    if (inFlight) {
      nudge();
      return;
    }
    Map<Uuid, Map<Integer, FetchPartition>> wanted = wanted();
    if (wanted.isEmpty()) {
      return;
    }
    FetchRequest request =
        new FetchRequest()
            .maxWaitMs(options.fetching().waitMaxMs())
            .minBytes(options.fetching().minBytes())
            .maxBytes(options.fetching().responseMaxBytes());
    request
        .replicaState()
        .replicaId(options.brokerId())
        .replicaEpoch(options.brokerEpoch().getAsLong());
    session.fill(request, wanted);
    inFlight = true;
    nudged = false;
    channel.send(request, options.fetching().socketTimeoutMs(), new Answer());
  }

  /**
   * Somebody has something to ask while the request of the others waits at the leader for records,
   * up to {@code replica.fetch.wait.max.ms}: nothing that is written to a partition with a new
   * leader could be acknowledged meanwhile. Any request behind it ends that wait, at a leader of
   * our own kind; Apache Kafka takes it when its turn comes.
   */
  private void nudge() {
    if (!nudged) {
      nudged = true;
      channel.nudge(options.fetching().socketTimeoutMs());
    }
  }

  private Map<Uuid, Map<Integer, FetchPartition>> wanted() {
    long ticks = shard.ticks();
    long next = Long.MAX_VALUE;
    Map<Uuid, Map<Integer, FetchPartition>> wanted = new LinkedHashMap<>();
    for (var topic : followed.entrySet()) {
      Map<Integer, FetchPartition> ready = new LinkedHashMap<>();
      for (var entry : topic.getValue().entrySet()) {
        FollowedPartition f = entry.getValue();
        if (f.isReady(ticks) && f.partition.following().isHeldBack()) {
          f.delayUntil(ticks + options.fetching().backoffMs());
        }
        if (f.isReady(ticks)) {
          f.asked();
          ready.put(
              entry.getKey(),
              f.request(
                  lastFetchedEpoch(f.partition),
                  options.tellsHighWatermark() ? f.partition.highWatermark() : Long.MAX_VALUE,
                  options.fetching().maxBytes()));
        } else {
          next = Math.min(next, f.notBefore());
        }
      }
      if (!ready.isEmpty()) {
        wanted.put(topic.getKey(), ready);
      }
    }
    if (next != Long.MAX_VALUE) {
      armRetry(next - ticks);
    }
    return wanted;
  }

  /** With -1 the leader compares no histories, as before there were epochs. */
  private int lastFetchedEpoch(Partition p) {
    return options.truncateToHighWatermark() ? -1 : p.latestEpoch();
  }

  /** Somebody waits out a back-off: the long poll of the others must not make it wait longer. */
  private void armRetry(long delayMs) {
    if (retry != null) {
      retry.cancel();
    }
    retry =
        shard.schedule(
            delayMs,
            () -> {
              retry = null;
              fetch();
            });
  }

  private final class Answer implements RpcCallback {
    @Override
    public void completed(ApiMessage message, short version, ByteBuf frame) {
      inFlight = false;
      if (closed) {
        return;
      }
      failing = false;
      FetchResponse response = (FetchResponse) message;
      Errors error = Errors.forCode(response.errorCode());
      if (error != Errors.NONE) {
        session.reset();
        if (error != Errors.FETCH_SESSION_ID_NOT_FOUND
            && error != Errors.INVALID_FETCH_SESSION_EPOCH) {
          LOG.warn("Broker {} refuses to be followed: {}", leaderId, error);
          delayAll();
        }
      } else {
        session.answered(response.sessionId());
        for (FetchableTopicResponse topic : response.responses()) {
          for (PartitionData data : topic.partitions()) {
            answered(topic.topicId(), data);
          }
        }
      }
      fetch();
    }

    @Override
    public void failed(RpcFailure failure) {
      inFlight = false;
      if (closed) {
        return;
      }
      session.reset();
      if (!failing) {
        failing = true;
        LOG.info("Cannot fetch from broker {}, will try again: {}", leaderId, failure.message());
      }
      delayAll();
      fetch();
    }
  }

  private void delayAll() {
    long until = shard.ticks() + options.fetching().backoffMs();
    followed.values().forEach(topic -> topic.values().forEach(f -> f.delayUntil(until)));
  }

  private void answered(Uuid topicId, PartitionData data) {
    FollowedPartition f = followed.getOrDefault(topicId, Map.of()).get(data.partitionIndex());
    if (f == null || !f.wasAsked() || !f.partition.following().isOf(f.leaderEpoch)) {
      return; // it has another leader by now: the answer is old
    }
    TopicPartition name = f.partition.name();
    Errors error = Errors.forCode(data.errorCode());
    switch (error) {
      case NONE -> {
        f.welcome();
        if (data.divergingEpoch().epoch() >= 0) {
          f.partition
              .following()
              .truncateTo(
                  new EpochEnd(data.divergingEpoch().epoch(), data.divergingEpoch().endOffset()));
        } else {
          append(f, data);
        }
      }
      case OFFSET_OUT_OF_RANGE -> outOfRange.resolve(f, data.partitionIndex());
      case NOT_LEADER_OR_FOLLOWER,
          UNKNOWN_LEADER_EPOCH,
          FENCED_LEADER_EPOCH,
          UNKNOWN_TOPIC_ID,
          UNKNOWN_TOPIC_OR_PARTITION -> {
        LOG.debug(
            "{}: broker {} answers {}; its metadata or ours is behind", name, leaderId, error);
        f.tooEarly(shard.ticks(), options.fetching().backoffMs());
      }
      default -> {
        LOG.warn("{}: broker {} answers {}", name, leaderId, error);
        f.delayUntil(shard.ticks() + options.fetching().backoffMs());
      }
    }
  }

  private void append(FollowedPartition f, PartitionData data) {
    try {
      ByteBuf records = data.records() instanceof MemoryRecords m ? m.buffer() : null;
      f.partition.following().append(records, data.highWatermark(), data.logStartOffset());
    } catch (RuntimeException e) {
      LOG.error(
          "{}: what broker {} sent cannot be appended at offset {}",
          f.partition.name(),
          leaderId,
          f.partition.logEndOffset(),
          e);
      f.delayUntil(shard.ticks() + options.fetching().backoffMs());
    }
  }
}
