package dev.vitrine.broker.api;

import dev.vitrine.config.KafkaConfig;
import dev.vitrine.metadata.BrokerEndpoint;
import dev.vitrine.metadata.BrokerRegistration;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.MetadataRequest;
import dev.vitrine.protocol.message.MetadataRequest.MetadataRequestTopic;
import dev.vitrine.protocol.message.MetadataResponse;
import dev.vitrine.protocol.message.MetadataResponse.MetadataResponseBroker;
import dev.vitrine.protocol.message.MetadataResponse.MetadataResponsePartition;
import dev.vitrine.protocol.message.MetadataResponse.MetadataResponseTopic;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Metadata, versions 0 to 13: the brokers that are alive, and topics with their leaders, from the
 * newest image alone. What is asked for and is not there may be created.
 *
 * <p>The controller that is named is any broker that is alive, as with Kafka: clients send to it
 * what brokers forward.
 */
public final class MetadataHandler implements ApiHandler {
  private static final short FIRST_WITH_LISTENER_ERRORS = 6;

  /** Versions 10 and 11 have the field already, and may not use it. */
  private static final short FIRST_BY_ID = 12;

  private final Supplier<MetadataImage> metadata;
  private final KafkaConfig config;
  private final String clusterId;
  private final TopicCreator creator;

  public MetadataHandler(
      Supplier<MetadataImage> metadata,
      KafkaConfig config,
      String clusterId,
      TopicCreator creator) {
    this.metadata = metadata;
    this.config = config;
    this.clusterId = clusterId;
    this.creator = creator;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    MetadataRequest request = (MetadataRequest) message;
    if (context.version() < FIRST_BY_ID && asksById(request)) {
      responder.respond(ErrorResponses.of(request, context.version(), Errors.INVALID_REQUEST));
      return;
    }
    MetadataImage image = metadata.get();
    MetadataResponse response = new MetadataResponse().clusterId(clusterId);
    List<BrokerRegistration> alive = image.aliveBrokers(context.listenerName());
    for (BrokerRegistration b : alive) {
      BrokerEndpoint at = b.endpoint(context.listenerName());
      response
          .brokers()
          .add(
              new MetadataResponseBroker()
                  .nodeId(b.id())
                  .host(at.host())
                  .port(at.port())
                  .rack(b.rack()));
    }
    if (!alive.isEmpty()) {
      response.controllerId(alive.get(context.shard().random().nextInt(alive.size())).id());
    }
    if (request.includeClusterAuthorizedOperations()) {
      response.clusterAuthorizedOperations(Operations.ON_CLUSTER);
    }
    response.topics(new Topics(context, request, image).all());
    responder.respond(response);
  }

  private static boolean asksById(MetadataRequest request) {
    return request.topics() != null
        && request.topics().stream()
            .anyMatch(t -> t.name() == null || !t.topicId().equals(Uuid.ZERO));
  }

  /** The topics of one answer. */
  private final class Topics {
    private final RequestContext context;
    private final MetadataRequest request;
    private final MetadataImage image;
    private final Reachability reachability;
    private final List<MetadataResponseTopic> topics = new ArrayList<>();

    Topics(RequestContext context, MetadataRequest request, MetadataImage image) {
      this.context = context;
      this.request = request;
      this.image = image;
      this.reachability = new Reachability(image, context.listenerName());
    }

    List<MetadataResponseTopic> all() {
      List<MetadataRequestTopic> asked = request.topics();
      if (asked == null || context.version() == 0 && asked.isEmpty()) {
        image.topics().all().forEach(this::add);
        return topics;
      }
      Set<String> names = new LinkedHashSet<>();
      Set<Uuid> ids = new LinkedHashSet<>();
      for (MetadataRequestTopic t : asked) {
        if (t.topicId().equals(Uuid.ZERO)) {
          names.add(t.name());
        } else {
          ids.add(t.topicId());
        }
      }
      if (ids.isEmpty()) {
        names.forEach(this::addByName);
      } else {
        ids.forEach(this::addById); // who asks for an id is told of no name, as with Kafka
      }
      return topics;
    }

    private void addById(Uuid id) {
      TopicImage topic = image.topic(id);
      if (topic != null) {
        add(topic);
      } else {
        topics.add(
            new MetadataResponseTopic()
                .errorCode(Errors.UNKNOWN_TOPIC_ID.code())
                .name(null)
                .topicId(id));
      }
    }

    private void addByName(String name) {
      TopicImage topic = name == null ? null : image.topic(name);
      if (topic != null) {
        add(topic);
        return;
      }
      Errors error;
      if (name == null || name.isEmpty()) {
        error = Errors.INVALID_TOPIC_EXCEPTION;
      } else if (mayCreate()) {
        error = creator.create(context, name);
      } else {
        error =
            TopicCreator.isValid(name)
                ? Errors.UNKNOWN_TOPIC_OR_PARTITION
                : Errors.INVALID_TOPIC_EXCEPTION;
      }
      topics.add(
          new MetadataResponseTopic()
              .errorCode(error.code())
              .name(name == null ? "" : name)
              .isInternal(name != null && InternalTopics.contains(name)));
    }

    private boolean mayCreate() {
      return config.topics().autoCreate()
          && (context.version() < 4 || request.allowAutoTopicCreation());
    }

    private void add(TopicImage topic) {
      MetadataResponseTopic t =
          new MetadataResponseTopic()
              .name(topic.name())
              .topicId(topic.id())
              .isInternal(InternalTopics.contains(topic.name()));
      if (request.includeTopicAuthorizedOperations()) {
        t.topicAuthorizedOperations(Operations.ON_TOPIC);
      }
      topic.partitions().forEach((index, p) -> t.partitions().add(partition(index, p)));
      topics.add(t);
    }

    private MetadataResponsePartition partition(int index, PartitionImage p) {
      boolean onlyAlive = context.version() == 0;
      List<Integer> replicas = onlyAlive ? reachability.reachable(p.replicas()) : p.replicas();
      List<Integer> isr = onlyAlive ? reachability.reachable(p.isr()) : p.isr();
      MetadataResponsePartition r =
          new MetadataResponsePartition()
              .partitionIndex(index)
              .leaderId(p.leader())
              .leaderEpoch(p.leaderEpoch())
              .replicaNodes(replicas)
              .isrNodes(isr)
              .offlineReplicas(reachability.offline(p));
      Errors error = reachability.leaderError(p);
      if (error != Errors.NONE) {
        boolean told =
            error != Errors.LISTENER_NOT_FOUND || context.version() >= FIRST_WITH_LISTENER_ERRORS;
        return r.leaderId(-1).errorCode((told ? error : Errors.LEADER_NOT_AVAILABLE).code());
      }
      if (replicas.size() < p.replicas().size() || isr.size() < p.isr().size()) {
        r.errorCode(Errors.REPLICA_NOT_AVAILABLE.code());
      }
      return r;
    }
  }
}
