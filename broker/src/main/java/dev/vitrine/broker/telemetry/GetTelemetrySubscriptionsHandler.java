package dev.vitrine.broker.telemetry;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.api.Responder;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.GetTelemetrySubscriptionsRequest;
import java.util.random.RandomGenerator;

/**
 * GetTelemetrySubscriptions, version 0 (KIP-714): which metrics this client is to push, how often
 * and how. A client without an id gets one. Who asks again before the interval has passed is
 * THROTTLING_QUOTA_EXCEEDED, unless its last push has failed in a way that makes it ask.
 */
final class GetTelemetrySubscriptionsHandler implements ApiHandler {
  private final ClientTelemetry telemetry;

  GetTelemetrySubscriptionsHandler(ClientTelemetry telemetry) {
    this.telemetry = telemetry;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    Uuid asked = ((GetTelemetrySubscriptionsRequest) message).clientInstanceId();
    Uuid id = asked.equals(Uuid.ZERO) ? newId(context.shard().random()) : asked;
    telemetry.watch(context);
    Client client = Client.of(id, context);
    ClientInstances instances = telemetry.of(id);
    instances.shard().execute(() -> responder.respond(instances.get(client)));
  }

  /** A random UUID of version 4, as Kafka's are. */
  private static Uuid newId(RandomGenerator random) {
    long most = random.nextLong() & ~0xf000L | 0x4000L;
    long least = random.nextLong() & ~0xc000_0000_0000_0000L | 0x8000_0000_0000_0000L;
    return new Uuid(most, least);
  }
}
