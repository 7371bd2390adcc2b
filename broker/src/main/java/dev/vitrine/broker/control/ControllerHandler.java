package dev.vitrine.broker.control;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.api.Responder;
import dev.vitrine.broker.quota.ControllerTime;
import dev.vitrine.broker.quota.HostNames;
import dev.vitrine.broker.quota.RequestTime;
import dev.vitrine.controller.Controller;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.ThrottledResponse;
import dev.vitrine.protocol.message.AlterClientQuotasRequest;
import dev.vitrine.protocol.message.ApiKeys;
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

  /** What nodes ask in their own name: no quota of a client counts it. */
  private static final List<ApiKeys> AMONG_NODES =
      List.of(
          ApiKeys.ALTER_PARTITION,
          ApiKeys.BROKER_REGISTRATION,
          ApiKeys.BROKER_HEARTBEAT,
          ApiKeys.ALLOCATE_PRODUCER_IDS,
          ApiKeys.CONTROLLER_REGISTRATION,
          ApiKeys.ASSIGN_REPLICAS_TO_DIRS);

  private final Shard quorumLoop;
  private final Controller controller;
  private final HostNames names;
  private final ControllerTime time;

  /**
   * @param names what the controller knows of hosts; asked before it has to decide on them
   * @param time what clients may take of it
   */
  public ControllerHandler(
      Shard quorumLoop, Controller controller, HostNames names, ControllerTime time) {
    this.quorumLoop = quorumLoop;
    this.controller = controller;
    this.names = names;
    this.time = time;
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
    if (AMONG_NODES.contains(context.api()) || !time.isLimited(controller.image().security())) {
      hand(context, request, respond);
      return;
    }
    RequestTime taken = new RequestTime();
    taken.start(quorumLoop);
    hand(
        context,
        request,
        answer -> {
          if (answer instanceof ThrottledResponse told) {
            int ms = throttleMs(context, taken.soFar(quorumLoop));
            told.throttleTimeMs(Math.max(ms, told.throttleTimeMs()));
          }
          respond.accept(answer);
        });
    taken.stop(quorumLoop);
  }

  private int throttleMs(RequestContext context, long nanos) {
    return time.charge(context.principal(), context.clientId(), nanos, quorumLoop.ticks());
  }

  private void hand(RequestContext context, ApiMessage request, Consumer<ApiMessage> respond) {
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
