package dev.vitrine.broker.group;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.api.Responder;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.message.DeleteGroupsRequest;
import dev.vitrine.protocol.message.DeleteGroupsResponse;
import dev.vitrine.protocol.message.DeleteGroupsResponse.DeletableGroupResult;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/** DeleteGroups 0–3: groups without members, with all their offsets. */
final class DeleteGroupsHandler implements ApiHandler {
  private final GroupRouter router;

  DeleteGroupsHandler(GroupRouter router) {
    this.router = router;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    List<String> ids =
        new ArrayList<>(new LinkedHashSet<>(((DeleteGroupsRequest) message).groupsNames()));
    Gathered<DeletableGroupResult> all =
        new Gathered<>(
            context.shard(),
            ids.size(),
            parts -> responder.respond(new DeleteGroupsResponse().results(parts)));
    for (int i = 0; i < ids.size(); i++) {
      String id = ids.get(i);
      var part = all.part(i);
      router.route(
          id,
          groups -> groups.admin().delete(id, error -> part.accept(result(id, error.code()))),
          error -> part.accept(result(id, error.code())));
    }
  }

  private static DeletableGroupResult result(String id, short error) {
    return new DeletableGroupResult().groupId(id).errorCode(error);
  }
}
