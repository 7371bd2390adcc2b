package dev.vitrine.broker.group;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.api.Responder;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.ListGroupsRequest;
import dev.vitrine.protocol.message.ListGroupsResponse;
import dev.vitrine.protocol.message.ListGroupsResponse.ListedGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * ListGroups 0–5: the groups that this broker coordinates, of the states (version 4 and later) and
 * types (version 5) that are asked for. While one of its partitions is being loaded, the list is
 * COORDINATOR_LOAD_IN_PROGRESS.
 */
final class ListGroupsHandler implements ApiHandler {
  private final GroupRouter router;

  ListGroupsHandler(GroupRouter router) {
    this.router = router;
  }

  /** What one shard knows; null groups while it is loading. */
  private record Part(List<ListedGroup> groups) {}

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    ListGroupsRequest request = (ListGroupsRequest) message;
    List<ShardCoordinators> shards = router.shards();
    Gathered<Part> all =
        new Gathered<>(context.shard(), shards.size(), parts -> responder.respond(response(parts)));
    for (int i = 0; i < shards.size(); i++) {
      ShardCoordinators shard = shards.get(i);
      Consumer<Part> part = all.part(i);
      if (shard.context().shard().isCurrent()) {
        part.accept(list(shard, request));
      } else {
        shard.context().shard().execute(() -> part.accept(list(shard, request)));
      }
    }
  }

  private static Part list(ShardCoordinators shard, ListGroupsRequest request) {
    List<ListedGroup> groups = new ArrayList<>();
    for (PartitionCoordinator c : shard.all()) {
      if (c.availability() == Errors.COORDINATOR_LOAD_IN_PROGRESS) {
        return new Part(null);
      }
      c.groups().admin().list(request, groups);
    }
    return new Part(groups);
  }

  private static ListGroupsResponse response(List<Part> parts) {
    ListGroupsResponse response = new ListGroupsResponse();
    for (Part p : parts) {
      if (p.groups == null) {
        return new ListGroupsResponse().errorCode(Errors.COORDINATOR_LOAD_IN_PROGRESS.code());
      }
      response.groups().addAll(p.groups);
    }
    return response;
  }
}
