package dev.vitrine.broker.api;

import dev.vitrine.broker.control.Forwarding;
import dev.vitrine.config.GroupSettings;
import dev.vitrine.config.KafkaConfig;
import dev.vitrine.metadata.TopicName;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.CreateTopicsRequest;
import dev.vitrine.protocol.message.CreateTopicsRequest.CreatableTopic;
import dev.vitrine.protocol.message.CreateTopicsRequest.CreatableTopicConfig;
import dev.vitrine.protocol.message.CreateTopicsResponse;
import dev.vitrine.protocol.message.RequestHeader;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates topics that somebody asked for without creating them: by Metadata where {@code
 * auto.create.topics.enable} allows it, and the internal ones with their first use. One for all
 * shards. Each topic is asked of the controller once at a time; nobody waits for it: clients come
 * again, as with Kafka.
 */
public final class TopicCreator {
  private static final Logger LOG = LoggerFactory.getLogger(TopicCreator.class);
  private static final short VERSION = 7;

  private final KafkaConfig config;
  private final Forwarding forwarding;
  private final Set<String> underWay = ConcurrentHashMap.newKeySet();

  public TopicCreator(KafkaConfig config, Forwarding forwarding) {
    this.config = config;
    this.forwarding = forwarding;
  }

  /**
   * Asks for topics that are not there. An internal one whose coordinator is not offered is not
   * made: it would be there with the wrong configuration when the coordinator comes.
   *
   * @return what a client is told of this topic meanwhile
   */
  Errors create(RequestContext context, String name) {
    if (!isValid(name)) {
      return Errors.INVALID_TOPIC_EXCEPTION;
    }
    boolean offered =
        !InternalTopics.contains(name) || name.equals(InternalTopics.CONSUMER_OFFSETS);
    if (offered && underWay.add(name)) {
      send(context, topic(name));
    }
    return Errors.UNKNOWN_TOPIC_OR_PARTITION;
  }

  static boolean isValid(String name) {
    return TopicName.problem(name) == null;
  }

  private void send(RequestContext context, CreatableTopic topic) {
    CreateTopicsRequest request =
        new CreateTopicsRequest()
            .timeoutMs(config.broker().requestTimeoutMs())
            .topics(new ArrayList<>(List.of(topic)));
    RequestHeader header =
        new RequestHeader()
            .requestApiKey(ApiKeys.CREATE_TOPICS.id())
            .requestApiVersion(VERSION)
            .correlationId(context.correlationId())
            .clientId(context.clientId());
    forwarding.forward(
        context.forwarded(header, context.principal(), context.clientAddress()),
        request,
        answer -> {
          underWay.remove(topic.name());
          for (CreateTopicsResponse.CreatableTopicResult r :
              ((CreateTopicsResponse) answer).topics()) {
            Errors error = Errors.forCode(r.errorCode());
            if (error != Errors.NONE && error != Errors.TOPIC_ALREADY_EXISTS) {
              LOG.warn("Topic {} cannot be created: {} {}", r.name(), error, r.errorMessage());
            }
          }
        });
  }

  private CreatableTopic topic(String name) {
    CreatableTopic topic = new CreatableTopic().name(name);
    if (name.equals(InternalTopics.CONSUMER_OFFSETS)) {
      GroupSettings.Offsets offsets = config.groups().offsets();
      topic
          .numPartitions(offsets.numPartitions())
          .replicationFactor((short) offsets.replicationFactor());
      add(topic, "cleanup.policy", "compact");
      add(topic, "compression.type", "producer");
      add(topic, "segment.bytes", Integer.toString(offsets.segmentBytes()));
    } else {
      topic.numPartitions(-1).replicationFactor((short) -1);
    }
    return topic;
  }

  private static void add(CreatableTopic topic, String key, String value) {
    topic.configs().add(new CreatableTopicConfig().name(key).value(value));
  }
}
