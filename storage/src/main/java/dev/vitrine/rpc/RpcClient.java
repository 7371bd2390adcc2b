package dev.vitrine.rpc;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Network;
import dev.vitrine.seam.Shard;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Asks other nodes. Keeps one connection for each endpoint, made when it is first needed; who needs
 * one for itself (a fetcher, whose requests wait long) takes a {@link #channel}. Belongs to one
 * shard: everything is called, and calls back, there. It must never try a request again by itself:
 * whether that is safe only the caller knows.
 */
public final class RpcClient {
  private final Shard shard;
  private final Network network;
  private final RpcOptions options;
  private final Map<Endpoint, RpcChannel> shared = new LinkedHashMap<>();

  public RpcClient(Shard shard, Network network, RpcOptions options) {
    this.shard = shard;
    this.network = network;
    this.options = options;
  }

  /** The highest version that both sides know. */
  public void send(Endpoint to, ApiMessage request, long timeoutMs, RpcCallback callback) {
    send(to, RpcRequest.of(request), timeoutMs, callback);
  }

  public void send(Endpoint to, RpcRequest request, long timeoutMs, RpcCallback callback) {
    shared.computeIfAbsent(to, this::channel).send(request, timeoutMs, callback);
  }

  /** A connection of the caller's own, not made before its first request. */
  public RpcChannel channel(Endpoint to) {
    return new RpcChannel(shard, network, options, to);
  }

  /** Ends the shared connection to a node that is gone for good. */
  public void forget(Endpoint endpoint) {
    RpcChannel channel = shared.remove(endpoint);
    if (channel != null) {
      channel.close();
    }
  }

  /** Ends all shared connections; what is pending fails as disconnected. */
  public void close() {
    for (RpcChannel channel : shared.values()) {
      channel.close();
    }
    shared.clear();
  }
}
