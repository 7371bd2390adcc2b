package dev.vitrine.broker.control;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.api.Responder;
import dev.vitrine.broker.quota.HostNames;
import dev.vitrine.controller.Controller;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.message.AlterClientQuotasRequest;
import dev.vitrine.seam.Shard;
import java.util.ArrayList;
import java.util.List;
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
  private final HostNames names;

  /**
   * @param names what the controller knows of hosts; asked before it has to decide on them
   */
  public ControllerHandler(Shard quorumLoop, Controller controller, HostNames names) {
    this.quorumLoop = quorumLoop;
    this.controller = controller;
    this.names = names;
  }

  @Override
  public void handle(RequestContext context, ApiMessage request, Responder responder) {
    handle(context, request, responder::respond);
  }

  void handle(RequestContext context, ApiMessage request, Consumer<ApiMessage> respond) {
    if (request instanceof AlterClientQuotasRequest r) {
      names.resolve(hosts(r), () -> decide(context, request, respond));
    } else {
      decide(context, request, respond);
    }
  }

  private static List<String> hosts(AlterClientQuotasRequest request) {
    List<String> hosts = new ArrayList<>();
    for (AlterClientQuotasRequest.EntryData entry : request.entries()) {
      for (AlterClientQuotasRequest.EntityData part : entry.entity()) {
        if (part.entityType().equals("ip") && part.entityName() != null) {
          hosts.add(part.entityName());
        }
      }
    }
    return hosts;
  }

  private void decide(RequestContext context, ApiMessage request, Consumer<ApiMessage> respond) {
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
