package dev.vitrine.broker.control;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.api.Responder;
import dev.vitrine.controller.Controller;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.seam.Shard;
import java.util.function.Consumer;

/**
 * Hands requests to the controller. The controllers' listener is served by the quorum loop, where
 * the controller lives.
 */
public final class ControllerHandler implements ApiHandler {
  /** No request waits longer for its commit; the client's own time-out is shorter as a rule. */
  private static final long TIMEOUT_MS = 60_000;

  private final Shard quorumLoop;
  private final Controller controller;

  public ControllerHandler(Shard quorumLoop, Controller controller) {
    this.quorumLoop = quorumLoop;
    this.controller = controller;
  }

  @Override
  public void handle(RequestContext context, ApiMessage request, Responder responder) {
    handle(context, request, responder::respond);
  }

  void handle(RequestContext context, ApiMessage request, Consumer<ApiMessage> respond) {
    controller.handle(
        request,
        context.version(),
        new dev.vitrine.controller.RequestContext(
            context.principal(),
            context.clientId(),
            context.listenerName(),
            quorumLoop.ticks() + TIMEOUT_MS),
        respond);
  }

  boolean isActive() {
    return controller.isActive();
  }
}
