package dev.vitrine.broker.group;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.api.Responder;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.DescribeGroupsRequest;
import dev.vitrine.protocol.message.DescribeGroupsResponse;
import dev.vitrine.protocol.message.DescribeGroupsResponse.DescribedGroup;
import java.util.List;

/**
 * DescribeGroups 0–6. A group that is not there is Dead, and from version 6 on also
 * GROUP_ID_NOT_FOUND. Without an authorizer all operations are allowed.
 */
final class DescribeGroupsHandler implements ApiHandler {
  /** Read, delete, describe, describe and alter configs: bits by Kafka's numbers of operations. */
  static final int ALL_OPERATIONS = 1 << 3 | 1 << 6 | 1 << 8 | 1 << 10 | 1 << 11;

  private final GroupRouter router;

  DescribeGroupsHandler(GroupRouter router) {
    this.router = router;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    DescribeGroupsRequest request = (DescribeGroupsRequest) message;
    List<String> ids = request.groups();
    Gathered<DescribedGroup> all =
        new Gathered<>(
            context.shard(),
            ids.size(),
            parts -> {
              if (request.includeAuthorizedOperations()) {
                parts.forEach(DescribeGroupsHandler::authorize);
              }
              responder.respond(new DescribeGroupsResponse().groups(parts));
            });
    short version = context.version();
    for (int i = 0; i < ids.size(); i++) {
      String id = ids.get(i);
      var part = all.part(i);
      router.route(
          id,
          groups -> part.accept(groups.admin().describe(id, version)),
          error -> part.accept(new DescribedGroup().groupId(id).errorCode(error.code())));
    }
  }

  private static void authorize(DescribedGroup g) {
    if (g.errorCode() == Errors.NONE.code()) {
      g.authorizedOperations(ALL_OPERATIONS);
    }
  }
}
