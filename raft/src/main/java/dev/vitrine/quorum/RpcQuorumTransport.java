package dev.vitrine.quorum;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FetchSnapshotRequest;
import dev.vitrine.rpc.RpcCallback;
import dev.vitrine.rpc.RpcChannel;
import dev.vitrine.rpc.RpcClient;
import dev.vitrine.rpc.RpcFailure;
import dev.vitrine.rpc.RpcOptions;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Network;
import dev.vitrine.seam.Shard;
import io.netty.buffer.ByteBuf;
import java.util.Map;
import java.util.TreeMap;

/**
 * Asks voters, observers that are to be voters, and bootstrap servers by Kafka's protocol, over two
 * connections to each: fetches, which wait, have one of their own. Belongs to the quorum's shard.
 */
public final class RpcQuorumTransport implements QuorumTransport {
  /** Whoever is back must be found soon: the pauses between dials stay short. */
  private static final int MAX_BACKOFF_MS = 200;

  private record Channels(RpcChannel fetches, RpcChannel others) {
    void close() {
      fetches.close();
      others.close();
    }
  }

  private final RpcClient client;
  private final Map<Integer, Channels> channels = new TreeMap<>();

  public RpcQuorumTransport(Shard shard, Network network, QuorumConfig config) {
    QuorumConfig.Timeouts t = config.timeouts();
    this.client =
        new RpcClient(
            shard,
            network,
            new RpcOptions(
                "raft-client-" + config.nodeId(),
                t.retryBackoffMs(),
                MAX_BACKOFF_MS,
                t.requestTimeoutMs()));
  }

  @Override
  public void send(int nodeId, Endpoint to, ApiMessage request, int timeoutMs, Callback callback) {
    Channels c = channels.get(nodeId);
    if (c == null || !c.others.endpoint().equals(to)) {
      if (c != null) {
        c.close();
      }
      c = new Channels(client.channel(to), client.channel(to));
      channels.put(nodeId, c);
    }
    boolean fetch = request instanceof FetchRequest || request instanceof FetchSnapshotRequest;
    RpcChannel channel = fetch ? c.fetches : c.others;
    channel.send(
        request,
        timeoutMs,
        new RpcCallback() {
          @Override
          public void completed(ApiMessage response, short version, ByteBuf frame) {
            callback.completed(response);
          }

          @Override
          public void failed(RpcFailure failure) {
            callback.failed(reason(failure));
          }
        });
  }

  private static Failure reason(RpcFailure failure) {
    if (failure.isRefused()) {
      return Failure.REFUSED;
    }
    return switch (failure.kind()) {
      case TIMED_OUT -> Failure.TIMEOUT;
      case UNSUPPORTED_VERSION -> Failure.UNSUPPORTED;
      case DISCONNECTED, MALFORMED -> Failure.DISCONNECTED;
    };
  }

  /** Ends all connections; what is pending fails. */
  @Override
  public void close() {
    channels.values().forEach(Channels::close);
    channels.clear();
  }
}
