package dev.vitrine.broker.group;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.api.Responder;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.OffsetFetchRequest;
import dev.vitrine.protocol.message.OffsetFetchRequest.OffsetFetchRequestGroup;
import dev.vitrine.protocol.message.OffsetFetchRequest.OffsetFetchRequestTopic;
import dev.vitrine.protocol.message.OffsetFetchRequest.OffsetFetchRequestTopics;
import dev.vitrine.protocol.message.OffsetFetchResponse;
import dev.vitrine.protocol.message.OffsetFetchResponse.OffsetFetchResponseGroup;
import dev.vitrine.protocol.message.OffsetFetchResponse.OffsetFetchResponsePartition;
import dev.vitrine.protocol.message.OffsetFetchResponse.OffsetFetchResponseTopic;
import dev.vitrine.protocol.message.OffsetFetchResponse.OffsetFetchResponseTopics;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * OffsetFetch 1–10.
 *
 * <ul>
 *   <li>From version 8 on for several groups at once; before, for one.
 *   <li>Null topics (version 2 and later) are all topics that have offsets.
 *   <li>Version 1 tells an error of the group with each partition, 2–7 once for the whole.
 *   <li>Version 10 names topics by their ids; one that is not there is UNKNOWN_TOPIC_ID, and is
 *       left out where all topics are asked for.
 *   <li>Member id and epoch (version 9 and later) are those of a consumer group's member; they mean
 *       nothing to a classic group.
 * </ul>
 */
final class OffsetFetchHandler implements ApiHandler {
  private static final int TOP_LEVEL_ERROR_VERSION = 2;
  private static final int GROUPS_VERSION = 8;
  private static final int TOPIC_ID_VERSION = 10;

  private final GroupRouter router;

  OffsetFetchHandler(GroupRouter router) {
    this.router = router;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    OffsetFetchRequest request = (OffsetFetchRequest) message;
    short version = context.version();
    List<OffsetFetchRequestGroup> groups =
        version >= GROUPS_VERSION ? request.groups() : List.of(single(request));
    Gathered<OffsetFetchResponseGroup> all =
        new Gathered<>(
            context.shard(),
            groups.size(),
            parts ->
                responder.respond(
                    version >= GROUPS_VERSION
                        ? new OffsetFetchResponse().groups(parts)
                        : single(groups.get(0), parts.get(0), version)));
    for (int i = 0; i < groups.size(); i++) {
      fetch(groups.get(i), request.requireStable(), version >= TOPIC_ID_VERSION, all.part(i));
    }
  }

  private void fetch(
      OffsetFetchRequestGroup asked,
      boolean stable,
      boolean byId,
      Consumer<OffsetFetchResponseGroup> answer) {
    MetadataImage image = router.image();
    List<OffsetFetchResponseTopics> unknown = new ArrayList<>();
    OffsetFetchRequestGroup group = byId ? named(asked, image, unknown) : identified(asked, image);
    router.route(
        group.groupId(),
        groups ->
            groups
                .reads()
                .fetch(
                    group,
                    stable,
                    found -> {
                      if (byId && group.topics() == null) {
                        found.topics(withIds(found.topics(), image));
                      }
                      if (found.errorCode() == Errors.NONE.code()) {
                        found.topics().addAll(unknown);
                      }
                      answer.accept(found);
                    }),
        error ->
            answer.accept(
                new OffsetFetchResponseGroup().groupId(group.groupId()).errorCode(error.code())));
  }

  private static OffsetFetchRequestGroup named(
      OffsetFetchRequestGroup asked, MetadataImage image, List<OffsetFetchResponseTopics> unknown) {
    if (asked.topics() == null) {
      return asked;
    }
    List<OffsetFetchRequestTopics> known = new ArrayList<>();
    for (OffsetFetchRequestTopics t : asked.topics()) {
      TopicImage topic = image.topic(t.topicId());
      if (topic != null) {
        known.add(t.name(topic.name()));
      } else {
        OffsetFetchResponseTopics refused = new OffsetFetchResponseTopics().topicId(t.topicId());
        t.partitionIndexes()
            .forEach(p -> refused.partitions().add(OffsetReads.none(p, Errors.UNKNOWN_TOPIC_ID)));
        unknown.add(refused);
      }
    }
    return new OffsetFetchRequestGroup()
        .groupId(asked.groupId())
        .memberId(asked.memberId())
        .memberEpoch(asked.memberEpoch())
        .topics(known);
  }

  private static OffsetFetchRequestGroup identified(
      OffsetFetchRequestGroup asked, MetadataImage image) {
    if (asked.topics() != null) {
      for (OffsetFetchRequestTopics t : asked.topics()) {
        TopicImage topic = image.topic(t.name());
        if (topic != null) {
          t.topicId(topic.id());
        }
      }
    }
    return asked;
  }

  private static List<OffsetFetchResponseTopics> withIds(
      List<OffsetFetchResponseTopics> found, MetadataImage image) {
    List<OffsetFetchResponseTopics> known = new ArrayList<>();
    for (OffsetFetchResponseTopics t : found) {
      TopicImage topic = image.topic(t.name());
      if (topic != null) {
        known.add(t.topicId(topic.id()));
      }
    }
    return known;
  }

  // ---- the shape before version 8

  private static OffsetFetchRequestGroup single(OffsetFetchRequest request) {
    List<OffsetFetchRequestTopics> topics = null;
    if (request.topics() != null) {
      topics = new ArrayList<>();
      for (OffsetFetchRequestTopic t : request.topics()) {
        topics.add(
            new OffsetFetchRequestTopics().name(t.name()).partitionIndexes(t.partitionIndexes()));
      }
    }
    return new OffsetFetchRequestGroup().groupId(request.groupId()).topics(topics);
  }

  private static OffsetFetchResponse single(
      OffsetFetchRequestGroup asked, OffsetFetchResponseGroup found, short version) {
    OffsetFetchResponse response = new OffsetFetchResponse();
    List<OffsetFetchResponseTopics> topics = found.topics();
    if (found.errorCode() != Errors.NONE.code()) {
      if (version >= TOP_LEVEL_ERROR_VERSION) {
        return response.errorCode(found.errorCode());
      }
      topics = refused(asked, Errors.forCode(found.errorCode()));
    }
    for (OffsetFetchResponseTopics t : topics) {
      OffsetFetchResponseTopic topic = new OffsetFetchResponseTopic().name(t.name());
      response.topics().add(topic);
      t.partitions()
          .forEach(
              p ->
                  topic
                      .partitions()
                      .add(
                          new OffsetFetchResponsePartition()
                              .partitionIndex(p.partitionIndex())
                              .committedOffset(p.committedOffset())
                              .committedLeaderEpoch(p.committedLeaderEpoch())
                              .metadata(p.metadata())
                              .errorCode(p.errorCode())));
    }
    return response;
  }

  private static List<OffsetFetchResponseTopics> refused(
      OffsetFetchRequestGroup asked, Errors error) {
    List<OffsetFetchResponseTopics> topics = new ArrayList<>();
    for (OffsetFetchRequestTopics t : asked.topics()) {
      OffsetFetchResponseTopics topic = new OffsetFetchResponseTopics().name(t.name());
      t.partitionIndexes().forEach(p -> topic.partitions().add(OffsetReads.none(p, error)));
      topics.add(topic);
    }
    return topics;
  }
}
