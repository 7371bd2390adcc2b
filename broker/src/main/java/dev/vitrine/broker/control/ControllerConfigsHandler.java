package dev.vitrine.broker.control;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.LoggerChanges;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.api.Responder;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.message.IncrementalAlterConfigsRequest;
import dev.vitrine.protocol.message.IncrementalAlterConfigsResponse;
import dev.vitrine.protocol.message.IncrementalAlterConfigsResponse.AlterConfigsResourceResponse;
import java.util.List;

/**
 * IncrementalAlterConfigs 0–1 on the controllers' listener (KIP-919): the loggers of this node are
 * changed here, all else by the active controller. On the quorum loop.
 */
public final class ControllerConfigsHandler implements ApiHandler {
  private final LoggerChanges loggers;
  private final ControllerHandler controller;

  public ControllerConfigsHandler(LoggerChanges loggers, ControllerHandler controller) {
    this.loggers = loggers;
    this.controller = controller;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    IncrementalAlterConfigsRequest request = (IncrementalAlterConfigsRequest) message;
    List<AlterConfigsResourceResponse> own = loggers.takeFrom(request);
    if (request.resources().isEmpty() && !own.isEmpty()) {
      responder.respond(new IncrementalAlterConfigsResponse().responses(own));
      return;
    }
    controller.handle(
        context,
        request,
        answer -> {
          ((IncrementalAlterConfigsResponse) answer).responses().addAll(0, own);
          responder.respond(answer);
        });
  }
}
