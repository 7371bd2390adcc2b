package dev.vitrine.broker.group;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.api.Responder;
import dev.vitrine.config.GroupSettings;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.JoinGroupRequest;
import dev.vitrine.protocol.message.JoinGroupResponse;

/**
 * JoinGroup 0–9. Answered when the whole group has joined.
 *
 * <ul>
 *   <li>Version 4 and later: a new dynamic member gets MEMBER_ID_REQUIRED and its id first.
 *   <li>Below version 7 the protocol's name cannot be null and is empty instead.
 *   <li>A session timeout outside the broker's bounds is INVALID_SESSION_TIMEOUT.
 * </ul>
 */
final class JoinGroupHandler implements ApiHandler {
  private static final int NULLABLE_PROTOCOL_VERSION = 7;

  private final GroupRouter router;
  private final GroupSettings settings;

  JoinGroupHandler(GroupRouter router, GroupSettings settings) {
    this.router = router;
    this.settings = settings;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    JoinGroupRequest request = (JoinGroupRequest) message;
    short version = context.version();
    int session = request.sessionTimeoutMs();
    if (request.groupId().isEmpty()) {
      refuse(request, version, Errors.INVALID_GROUP_ID, responder);
    } else if (session < settings.minSessionTimeoutMs()
        || session > settings.maxSessionTimeoutMs()) {
      refuse(request, version, Errors.INVALID_SESSION_TIMEOUT, responder);
    } else {
      Caller caller = Caller.of(context);
      router.route(
          request.groupId(),
          groups -> groups.join().join(caller, request, r -> respond(r, version, responder)),
          error -> refuse(request, version, error, responder));
    }
  }

  private static void refuse(
      JoinGroupRequest request, short version, Errors error, Responder responder) {
    respond(ClassicGroup.joinError(request.memberId(), error), version, responder);
  }

  private static void respond(JoinGroupResponse response, short version, Responder responder) {
    if (version < NULLABLE_PROTOCOL_VERSION && response.protocolName() == null) {
      response.protocolName("");
    }
    responder.respond(response);
  }
}
