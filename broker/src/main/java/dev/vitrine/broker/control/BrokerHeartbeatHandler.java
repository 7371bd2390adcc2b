package dev.vitrine.broker.control;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.api.Responder;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.message.BrokerHeartbeatRequest;

/**
 * BrokerHeartbeat: the controller's, but for the connection that it came over, which the failure
 * detector watches.
 */
public final class BrokerHeartbeatHandler implements ApiHandler {
  private final ControllerHandler controller;
  private final FailureDetector detector;

  public BrokerHeartbeatHandler(ControllerHandler controller, FailureDetector detector) {
    this.controller = controller;
    this.detector = detector;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    BrokerHeartbeatRequest request = (BrokerHeartbeatRequest) message;
    detector.heard(request.brokerId(), request.brokerEpoch(), context.connection());
    controller.handle(context, request, responder);
  }
}
