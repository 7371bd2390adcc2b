package dev.vitrine.broker.control;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.api.Responder;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.BrokerRegistrationRequest;
import dev.vitrine.protocol.message.BrokerRegistrationResponse;

/**
 * BrokerRegistration: the controller's, but for what it tells the failure detector, of the process
 * before this one and of the connection that it came over. On the quorum loop.
 */
public final class BrokerRegistrationHandler implements ApiHandler {
  private final ControllerHandler controller;
  private final FailureDetector detector;

  public BrokerRegistrationHandler(ControllerHandler controller, FailureDetector detector) {
    this.controller = controller;
    this.detector = detector;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    BrokerRegistrationRequest request = (BrokerRegistrationRequest) message;
    detector.asked(
        request,
        context.connection(),
        () ->
            controller.handle(
                context,
                request,
                answer -> {
                  BrokerRegistrationResponse response = (BrokerRegistrationResponse) answer;
                  if (response.errorCode() == Errors.NONE.code()) {
                    detector.heard(
                        request.brokerId(), response.brokerEpoch(), context.connection());
                  }
                  responder.respond(response);
                }));
  }
}
