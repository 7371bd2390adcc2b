package dev.vitrine.broker.api;

import dev.vitrine.broker.observe.ConnectionMeter;
import dev.vitrine.broker.observe.RequestMeters;
import dev.vitrine.broker.observe.RequestTimes;
import dev.vitrine.broker.observe.ShardMeters;
import dev.vitrine.broker.quota.RequestTime;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Frame;
import dev.vitrine.protocol.FrameWriter;
import dev.vitrine.protocol.ThrottledResponse;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.ApiVersionsRequest;
import dev.vitrine.protocol.message.ResponseHeader;
import dev.vitrine.seam.Connection;
import dev.vitrine.seam.ConnectionListener;
import dev.vitrine.seam.Shard;
import dev.vitrine.seam.Timer;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests of one client connection, from frames to handlers and back. Belongs to the
 * connection's shard.
 *
 * <p>As in Kafka the next request starts after the previous answer, except that Produces that
 * follow one another run at once, unless they are counted against quotas. Answers leave in the
 * order of the requests. A client that is over its quota is answered, told for how long, and not
 * heard for that time (KIP-219). What it holds is bounded: while a request waits for its turn, too
 * much is in the works, or the peer does not take its answers, nothing more is read. It must never
 * let one client's bad bytes reach another.
 */
public final class ApiConnection implements ConnectionListener, CloseSignal {
  private static final Logger LOG = LoggerFactory.getLogger(ApiConnection.class);

  /** Produces in the works at once: by number, and by the bytes that they hold. */
  private static final int MAX_SLOTS = 256;

  private static final int MAX_HELD_BYTES = 16 << 20;
  private static final long NANOS_IN_MILLI = 1_000_000;

  private final ApiListener listener;
  private final Connection connection;
  private final Shard shard;
  private final RequestMeters meters;
  private final ConnectionMeter connections;

  /** The requests that have begun and are not answered yet, in their order. */
  private final ArrayDeque<Slot> slots = new ArrayDeque<>();

  private final List<Runnable> closeHooks = new ArrayList<>(0);
  private final Mute mute;

  /** What sending the last answer took: it counts with the next request. */
  private final RequestTime sending = new RequestTime();

  private int heldBytes;

  /** The one frame that has been read and may not begin yet, and since when. */
  private ByteBuf waiting;

  private long waitingSince;

  /** What the request under way does when another waits behind it; null for most. */
  private Runnable onNext;

  private boolean draining;
  private boolean paused;
  private boolean inputEnded;
  private boolean closing;
  private boolean closed;
  private long lastActive;
  private Timer idle;
  private String softwareName = "unknown";
  private String softwareVersion = "unknown";

  ApiConnection(ApiListener listener, Connection connection, Shard shard) {
    this.listener = listener;
    this.connection = connection;
    this.shard = shard;
    this.mute = new Mute(shard, this::drain);
    ShardMeters all = listener.meters().apply(shard);
    this.meters = all.requests();
    this.connections = all.connections(listener.name());
    connections.opened();
    lastActive = shard.ticks();
    if (listener.allowances().open() != null) {
      listener.allowances().open().opened(this);
    }
    if (listener.maxIdleMs() >= 0) {
      idle = shard.schedule(listener.maxIdleMs(), this::checkIdle);
    }
  }

  public ApiListener listener() {
    return listener;
  }

  public Shard shard() {
    return shard;
  }

  public String id() {
    return connection.id();
  }

  public boolean isOpen() {
    return !closed;
  }

  /** What the client has told by ApiVersions. */
  public String softwareName() {
    return softwareName;
  }

  public String softwareVersion() {
    return softwareVersion;
  }

  @Override
  public Runnable onClose(Runnable hook) {
    closeHooks.add(hook);
    return () -> closeHooks.remove(hook);
  }

  /**
   * Runs {@code hook} when a request comes that must wait for the answer to the one under way,
   * which may want to end its own waiting then. Holds until that answer.
   */
  void onNextRequest(Runnable hook) {
    onNext = hook;
  }

  /** One request from its begin to its answer. */
  private final class Slot extends RequestTimes implements Responder {
    final ReceivedRequest request;
    final ByteBuf frame;
    final int frameBytes;
    ApiMessage answer;
    short answerVersion;
    String closeBecause;

    /** Somebody has answered. */
    boolean done;

    /** It may be sent when its turn comes. */
    boolean ready;

    /** Null where nobody counts it. */
    RequestTime time;

    Slot(ReceivedRequest request, ByteBuf frame, int frameBytes) {
      this.request = request;
      this.frame = frame;
      this.frameBytes = frameBytes;
      this.answerVersion = request == null ? 0 : request.version();
    }

