package dev.vitrine.broker.api;

import dev.vitrine.protocol.ApiMessage;

/**
 * Serves one API. Called on the shard of the connection that asks; shared by all connections, so it
 * keeps nothing of a request but what it hands on. It must not block.
 */
public interface ApiHandler {
  /**
   * Answers now or later, through {@code responder}, exactly once.
   *
   * @param request of the API that the handler stands for in its {@link ApiTable}, in a version
   *     that the table offers
   */
  void handle(RequestContext context, ApiMessage request, Responder responder);
}
