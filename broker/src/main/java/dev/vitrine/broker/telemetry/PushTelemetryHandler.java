package dev.vitrine.broker.telemetry;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.api.Responder;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.PushTelemetryRequest;
import dev.vitrine.protocol.message.PushTelemetryResponse;

/**
 * PushTelemetry, version 0 (KIP-714). Errors, in the order in which they are looked for:
 * INVALID_REQUEST without a real client id, or after a push that said to be the last;
 * THROTTLING_QUOTA_EXCEEDED before the interval has passed, but for the last push;
 * UNKNOWN_SUBSCRIPTION_ID when the subscriptions have changed; UNSUPPORTED_COMPRESSION_TYPE;
 * TELEMETRY_TOO_LARGE above {@code telemetry.max.bytes}; INVALID_RECORD for what is not OTLP.
 */
final class PushTelemetryHandler implements ApiHandler {
  private final ClientTelemetry telemetry;

  PushTelemetryHandler(ClientTelemetry telemetry) {
    this.telemetry = telemetry;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    PushTelemetryRequest request = (PushTelemetryRequest) message;
    Uuid id = request.clientInstanceId();
    if (id.isReserved()) {
      responder.respond(new PushTelemetryResponse().errorCode(Errors.INVALID_REQUEST.code()));
      return;
    }
    telemetry.watch(context);
    Client client = Client.of(id, context);
    ClientInstances instances = telemetry.of(id);
    instances.shard().execute(() -> instances.push(client, request, responder::respond));
  }
}
