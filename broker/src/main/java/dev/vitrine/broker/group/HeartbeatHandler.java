package dev.vitrine.broker.group;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.api.Responder;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.HeartbeatRequest;
import dev.vitrine.protocol.message.HeartbeatResponse;

/**
 * Heartbeat 0–4. While the group is being loaded the answer is NONE: all sessions begin anew
 * afterwards.
 */
final class HeartbeatHandler implements ApiHandler {
  private final GroupRouter router;

  HeartbeatHandler(GroupRouter router) {
    this.router = router;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    HeartbeatRequest request = (HeartbeatRequest) message;
    if (request.groupId().isEmpty()) {
      respond(Errors.INVALID_GROUP_ID, responder);
      return;
    }
    router.route(
        request.groupId(),
        groups -> respond(groups.sync().heartbeat(request), responder),
        error ->
            respond(error == Errors.COORDINATOR_LOAD_IN_PROGRESS ? Errors.NONE : error, responder));
  }

  private static void respond(Errors error, Responder responder) {
    responder.respond(new HeartbeatResponse().errorCode(error.code()));
  }
}
