package dev.vitrine.broker.group;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.api.Responder;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.LeaveGroupRequest;
import dev.vitrine.protocol.message.LeaveGroupRequest.MemberIdentity;
import dev.vitrine.protocol.message.LeaveGroupResponse;
import java.util.ArrayList;
import java.util.List;

/** LeaveGroup 0–5. Below version 3 one member leaves, and its error is that of the whole. */
final class LeaveGroupHandler implements ApiHandler {
  private static final int BATCH_VERSION = 3;

  private final GroupRouter router;

  LeaveGroupHandler(GroupRouter router) {
    this.router = router;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    LeaveGroupRequest request = (LeaveGroupRequest) message;
    if (request.groupId().isEmpty()) {
      refuse(Errors.INVALID_GROUP_ID, responder);
      return;
    }
    boolean batch = context.version() >= BATCH_VERSION;
    List<MemberIdentity> members =
        batch ? request.members() : List.of(new MemberIdentity().memberId(request.memberId()));
    router.route(
        request.groupId(),
        groups ->
            groups
                .leave()
                .leave(request.groupId(), members, r -> responder.respond(batch ? r : single(r))),
        error -> refuse(error, responder));
  }

  private static LeaveGroupResponse single(LeaveGroupResponse r) {
    if (r.errorCode() == Errors.NONE.code() && !r.members().isEmpty()) {
      r.errorCode(r.members().get(0).errorCode());
    }
    return r.members(new ArrayList<>());
  }

  private static void refuse(Errors error, Responder responder) {
    responder.respond(new LeaveGroupResponse().errorCode(error.code()));
  }
}
