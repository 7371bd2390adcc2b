package dev.vitrine.broker.group;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.api.Responder;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.OffsetDeleteRequest;
import dev.vitrine.protocol.message.OffsetDeleteRequest.OffsetDeleteRequestPartition;
import dev.vitrine.protocol.message.OffsetDeleteRequest.OffsetDeleteRequestTopic;
import dev.vitrine.protocol.message.OffsetDeleteResponse;
import dev.vitrine.protocol.message.OffsetDeleteResponse.OffsetDeleteResponsePartition;
import dev.vitrine.protocol.message.OffsetDeleteResponse.OffsetDeleteResponseTopic;
import java.util.ArrayList;
import java.util.List;

/**
 * OffsetDelete 0. Partitions that are not there are UNKNOWN_TOPIC_OR_PARTITION, unless the group is
 * wrong already.
 */
final class OffsetDeleteHandler implements ApiHandler {
  private final GroupRouter router;

  OffsetDeleteHandler(GroupRouter router) {
    this.router = router;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    OffsetDeleteRequest request = (OffsetDeleteRequest) message;
    OffsetDeleteResponse response = new OffsetDeleteResponse();
    List<OffsetDeleteRequestTopic> known = new ArrayList<>();
    for (OffsetDeleteRequestTopic t : request.topics()) {
      OffsetDeleteRequestTopic there = sort(t, router.image(), response);
      if (!there.partitions().isEmpty()) {
        known.add(there);
      }
    }
    if (request.groupId().isEmpty()) {
      refuse(Errors.INVALID_GROUP_ID, responder);
    } else {
      router.route(
          request.groupId(),
          groups ->
              groups
                  .commits()
                  .delete(
                      request.groupId(),
                      known,
                      (error, result) -> {
                        if (error == Errors.NONE && response.topics().isEmpty()) {
                          responder.respond(result); // a topic may be there twice
                        } else if (error == Errors.NONE) {
                          result.topics().forEach(t -> merge(t, response));
                          responder.respond(response);
                        } else {
                          refuse(error, responder);
                        }
                      }),
          error -> refuse(error, responder));
    }
  }

  private static OffsetDeleteRequestTopic sort(
      OffsetDeleteRequestTopic asked, MetadataImage image, OffsetDeleteResponse response) {
    OffsetDeleteRequestTopic there = new OffsetDeleteRequestTopic().name(asked.name());
    OffsetDeleteResponseTopic missing = new OffsetDeleteResponseTopic().name(asked.name());
    for (OffsetDeleteRequestPartition p : asked.partitions()) {
      if (image.partition(asked.name(), p.partitionIndex()) != null) {
        there.partitions().add(p);
      } else {
        missing
            .partitions()
            .add(
                new OffsetDeleteResponsePartition()
                    .partitionIndex(p.partitionIndex())
                    .errorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code()));
      }
    }
    if (!missing.partitions().isEmpty()) {
      merge(missing, response);
    }
    return there;
  }

  private static void merge(OffsetDeleteResponseTopic t, OffsetDeleteResponse response) {
    for (OffsetDeleteResponseTopic other : response.topics()) {
      if (other.name().equals(t.name())) {
        other.partitions().addAll(t.partitions());
        return;
      }
    }
    response.topics().add(t);
  }

  private static void refuse(Errors error, Responder responder) {
    responder.respond(new OffsetDeleteResponse().errorCode(error.code()));
  }
}
