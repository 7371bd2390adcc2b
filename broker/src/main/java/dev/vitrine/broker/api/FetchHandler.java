package dev.vitrine.broker.api;

import dev.vitrine.broker.observe.ShardMeters;
import dev.vitrine.broker.observe.TopicMeter;
import dev.vitrine.broker.observe.TopicMeters;
import dev.vitrine.broker.partition.NearestReplica;
import dev.vitrine.broker.partition.ReadLimit;
import dev.vitrine.broker.partition.ReadOutcome;
import dev.vitrine.broker.quota.BrokerQuotas;
import dev.vitrine.broker.replication.Replicas;
import dev.vitrine.config.SocketSettings;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FetchResponse;
import dev.vitrine.protocol.message.FetchResponse.AbortedTransaction;
import dev.vitrine.protocol.message.FetchResponse.FetchableTopicResponse;
import dev.vitrine.protocol.message.FetchResponse.PartitionData;
import dev.vitrine.quota.QuotaRules;
import dev.vitrine.seam.Shard;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Fetch, versions 4 to 18: consumers, from version 11 on also of a follower (KIP-392), and
 * followers. Here is the session (KIP-227) and the shape of the answer; waiting is {@link
 * PendingFetch}'s, reading the partition's. One for all shards, with the sessions of each.
 */
public final class FetchHandler implements ApiHandler {
  private static final short FIRST_WITH_TOPIC_IDS = 13;
  private static final short FIRST_FROM_FOLLOWERS = 11;
  private static final short FIRST_WITH_DIVERGENCE = 12;
  private static final short FIRST_WITH_REPLICA_STATE = 15;
  private static final short FIRST_WITH_LEADERS = 16;

  private final Replicas replicas;
  private final Supplier<MetadataImage> metadata;
  private final int maxBytes;
  private final boolean rackAware;
  private final BrokerQuotas quotas;
  private final Map<Shard, Part> parts = new HashMap<>();

  /** What one shard has of its own. */
  private record Part(FetchSessions sessions, TopicMeters meters) {
    /** Counts what will be sent. */
    void count(boolean toFollower, TopicPartition[] names, ReadOutcome[] outcomes) {
      for (int i = 0; i < outcomes.length; i++) {
        if (names[i] == null) {
          continue;
        }
        TopicMeter topic = meters.of(names[i].topic());
        topic.fetchRequest();
        if (outcomes[i].error() == Errors.KAFKA_STORAGE_ERROR) {
          topic.fetchFailed();
        }
        if (toFollower) {
          meters.replicatedOut(outcomes[i].records().sizeInBytes());
        } else {
          topic.consumed(outcomes[i].records().sizeInBytes());
        }
      }
    }
  }

  /**
   * @param sockets for {@code fetch.max.bytes}, the most that a consumer gets in one answer, and
   *     {@code max.incremental.fetch.session.cache.slots}
   * @param rackAware whether consumers are sent to replicas in their rack
   * @param quotas for the most that a consumer may have at once
   * @param meters who counts on a shard
   */
  public FetchHandler(
      Replicas replicas,
      Supplier<MetadataImage> metadata,
      SocketSettings sockets,
      boolean rackAware,
      BrokerQuotas quotas,
      Function<Shard, ShardMeters> meters) {
    this.replicas = replicas;
    this.metadata = metadata;
    this.maxBytes = sockets.fetchMaxBytes();
    this.rackAware = rackAware;
    this.quotas = quotas;
    int share = Math.max(1, sockets.fetchSessionSlots() / replicas.shards().size());
    replicas
        .shards()
        .forEach(
            r ->
                parts.put(
                    r.shard(),
                    new Part(
                        new FetchSessions(r.shard(), share), meters.apply(r.shard()).topics())));
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    FetchRequest request = (FetchRequest) message;
    short version = context.version();
    boolean follower = replicaId(request, version) >= 0;
    Part part = parts.get(context.shard());
    FetchSessions known = part.sessions;
    FetchSessions.Opened opened = known.open(request, follower, version >= FIRST_WITH_TOPIC_IDS);
    if (opened.error() != Errors.NONE) {
      FetchResponse refusal = new FetchResponse().errorCode(opened.error().code());
      answer(refusal, opened, known, follower, responder);
      return;
    }
    PendingFetch.Terms terms = terms(request, context);
    PendingFetch fetch =
        new PendingFetch(
            context.shard(),
            replicas,
            metadata,
            terms,
            opened.targets(),
            (names, outcomes) -> {
              part.count(follower, names, outcomes);
              answer(
                  response(context, opened, outcomes, follower),
                  opened,
                  known,
                  follower,
                  responder);
            });
    if (terms.replicaId() >= 0) {
      // A follower that has something new to ask for must not wait until this is over.
      context.connection().onNextRequest(fetch::hurry);
    }
    fetch.start();
  }

  /**
   * A consumer that is over its quota gets nothing, and asks again: what it was about to be told it
   * has not been told, and a session that was about to begin does not.
   */
  private static void answer(
      FetchResponse response,
      FetchSessions.Opened opened,
      FetchSessions known,
      boolean follower,
      Responder responder) {
    if (follower) {
      responder.respond(response);
      return;
    }
    responder.respond(
        response,
        () -> {
          response.responses().forEach(t -> t.partitions().forEach(p -> p.records().release()));
          opened.targets().forEach(FetchTarget::forgetTold);
          return new FetchResponse().sessionId(known.keep(opened));
        });
  }

