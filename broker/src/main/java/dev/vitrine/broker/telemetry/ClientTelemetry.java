package dev.vitrine.broker.telemetry;

import dev.vitrine.broker.api.ApiTable;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.observe.NodeMetrics;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.seam.Shard;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The receiver of clients' metrics, put together: each client belongs to the shard of its id, over
 * whichever connection it comes. Immutable but for the set of connections that it has heard of; any
 * thread.
 */
public final class ClientTelemetry {
  private static final int CAPACITY = 16_384;

  private final List<ClientInstances> shards = new ArrayList<>();
  private final Set<String> connections = ConcurrentHashMap.newKeySet();

  /**
   * @param maxBytes {@code telemetry.max.bytes}
   */
  public ClientTelemetry(
      List<? extends Shard> shards, Supplier<MetadataImage> metadata, int maxBytes) {
    for (Shard s : shards) {
      this.shards.add(
          new ClientInstances(
              s, new Subscriptions(metadata), maxBytes, Math.max(1, CAPACITY / shards.size())));
    }
  }

  public void addTo(ApiTable table, NodeMetrics metrics) {
    table
        .add(ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS, new GetTelemetrySubscriptionsHandler(this))
        .add(ApiKeys.PUSH_TELEMETRY, new PushTelemetryHandler(this));
    shards.forEach(s -> metrics.add(s.shard(), s::tell));
  }

  /** Those among whom this client is. To be used on their own shard. */
  ClientInstances of(Uuid instanceId) {
    return shards.get(Math.floorMod(instanceId.hashCode(), shards.size()));
  }

  /** All shards will hear of the end of this connection. On the connection's shard. */
  void watch(RequestContext context) {
    String id = context.connectionId();
    if (connections.add(id)) {
      context
          .connection()
          .onClose(
              () -> {
                connections.remove(id);
                shards.forEach(s -> s.shard().execute(() -> s.disconnected(id)));
              });
    }
  }
}