    /** Of the frame, while it is kept. */
    int heldBytes() {
      return frame == null ? 0 : frameBytes;
    }

    @Override
    public void respond(ApiMessage response) {
      finish(response, null, null);
    }

    @Override
    public void respond(ApiMessage response, Supplier<ApiMessage> ifThrottled) {
      finish(response, null, ifThrottled);
    }

    @Override
    public void respondNothing() {
      finish(null, null, null);
    }

    @Override
    public void close() {
      finish(null, "", null);
    }

    void finish(ApiMessage response, String because, Supplier<ApiMessage> ifThrottled) {
      if (!shard.isCurrent()) {
        shard.execute(() -> finish(response, because, ifThrottled));
        return;
      }
      if (done) {
        LOG.error("A second answer to {} {}", request.api(), request.header());
        return;
      }
      done = true;
      answered(shard.nanos());
      onNext = null;
      answer = response;
      closeBecause = because;
      if (time != null && because == null && RequestCost.isCounted(request, ifThrottled != null)) {
        long nanos = time.soFar(shard) + sending.take();
        listener
            .allowances()
            .quotas()
            .charge(
                RequestCost.of(request, response, frameBytes, nanos),
                shard,
                ms -> throttled(ms, ifThrottled));
        return;
      }
      if (response instanceof ThrottledResponse told) {
        throttled(told.throttleTimeMs()); // as the controller has said
      }
      ready();
    }

    private void throttled(int ms, Supplier<ApiMessage> ifThrottled) {
      throttled(ms);
      if (ms > 0 && ifThrottled != null) {
        answer = ifThrottled.get();
      }
      if (ms > 0 && answer instanceof ThrottledResponse told) {
        told.throttleTimeMs(ms);
      }
      ready();
    }

    private void ready() {
      ready = true;
      drain();
    }
  }

  @Override
  public void received(Connection c, ByteBuf frame) {
    long now = shard.nanos();
    lastActive = now / NANOS_IN_MILLI;
    if (mustWait(frame)) {
      waiting = frame;
      waitingSince = now;
      meters.waits();
      if (onNext != null) {
        onNext.run();
      }
    } else {
      start(frame, now, now);
    }
    throttle();
  }

  private boolean mustWait(ByteBuf frame) {
    if (slots.isEmpty() || mute.isOn()) {
      return mute.isOn();
    }
    ReceivedRequest last = slots.peekLast().request;
    return last == null
        || last.api() != ApiKeys.PRODUCE
        || !ReceivedRequest.isOf(ApiKeys.PRODUCE, frame)
        || listener.allowances().isCounting()
        || isFull();
  }

  private boolean isFull() {
    return slots.size() >= MAX_SLOTS || heldBytes >= MAX_HELD_BYTES;
  }

  private void start(ByteBuf frame, long receivedNanos, long nanos) {
    int frameBytes = frame.readableBytes();
    ReceivedRequest request;
    try {
      request = ReceivedRequest.read(frame, listener.table());
    } catch (InvalidRequestException e) {
      frame.release();
      Slot slot = new Slot(null, null, frameBytes);
      slots.add(slot);
      slot.finish(null, e.getMessage(), null);
      return;
    }
    // Only the records of a Produce are read in place; else a parked request would hold its frame.
    ByteBuf kept = request.api() == ApiKeys.PRODUCE ? frame : null;
    if (kept == null) {
      frame.release();
    }
    Slot slot = new Slot(request, kept, frameBytes);
    slot.started(receivedNanos, nanos);
    slots.add(slot);
    heldBytes += slot.heldBytes();
    if (request.message() == null) {
      slot.answerVersion = 0;
      slot.respond(ApiVersionsHandler.unsupportedVersion(request.entry()));
    } else {
      handle(slot, kept);
    }
  }

  private void handle(Slot slot, ByteBuf kept) {
    ReceivedRequest request = slot.request;
    if (request.message() instanceof ApiVersionsRequest r && ApiVersionsHandler.isValid(r)) {
      softwareName = r.clientSoftwareName();
      softwareVersion = r.clientSoftwareVersion();
    }
    RequestContext context =
        new RequestContext(
            this, request.header(), RequestContext.ANONYMOUS, connection.remoteAddress(), kept);
    if (listener.allowances().isCounting()) {
      slot.time = new RequestTime();
      slot.time.start(shard);
    }
    try {
      request.entry().handler().handle(context, request.message(), slot);
      if (!slot.done) {
        slot.handled(shard.nanos());
      }
    } catch (RuntimeException | Error e) {
      LOG.error(
          "Error when handling request: clientId={}, correlationId={}, api={}, version={}, body={}",
          request.header().clientId(),
          request.header().correlationId(),
          request.api(),
          request.version(),
          request.message(),
          e);
      if (!slot.done) {
        ApiMessage answer =
            ErrorResponses.of(request.message(), request.version(), Errors.UNKNOWN_SERVER_ERROR);
        slot.finish(answer, answer == null ? "" : null, null);
      }
    }
    if (slot.time != null) {
      slot.time.stop(shard);
    }
  }

