package dev.vitrine.broker.group;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.api.Responder;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.SyncGroupRequest;
import dev.vitrine.protocol.message.SyncGroupResponse;

/**
 * SyncGroup 0–5. Answered when the leader's assignment is committed. From version 5 on, protocol
 * type and name must be there and are compared with the group's.
 */
final class SyncGroupHandler implements ApiHandler {
  private static final int PROTOCOL_VERSION = 5;

  private final GroupRouter router;

  SyncGroupHandler(GroupRouter router) {
    this.router = router;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    SyncGroupRequest request = (SyncGroupRequest) message;
    if (context.version() >= PROTOCOL_VERSION
        && (request.protocolType() == null || request.protocolName() == null)) {
      refuse(Errors.INCONSISTENT_GROUP_PROTOCOL, responder);
    } else if (request.groupId().isEmpty()) {
      refuse(Errors.INVALID_GROUP_ID, responder);
    } else {
      router.route(
          request.groupId(),
          groups -> groups.sync().sync(request, responder::respond),
          error -> refuse(error, responder));
    }
  }

  private static void refuse(Errors error, Responder responder) {
    responder.respond(new SyncGroupResponse().errorCode(error.code()));
  }
}
