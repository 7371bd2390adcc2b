package dev.vitrine.broker.api;

import dev.vitrine.protocol.ApiMessage;
import java.util.function.Consumer;

/** A handler's way to ask the controller on behalf of its client (KIP-590). */
@FunctionalInterface
public interface Forwarder {
  /**
   * @param request in the version of the context
   * @param answered gets the controller's answer on the connection's shard, or one that says why
   *     there is none, or null if the request has no answer that could say so
   */
  void forward(RequestContext context, ApiMessage request, Consumer<ApiMessage> answered);
}
