package dev.vitrine.broker.fault;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.ErrorResponses;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.api.Responder;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.FetchResponse;

/** Stands before the handler of one API, and lets happen what {@link ApiFaults} says. */
final class FaultPoint implements ApiHandler {
  private final ApiKeys api;
  private final ApiHandler handler;
  private final ApiFaults faults;

  FaultPoint(ApiKeys api, ApiHandler handler, ApiFaults faults) {
    this.api = api;
    this.handler = handler;
    this.faults = faults;
  }

  @Override
  public void handle(RequestContext context, ApiMessage request, Responder responder) {
    ApiFault fault = faults.take(api, context, request);
    if (fault == null) {
      handler.handle(context, request, responder);
    } else if (fault.delayMs() > 0) {
      context.shard().schedule(fault.delayMs(), () -> happen(fault, context, request, responder));
    } else {
      happen(fault, context, request, responder);
    }
  }

  private void happen(
      ApiFault fault, RequestContext context, ApiMessage request, Responder responder) {
    switch (fault.outcome()) {
      case HANDLE -> handler.handle(context, request, responder);
      case ERROR -> {
        ApiMessage answer = ErrorResponses.of(request, context.version(), fault.error());
        if (answer == null) {
          responder.close(); // no other way to say it, as for a Produce with acks=0
        } else {
          responder.respond(answer);
        }
      }
      case DROP -> new Silence(context, responder).begin();
      case DROP_ANSWER -> handler.handle(context, request, new Silence(context, responder));
    }
  }

  /** Never answers; but lets go of the request when its connection ends. */
  private record Silence(RequestContext context, Responder responder) implements Responder {
    void begin() {
      if (context.connection().isOpen()) {
        context.connection().onClose(responder::respondNothing);
      } else {
        responder.respondNothing();
      }
    }

    private void beginOnShard() {
      if (context.shard().isCurrent()) {
        begin();
      } else {
        context.shard().execute(this::begin);
      }
    }

    @Override
    public void respond(ApiMessage response) {
      if (response instanceof FetchResponse fetched) {
        release(fetched);
      }
      beginOnShard();
    }

    private static void release(FetchResponse fetched) {
      for (FetchResponse.FetchableTopicResponse topic : fetched.responses()) {
        for (FetchResponse.PartitionData partition : topic.partitions()) {
          if (partition.records() != null) {
            partition.records().release();
          }
        }
      }
    }

    @Override
    public void respondNothing() {
      beginOnShard();
    }

    @Override
    public void close() {
      beginOnShard();
    }
  }
}
