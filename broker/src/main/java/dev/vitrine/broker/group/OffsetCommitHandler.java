package dev.vitrine.broker.group;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.api.Responder;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.OffsetCommitRequest;
import dev.vitrine.protocol.message.OffsetCommitRequest.OffsetCommitRequestPartition;
import dev.vitrine.protocol.message.OffsetCommitRequest.OffsetCommitRequestTopic;
import dev.vitrine.protocol.message.OffsetCommitResponse;
import dev.vitrine.protocol.message.OffsetCommitResponse.OffsetCommitResponsePartition;
import dev.vitrine.protocol.message.OffsetCommitResponse.OffsetCommitResponseTopic;
import java.util.ArrayList;
import java.util.List;

/**
 * OffsetCommit 2–10. Topics and partitions that are not there are refused one by one, by name with
 * UNKNOWN_TOPIC_OR_PARTITION and by id (version 10) with UNKNOWN_TOPIC_ID; the rest goes to the
 * group. The empty group id is allowed, as it always was.
 */
final class OffsetCommitHandler implements ApiHandler {
  private static final int TOPIC_ID_VERSION = 10;

  private final GroupRouter router;

  OffsetCommitHandler(GroupRouter router) {
    this.router = router;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    OffsetCommitRequest request = (OffsetCommitRequest) message;
    short version = context.version();
    OffsetCommitResponse response = new OffsetCommitResponse();
    List<OffsetCommitRequestTopic> known = new ArrayList<>();
    MetadataImage image = router.image();
    for (OffsetCommitRequestTopic t : request.topics()) {
      boolean byId = version >= TOPIC_ID_VERSION;
      TopicImage topic = byId ? image.topic(t.topicId()) : image.topic(t.name());
      if (topic == null) {
        refuse(t, byId ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION, response);
      } else {
        known.add(sort(t.name(topic.name()).topicId(topic.id()), topic, response));
      }
    }
    known.removeIf(t -> t.partitions().isEmpty());
    if (known.isEmpty()) {
      responder.respond(response);
      return;
    }
    router.route(
        request.groupId(),
        groups ->
            groups
                .commits()
                .commit(
                    request,
                    version,
                    known,
                    (error, result) -> {
                      if (error == Errors.NONE && response.topics().isEmpty()) {
                        response.topics(result.topics()); // a topic may be there twice
                      } else if (error == Errors.NONE) {
                        result.topics().forEach(t -> merge(t, response));
                      } else {
                        known.forEach(t -> refuse(t, error, response));
                      }
                      responder.respond(response);
                    }),
        error -> {
          known.forEach(t -> refuse(t, error, response));
          responder.respond(response);
        });
  }

  /** The partitions that are there; the others are refused. */
  private static OffsetCommitRequestTopic sort(
      OffsetCommitRequestTopic asked, TopicImage topic, OffsetCommitResponse response) {
    List<OffsetCommitRequestPartition> there = new ArrayList<>();
    List<OffsetCommitRequestPartition> missing = new ArrayList<>();
    for (OffsetCommitRequestPartition p : asked.partitions()) {
      (topic.partition(p.partitionIndex()) != null ? there : missing).add(p);
    }
    if (!missing.isEmpty()) {
      refuse(
          new OffsetCommitRequestTopic()
              .name(asked.name())
              .topicId(asked.topicId())
              .partitions(missing),
          Errors.UNKNOWN_TOPIC_OR_PARTITION,
          response);
    }
    return new OffsetCommitRequestTopic()
        .name(asked.name())
        .topicId(asked.topicId())
        .partitions(there);
  }

  private static void refuse(
      OffsetCommitRequestTopic t, Errors error, OffsetCommitResponse response) {
    OffsetCommitResponseTopic refused =
        new OffsetCommitResponseTopic().name(t.name()).topicId(t.topicId());
    for (OffsetCommitRequestPartition p : t.partitions()) {
      refused
          .partitions()
          .add(
              new OffsetCommitResponsePartition()
                  .partitionIndex(p.partitionIndex())
                  .errorCode(error.code()));
    }
    merge(refused, response);
  }

  private static void merge(OffsetCommitResponseTopic t, OffsetCommitResponse response) {
    for (OffsetCommitResponseTopic other : response.topics()) {
      if (other.name().equals(t.name()) && other.topicId().equals(t.topicId())) {
        other.partitions().addAll(t.partitions());
        return;
      }
    }
    response.topics().add(t);
  }
}
