package dev.vitrine.broker.group;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.api.Responder;
import dev.vitrine.config.GroupSettings;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.ConsumerGroupDescribeRequest;
import dev.vitrine.protocol.message.ConsumerGroupDescribeResponse;
import dev.vitrine.protocol.message.ConsumerGroupDescribeResponse.DescribedGroup;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * ConsumerGroupDescribe 0–1: members, what they own and what they are to own. A group that is not
 * there, or is of another kind, is GROUP_ID_NOT_FOUND. Version 1 says which protocol a member uses
 * (KIP-1099). Without an authorizer all operations are allowed.
 */
final class ConsumerGroupDescribeHandler implements ApiHandler {
  private final GroupRouter router;
  private final GroupSettings settings;

  ConsumerGroupDescribeHandler(GroupRouter router, GroupSettings settings) {
    this.router = router;
    this.settings = settings;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    ConsumerGroupDescribeRequest request = (ConsumerGroupDescribeRequest) message;
    List<String> ids = new ArrayList<>(request.groupIds());
    ids.sort(Comparator.comparing(id -> !id.isEmpty())); // as in Kafka, those without an id first
    boolean enabled = ConsumerGroupHeartbeatHandler.isEnabled(router, settings);
    Gathered<DescribedGroup> all =
        new Gathered<>(
            context.shard(),
            ids.size(),
            parts -> {
              if (request.includeAuthorizedOperations()) {
                parts.forEach(ConsumerGroupDescribeHandler::authorize);
              }
              responder.respond(new ConsumerGroupDescribeResponse().groups(parts));
            });
    for (int i = 0; i < ids.size(); i++) {
      String id = ids.get(i);
      var part = all.part(i);
      if (!enabled) {
        part.accept(refused(id, Errors.UNSUPPORTED_VERSION));
      } else if (id.isEmpty()) {
        part.accept(refused(id, Errors.INVALID_GROUP_ID));
      } else {
        router.route(
            id,
            groups -> part.accept(groups.admin().describeConsumer(id)),
            error -> part.accept(refused(id, error)));
      }
    }
  }

  private static DescribedGroup refused(String id, Errors error) {
    return new DescribedGroup().groupId(id).errorCode(error.code());
  }

  private static void authorize(DescribedGroup g) {
    if (g.errorCode() == Errors.NONE.code()) {
      g.authorizedOperations(DescribeGroupsHandler.ALL_OPERATIONS);
    }
  }
}