  private static int replicaId(FetchRequest request, short version) {
    return version >= FIRST_WITH_REPLICA_STATE
        ? request.replicaState().replicaId()
        : request.replicaId();
  }

  private PendingFetch.Terms terms(FetchRequest request, RequestContext context) {
    short version = context.version();
    int replicaId = replicaId(request, version);
    boolean follower = replicaId >= 0;
    int limit = follower ? request.maxBytes() : Math.min(request.maxBytes(), maxBytes);
    if (!follower && quotas.isActive()) {
      String user = QuotaRules.userOf(context.principal());
      limit = Math.min(limit, quotas.mostFetched(user, context.clientId()));
    }
    ReadLimit sees =
        follower
            ? ReadLimit.LOG_END
            : request.isolationLevel() == 1
                ? ReadLimit.LAST_STABLE_OFFSET
                : ReadLimit.HIGH_WATERMARK;
    return new PendingFetch.Terms(
        replicaId,
        version >= FIRST_WITH_REPLICA_STATE ? request.replicaState().replicaEpoch() : -1,
        request.maxWaitMs(),
        Math.min(request.minBytes(), limit),
        limit,
        sees,
        follower || version < FIRST_FROM_FOLLOWERS,
        follower || !rackAware || request.rackId().isEmpty()
            ? NearestReplica.NONE
            : new NearestReplica(metadata.get(), request.rackId(), context.listenerName()));
  }

  private FetchResponse response(
      RequestContext context,
      FetchSessions.Opened opened,
      ReadOutcome[] outcomes,
      boolean follower) {
    FetchResponse response = new FetchResponse().sessionId(opened.sessionId());
    List<FetchableTopicResponse> topics = new ArrayList<>();
    NodeEndpoints nodes = new NodeEndpoints(metadata.get(), context.listenerName());
    FetchableTopicResponse current = null;
    for (int i = 0; i < outcomes.length; i++) {
      FetchTarget target = opened.targets().get(i);
      ReadOutcome o = outcomes[i];
      if (context.version() >= FIRST_WITH_TOPIC_IDS && target.key.topicId().equals(Uuid.ZERO)) {
        o = ReadOutcome.failed(Errors.UNKNOWN_TOPIC_ID); // it had no name to be looked up by
      }
      boolean data = o.records().sizeInBytes() > 0;
      if (!isTold(target, o, data, opened.incremental())) {
        continue;
      }
      if (data && opened.session() != null) {
        opened.session().toTheEnd(target);
      }
      if (current == null || !isOf(current, target)) {
        current =
            new FetchableTopicResponse().topic(target.key.topic()).topicId(target.key.topicId());
        topics.add(current);
      }
      current.partitions().add(partition(target.key.partition(), o, context.version(), nodes));
    }
    response.responses(topics);
    if (context.version() >= FIRST_WITH_LEADERS && !follower) {
      nodes
          .found()
          .forEach(
              n ->
                  response
                      .nodeEndpoints()
                      .add(
                          new FetchResponse.NodeEndpoint()
                              .nodeId(n.id())
                              .host(n.host())
                              .port(n.port())
                              .rack(n.rack())));
    }
    return response;
  }

  private static boolean isOf(FetchableTopicResponse topic, FetchTarget target) {
    return topic.topicId().equals(target.key.topicId()) && topic.topic().equals(target.key.topic());
  }

  /** An incremental answer leaves out who has nothing new. */
  private static boolean isTold(
      FetchTarget target, ReadOutcome o, boolean data, boolean incremental) {
    if (o.error() != Errors.NONE || o.divergingEpoch() != null) {
      target.forgetTold();
      return true;
    }
    boolean news = target.isNews(o.highWatermark(), o.logStartOffset());
    return !incremental || data || news || o.preferredReplica() >= 0;
  }

  private static PartitionData partition(
      int index, ReadOutcome o, short version, NodeEndpoints nodes) {
    PartitionData data =
        new PartitionData()
            .partitionIndex(index)
            .errorCode(o.error().code())
            .highWatermark(o.highWatermark())
            .lastStableOffset(o.lastStableOffset())
            .logStartOffset(o.logStartOffset())
            .preferredReadReplica(o.preferredReplica())
            .records(o.records());
    if (o.abortedTransactions() != null) {
      List<AbortedTransaction> aborted = new ArrayList<>();
      o.abortedTransactions()
          .forEach(
              a ->
                  aborted.add(
                      new AbortedTransaction()
                          .producerId(a.producerId())
                          .firstOffset(a.firstOffset())));
      data.abortedTransactions(aborted);
    } else if (o.error() != Errors.UNKNOWN_TOPIC_OR_PARTITION
        && o.error() != Errors.UNKNOWN_TOPIC_ID) {
      // What is not there at all has none; nobody has looked at the others.
      data.abortedTransactions(null);
    }
    if (o.divergingEpoch() != null && version >= FIRST_WITH_DIVERGENCE) {
      data.divergingEpoch()
          .epoch(o.divergingEpoch().leaderEpoch())
          .endOffset(o.divergingEpoch().endOffset());
    }
    if (o.currentLeader() != null
        && version >= FIRST_WITH_LEADERS
        && NodeEndpoints.tellsLeader(o.error())) {
      data.currentLeader()
          .leaderId(o.currentLeader().leaderId())
          .leaderEpoch(o.currentLeader().leaderEpoch());
      nodes.add(o.currentLeader().leaderId());
    }
    return data;
  }
}
