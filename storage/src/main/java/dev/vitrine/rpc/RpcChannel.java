package dev.vitrine.rpc;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Frame;
import dev.vitrine.protocol.FrameWriter;
import dev.vitrine.protocol.MalformedMessageException;
import dev.vitrine.protocol.UnsupportedVersionException;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.ApiVersionsRequest;
import dev.vitrine.protocol.message.ApiVersionsResponse;
import dev.vitrine.protocol.message.RequestHeader;
import dev.vitrine.protocol.message.ResponseHeader;
import dev.vitrine.rpc.RpcFailure.Kind;
import dev.vitrine.seam.Connection;
import dev.vitrine.seam.ConnectionListener;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Network;
import dev.vitrine.seam.Shard;
import dev.vitrine.seam.Timer;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests to one endpoint over one connection, answered in their order. Belongs to one shard.
 *
 * <pre>
 *   IDLE --send--> DIALLING --opened--> HANDSHAKE --versions known--> READY
 *     ^               \____________________|_________________________/
 *     |                          closed: all pending fail
 *     +--nothing waits-- BACKOFF &lt;----------/      (BACKOFF --over, something waits--> DIALLING)
 * </pre>
 *
 * A request that gets no answer in time closes the connection, as Kafka's clients do: what hangs
 * once would hang the requests behind it too.
 */
public final class RpcChannel {
  private static final Logger LOG = LoggerFactory.getLogger(RpcChannel.class);
  private static final String SOFTWARE_NAME = "vitrine";
  private static final String SOFTWARE_VERSION = "0.1.0";

  private enum State {
    IDLE,
    BACKOFF,
    DIALLING,
    HANDSHAKE,
    READY,
    CLOSED
  }

  /** One request until its end. */
  private static final class Pending {
    final RpcRequest request;
    final RpcCallback callback;
    Timer timeout;
    int correlationId;
    short version;

    Pending(RpcRequest request, RpcCallback callback) {
      this.request = request;
      this.callback = callback;
    }
  }

  private final Shard shard;
  private final Network network;
  private final RpcOptions options;
  private final Endpoint to;

  private final ArrayDeque<Pending> waiting = new ArrayDeque<>();
  private final ArrayDeque<Pending> inFlight = new ArrayDeque<>();
  private State state = State.IDLE;
  private Connection connection;
  private PeerVersions versions;
  private Timer setup;
  private short handshakeVersion;
  private int nextCorrelationId;
  private int failuresInRow;

  RpcChannel(Shard shard, Network network, RpcOptions options, Endpoint to) {
    this.shard = shard;
    this.network = network;
    this.options = options;
    this.to = to;
  }

  public Endpoint endpoint() {
    return to;
  }

  /** The highest version that both sides know. */
  public void send(ApiMessage request, long timeoutMs, RpcCallback callback) {
    send(RpcRequest.of(request), timeoutMs, callback);
  }

  public void send(RpcRequest request, long timeoutMs, RpcCallback callback) {
    Pending p = new Pending(request, callback);
    if (state == State.CLOSED) {
      shard.execute(() -> end(p, new RpcFailure(Kind.DISCONNECTED, "Closed: " + to, null)));
      return;
    }
    p.timeout = shard.schedule(timeoutMs, () -> timedOut(p));
    if (state == State.READY && waiting.isEmpty()) {
      transmit(p);
      return;
    }
    waiting.add(p);
    if (state == State.IDLE) {
      dial();
    }
  }

  /**
   * Lets the other side know that somebody waits behind the requests under way: it gets one more,
   * whose answer nobody needs. Does nothing if none is under way.
   */
  public void nudge(long timeoutMs) {
    if (state == State.READY && !inFlight.isEmpty()) {
      send(versionsRequest(), timeoutMs, IGNORED);
    }
  }

  private static final RpcCallback IGNORED =
      new RpcCallback() {
        @Override
        public void completed(ApiMessage response, short version, ByteBuf frame) {}

        @Override
        public void failed(RpcFailure failure) {}
      };

  /** Asks a node for its versions and says who asks, without which it is refused. */
  public static ApiVersionsRequest versionsRequest() {
    return new ApiVersionsRequest()
        .clientSoftwareName(SOFTWARE_NAME)
        .clientSoftwareVersion(SOFTWARE_VERSION);
  }