  /** Sends the answers whose turn it is, and begins what has waited for them. */
  private void drain() {
    if (draining) {
      return;
    }
    draining = true;
    try {
      while (true) {
        while (!slots.isEmpty() && slots.peek().ready) {
          send(slots.poll());
        }
        if (closing) {
          dropWaiting();
        }
        if (waiting == null || mustWait(waiting)) {
          break;
        }
        ByteBuf next = waiting;
        waiting = null;
        meters.waitsNoLonger();
        start(next, waitingSince, shard.nanos());
      }
    } finally {
      draining = false;
    }
    if (inputEnded && slots.isEmpty() && waiting == null) {
      close();
    }
    throttle();
  }

  private void send(Slot slot) {
    long now = shard.nanos();
    lastActive = now / NANOS_IN_MILLI;
    heldBytes -= slot.heldBytes();
    if (slot.frame != null) {
      slot.frame.release();
    }
    ReceivedRequest request = slot.request;
    if (request != null) {
      meters.done(
          request.api(),
          request.version(),
          request.message(),
          slot.answer,
          slot.frameBytes,
          slot,
          now);
    }
    if (slot.answer != null) {
      if (slot.time != null) {
        sending.start(shard);
      }
      try {
        // Also when the connection has ended: it releases the records in it.
        connection.send(frame(slot));
      } catch (RuntimeException e) {
        LOG.error(
            "Cannot write the answer to {} version {}: {}",
            request.api(),
            request.version(),
            slot.answer,
            e);
        close();
      }
      if (slot.time != null) {
        sending.stop(shard);
      }
    } else if (slot.closeBecause != null) {
      if (!slot.closeBecause.isEmpty()) {
        LOG.warn("Closing socket for {} because of error: {}", id(), slot.closeBecause);
      }
      close();
    }
    if (slot.throttleMs() > 0 && !closed) {
      mute.begin(slot.throttleMs());
    }
  }

  private void close() {
    closing = true;
    connection.close();
  }

  private void dropWaiting() {
    if (waiting != null) {
      meters.waitsNoLonger();
      waiting.release();
      waiting = null;
    }
  }

  private Frame frame(Slot slot) {
    ReceivedRequest request = slot.request;
    return FrameWriter.frame(
        listener.allocator(),
        new ResponseHeader().correlationId(request.header().correlationId()),
        request.api().responseHeaderVersion(slot.answerVersion),
        slot.answer,
        slot.answerVersion);
  }

  private void throttle() {
    boolean hold =
        waiting != null
            || mute.isOn()
            || isFull()
            || connection.pendingBytes() > Connection.HIGH_MARK;
    if (hold != paused && !closed) {
      paused = hold;
      if (hold) {
        connection.pauseReading();
      } else {
        connection.resumeReading();
      }
    }
  }

  @Override
  public void drained(Connection c) {
    throttle();
  }

  /** Kafka still answers what was asked before. */
  @Override
  public void inputClosed(Connection c) {
    inputEnded = true;
    drain();
  }

  @Override
  public void closed(Connection c, Throwable cause) {
    closing = true;
    closed = true;
    connections.closed();
    if (idle != null) {
      idle.cancel();
    }
    mute.cancel();
    if (listener.allowances().open() != null) {
      listener.allowances().open().closed(this);
    }
    dropWaiting();
    for (Runnable hook : List.copyOf(closeHooks)) {
      hook.run();
    }
    closeHooks.clear();
  }

  /** Ticks of the last request or answer. */
  long lastActive() {
    return lastActive;
  }

  /** There are more connections than there may be, and this one has been idle longest. */
  void closeAsExcess() {
    LOG.info("Closing {}: there are more connections than max.connections", id());
    close();
  }

  /** One timer a connection that is set again only when it runs out costs nothing a request. */
  private void checkIdle() {
    long left = listener.maxIdleMs() - (shard.ticks() - lastActive);
    if (left > 0 || !slots.isEmpty()) {
      idle = shard.schedule(left > 0 ? left : listener.maxIdleMs(), this::checkIdle);
    } else {
      LOG.debug("Closing {}, idle for {} ms", id(), listener.maxIdleMs());
      close();
    }
  }
}
