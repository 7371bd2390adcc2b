package dev.vitrine.broker.telemetry;

import dev.vitrine.broker.observe.Sample;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.GetTelemetrySubscriptionsResponse;
import dev.vitrine.protocol.message.PushTelemetryRequest;
import dev.vitrine.protocol.message.PushTelemetryResponse;
import dev.vitrine.protocol.record.Compression;
import dev.vitrine.seam.Shard;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clients whose ids fall to one shard, with what they have pushed last. Belongs to the shard.
 * It keeps a bounded number of them: who has been silent for longest goes first, and comes back as
 * a new one.
 */
final class ClientInstances {
  private static final Logger LOG = LoggerFactory.getLogger(ClientInstances.class);
  private static final long MIN_EXPIRY_MS = 60_000;

  /** In the order that Kafka prefers them in. */
  private static final List<Byte> COMPRESSION =
      List.of(
          (byte) Compression.ZSTD.id(),
          (byte) Compression.LZ4.id(),
          (byte) Compression.GZIP.id(),
          (byte) Compression.SNAPPY.id());

  private final Shard shard;
  private final Subscriptions subscriptions;
  private final int maxBytes;
  private final int capacity;
  private final LinkedHashMap<Uuid, ClientInstance> byId = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<String, Uuid> byConnection = new HashMap<>();
  private final Map<Uuid, ClientValues> values = new LinkedHashMap<>();

  /**
   * @param maxBytes {@code telemetry.max.bytes}
   * @param capacity how many clients are known at once
   */
  ClientInstances(Shard shard, Subscriptions subscriptions, int maxBytes, int capacity) {
    this.shard = shard;
    this.subscriptions = subscriptions;
    this.maxBytes = maxBytes;
    this.capacity = capacity;
  }

  Shard shard() {
    return shard;
  }

  // ---- who there is

  private ClientInstance instance(Client client) {
    int version = subscriptions.version();
    ClientInstance there = byId.get(client.instanceId());
    if (there == null || there.version < version) {
      Client known = there == null ? client : there.client;
      if (there != null) {
        there.expiry.cancel();
      }
      there = new ClientInstance(known, subscriptions.wantedOf(known.properties()), version);
      byId.put(client.instanceId(), there);
      byConnection.put(client.connectionId(), client.instanceId());
      evictOne();
    } else {
      there.expiry.cancel();
    }
    ClientInstance current = there;
    there.expiry =
        shard.schedule(
            Math.max(MIN_EXPIRY_MS, 3L * there.wanted.intervalMs()), () -> expired(current));
    return there;
  }

  private void evictOne() {
    if (byId.size() > capacity) {
      forget(byId.entrySet().iterator().next().getKey());
    }
  }

  private void expired(ClientInstance silent) {
    LOG.debug("Client instance {} has been silent for too long", silent.client.instanceId());
    forget(silent.client.instanceId());
  }

  /** A connection has ended. The client that came over it is forgotten, as in Kafka. */
  void disconnected(String connectionId) {
    Uuid id = byConnection.remove(connectionId);
    if (id != null) {
      forget(id);
    }
  }

  private void forget(Uuid id) {
    values.remove(id);
    ClientInstance gone = byId.remove(id);
    if (gone != null) {
      gone.expiry.cancel();
      byConnection.remove(gone.client.connectionId(), id);
    }
  }

  // ---- what they ask and say

  GetTelemetrySubscriptionsResponse get(Client client) {
    ClientInstance instance = instance(client);
    boolean mustAskAgain =
        instance.lastError == Errors.UNKNOWN_SUBSCRIPTION_ID
            || instance.lastError == Errors.UNSUPPORTED_COMPRESSION_TYPE;
    if (!instance.mayGet(shard.ticks()) && !mustAskAgain) {
      return new GetTelemetrySubscriptionsResponse()
          .errorCode(Errors.THROTTLING_QUOTA_EXCEEDED.code());
    }
    instance.lastError = Errors.NONE;
    return new GetTelemetrySubscriptionsResponse()
        .clientInstanceId(client.instanceId())
        .subscriptionId(instance.subscriptionId)
        .acceptedCompressionTypes(COMPRESSION)
        .pushIntervalMs(instance.wanted.intervalMs())
        .telemetryMaxBytes(maxBytes)
        .deltaTemporality(true)
        .requestedMetrics(instance.wanted.metrics());
  }

  /**
   * @param done called once, on this shard
   */
  void push(Client client, PushTelemetryRequest request, Consumer<PushTelemetryResponse> done) {
    ClientInstance instance = instance(client);
    Errors refused = refusal(instance, request);
    instance.terminating = request.terminating();
    instance.lastError = refused;
    if (refused != Errors.NONE || request.metrics().length == 0) {
      done.accept(new PushTelemetryResponse().errorCode(refused.code()));
      return;
    }
    shard.offload(
        () -> PushedMetrics.read(request.metrics(), request.compressionType()),
        (pushed, problem) -> {
          if (problem == null) {
            take(client, pushed);
          } else {
            LOG.info("Client instance {}: {}", client.instanceId(), problem.toString());
            instance.lastError = Errors.INVALID_RECORD;
          }
          done.accept(new PushTelemetryResponse().errorCode(instance.lastError.code()));
        });
  }

  private Errors refusal(ClientInstance instance, PushTelemetryRequest request) {
    if (instance.terminating) {
      return Errors.INVALID_REQUEST;
    }
    if (!instance.mayPush(shard.ticks()) && !request.terminating()) {
      return Errors.THROTTLING_QUOTA_EXCEEDED;
    }
    if (request.subscriptionId() != instance.subscriptionId) {
      return Errors.UNKNOWN_SUBSCRIPTION_ID;
    }
    if (!Compression.isKnownId(request.compressionType())) {
      return Errors.UNSUPPORTED_COMPRESSION_TYPE;
    }
    return request.metrics().length > maxBytes ? Errors.TELEMETRY_TOO_LARGE : Errors.NONE;
  }

  private void take(Client client, List<PushedMetrics.Value> pushed) {
    if (byId.containsKey(client.instanceId())) {
      values.computeIfAbsent(client.instanceId(), id -> new ClientValues(client)).take(pushed);
    }
  }

  // ---- what is told of it

  void tell(Sample into) {
    values.values().forEach(v -> v.tell(into));
  }
}