  /** Ends the connection for good; what is pending fails as disconnected. */
  public void close() {
    if (state == State.CLOSED) {
      return;
    }
    lose(State.CLOSED, new RpcFailure(Kind.DISCONNECTED, "Closed: " + to, null));
  }

  private void dial() {
    state = State.DIALLING;
    Listener listener = new Listener();
    setup =
        shard.schedule(
            options.connectTimeoutMs(),
            () -> disconnected(Kind.DISCONNECTED, "No connection in time to " + to, null));
    connection = network.connect(to, shard, listener);
    listener.connection = connection;
  }

  /** Hears one connection, and no longer once the channel has given it up. */
  private final class Listener implements ConnectionListener {
    Connection connection;

    private boolean isCurrent() {
      return connection == RpcChannel.this.connection;
    }

    @Override
    public void opened(Connection c) {
      if (isCurrent()) {
        state = State.HANDSHAKE;
        shakeHands(ApiKeys.API_VERSIONS.highestVersion());
      }
    }

    @Override
    public void received(Connection c, ByteBuf frame) {
      try {
        if (!isCurrent()) {
          return;
        }
        if (state == State.HANDSHAKE) {
          handshakeAnswered(frame);
        } else {
          answered(frame);
        }
      } finally {
        frame.release();
      }
    }

    @Override
    public void closed(Connection c, Throwable cause) {
      if (isCurrent()) {
        String how = state == State.DIALLING ? "Cannot connect to " : "Disconnected from ";
        String why = cause == null ? "" : ": " + cause.getMessage();
        disconnected(Kind.DISCONNECTED, how + to + why, cause);
      }
    }
  }

  private void shakeHands(short version) {
    handshakeVersion = version;
    connection.send(frame(ApiKeys.API_VERSIONS, version, versionsRequest(), nextCorrelationId));
  }

  private void handshakeAnswered(ByteBuf frame) {
    ApiVersionsResponse response = new ApiVersionsResponse();
    try {
      readHeader(frame, ApiKeys.API_VERSIONS, handshakeVersion, nextCorrelationId++);
      // Who does not know our version says so in the body of version 0.
      short error = frame.getShort(frame.readerIndex());
      boolean unknown = error == Errors.UNSUPPORTED_VERSION.code();
      response.read(frame, unknown ? 0 : handshakeVersion);
    } catch (MalformedMessageException | IndexOutOfBoundsException e) {
      disconnected(Kind.MALFORMED, "Not the versions of " + to + ": " + e.getMessage(), e);
      return;
    }
    Errors error = Errors.forCode(response.errorCode());
    if (error == Errors.UNSUPPORTED_VERSION && handshakeVersion > 0) {
      short other = new PeerVersions(response).choose(ApiKeys.API_VERSIONS, handshakeVersion);
      shakeHands(other >= 0 && other < handshakeVersion ? other : 0);
    } else if (error != Errors.NONE) {
      disconnected(Kind.DISCONNECTED, to + " does not tell its versions: " + error, null);
    } else {
      setup.cancel();
      failuresInRow = 0;
      versions = new PeerVersions(response);
      state = State.READY;
      while (state == State.READY && !waiting.isEmpty()) {
        transmit(waiting.poll());
      }
    }
  }

  private void transmit(Pending p) {
    ApiKeys api = p.request.api();
    p.version = versions.choose(api, p.request.maxVersion());
    if (p.version < 0) {
      String text = to + " knows versions " + versions.describe(api) + " of " + api;
      shard.execute(() -> end(p, new RpcFailure(Kind.UNSUPPORTED_VERSION, text, null)));
      return;
    }
    try {
      ApiMessage message = p.request.builder().build(p.version);
      p.correlationId = nextCorrelationId;
      Frame frame = frame(api, p.version, message, p.correlationId);
      nextCorrelationId++;
      inFlight.add(p);
      connection.send(frame);
    } catch (UnsupportedVersionException e) {
      String text = "Not for " + to + ", which knows less of " + api + ": " + e.getMessage();
      shard.execute(() -> end(p, new RpcFailure(Kind.UNSUPPORTED_VERSION, text, e)));
    } catch (RuntimeException e) {
      String text = "A request of " + api + " for " + to + " cannot be written: " + e;
      LOG.error(text, e);
      shard.execute(() -> end(p, new RpcFailure(Kind.MALFORMED, text, e)));
    }
  }

  private Frame frame(ApiKeys api, short version, ApiMessage message, int correlationId) {
    RequestHeader header =
        new RequestHeader()
            .requestApiKey(api.id())
            .requestApiVersion(version)
            .correlationId(correlationId)
            .clientId(options.clientId());
    return FrameWriter.frame(
        network.allocator(), header, api.requestHeaderVersion(version), message, version);
  }

  private void answered(ByteBuf frame) {
    Pending p = inFlight.poll();
    if (p == null) {
      disconnected(Kind.MALFORMED, to + " answers what nobody asked", null);
      return;
    }
    ApiKeys api = p.request.api();
    ApiMessage response = api.newResponse();
    try {
      readHeader(frame, api, p.version, p.correlationId);
      response.read(frame, p.version);
    } catch (MalformedMessageException | IndexOutOfBoundsException e) {
      RpcFailure failure =
          new RpcFailure(
              Kind.MALFORMED,
              "The answer of "
                  + to
                  + " to "
                  + api
                  + " version "
                  + p.version
                  + " is malformed: "
                  + e.getMessage(),
              e);
      LOG.warn("{}; closing connection", failure.message());
      disconnected(Kind.DISCONNECTED, "Disconnected from " + to + " after a malformed answer", e);
      end(p, failure);
      return;
    }
    p.timeout.cancel();
    try {
      p.callback.completed(response, p.version, frame);
    } catch (RuntimeException e) {
      LOG.error("Failed to take the answer of {} to {}", to, api, e);
    }
  }

  private static void readHeader(ByteBuf frame, ApiKeys api, short version, int correlationId) {
    ResponseHeader header = new ResponseHeader();
    header.read(frame, api.responseHeaderVersion(version));
    if (header.correlationId() != correlationId) {
      throw new MalformedMessageException(
          "correlation id " + header.correlationId() + " instead of " + correlationId);
    }
  }

  private void timedOut(Pending p) {
    String text = "No answer in time from " + to + " to " + p.request.api();
    RpcFailure failure = new RpcFailure(Kind.TIMED_OUT, text, null);
    if (waiting.remove(p)) {
      end(p, failure);
    } else if (inFlight.remove(p)) {
      disconnected(Kind.DISCONNECTED, "Disconnected from " + to + ", which was silent", null);
      end(p, failure);
    }
  }

  /** The connection is of no more use: fails what is pending, and waits before the next. */
  private void disconnected(Kind kind, String text, Throwable cause) {
    lose(State.BACKOFF, new RpcFailure(kind, text, cause));
    shard.schedule(backoff(), this::backoffOver);
  }

  private void lose(State next, RpcFailure failure) {
    state = next;
    versions = null;
    if (setup != null) {
      setup.cancel();
    }
    if (connection != null) {
      Connection lost = connection;
      connection = null;
      lost.close();
    }
    // Callbacks may send again: first take all, then tell.
    List<Pending> pending = new ArrayList<>(inFlight);
    pending.addAll(waiting);
    inFlight.clear();
    waiting.clear();
    if (!pending.isEmpty()) {
      shard.execute(() -> pending.forEach(p -> end(p, failure)));
    }
  }

  private long backoff() {
    int doublings = Math.min(failuresInRow++, 20);
    long wait =
        Math.min(options.reconnectBackoffMs() << doublings, options.reconnectBackoffMaxMs());
    return Math.round(wait * (0.8 + 0.4 * shard.random().nextDouble()));
  }

  private void backoffOver() {
    if (state != State.BACKOFF) {
      return;
    }
    if (waiting.isEmpty()) {
      state = State.IDLE;
    } else {
      dial();
    }
  }

  private static void end(Pending p, RpcFailure failure) {
    if (p.timeout != null) {
      p.timeout.cancel();
    }
    try {
      p.callback.failed(failure);
    } catch (RuntimeException e) {
      LOG.error("Failed to take a failure: {}", failure.message(), e);
    }
  }
}
