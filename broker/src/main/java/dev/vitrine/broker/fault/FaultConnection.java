package dev.vitrine.broker.fault;

import dev.vitrine.protocol.Frame;
import dev.vitrine.seam.Connection;
import dev.vitrine.seam.ConnectionListener;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Network;
import dev.vitrine.seam.Shard;
import dev.vitrine.seam.Timer;
import io.netty.buffer.ByteBuf;
import java.net.SocketTimeoutException;
import java.util.concurrent.RejectedExecutionException;

/**
 * One connection that may be made late or silent; stands between the real one and its listener, and
 * belongs to their shard. With no fault, and nothing left over from one, it only passes on.
 *
 * <p>Of a connection that is closed here while its link is cut the other side must not hear: it
 * stays open below until the link is healed, and then sends what it held and closes, as TCP would.
 */
final class FaultConnection implements Connection, ConnectionListener {
  private static final int LOW_MARK = HIGH_MARK / 4;

  /** As the real network gives up. */
  private static final long DIAL_TIMEOUT_MS = 10_000;

  private final FaultNetwork network;
  private final Shard shard;

  /** Null for one that was accepted. */
  private final Endpoint to;

  private final Held<Frame> outgoing;
  private final Held<Runnable> incoming;
  private ConnectionListener listener;
  private Connection real;
  private Timer dialTimeout;
  private boolean paused;
  private boolean realPaused;
  private boolean closing;
  private boolean told;
  private boolean ended;
  private boolean full;

  private FaultConnection(
      FaultNetwork network, Endpoint to, Shard shard, ConnectionListener listener) {
    this.network = network;
    this.to = to;
    this.shard = shard;
    this.listener = listener;
    this.outgoing = new Held<>(shard, this::sendDue, Frame::release);
    this.incoming = new Held<>(shard, this::hearDue, event -> {});
  }

  static FaultConnection dial(
      FaultNetwork network, Endpoint to, Shard shard, ConnectionListener listener) {
    FaultConnection c = new FaultConnection(network, to, shard, listener);
    network.add(c);
    if (c.isCut()) {
      c.onShard(
          () ->
              c.dialTimeout =
                  shard.schedule(
                      DIAL_TIMEOUT_MS,
                      () -> c.tellClosed(new SocketTimeoutException("no connection to " + to))));
    } else {
      c.real = network.real().connect(to, shard, c);
    }
    return c;
  }

  static ConnectionListener accepted(
      FaultNetwork network, Connection real, Shard shard, Network.Acceptor acceptor) {
    FaultConnection c = new FaultConnection(network, null, shard, null);
    c.real = real;
    c.listener = acceptor.accepted(c, shard);
    network.add(c);
    return c;
  }

  private boolean isCut() {
    LinkFaults faults = network.faults();
    return faults.holdsSending(to) || faults.holdsReceiving(to);
  }

  private long delayMs() {
    return network.faults().delayMs();
  }

  private void onShard(Runnable task) {
    try {
      shard.execute(task);
    } catch (RejectedExecutionException e) {
      network.remove(this); // the shard has ended
    }
  }

  /** From any thread. */
  void faultsChanged() {
    onShard(this::goOn);
  }

  private void goOn() {
    if (real == null && !told && !isCut()) {
      if (dialTimeout != null) {
        dialTimeout.cancel();
      }
      real = network.real().connect(to, shard, this);
    }
    adjustReading();
    sendDue();
    hearDue();
  }

  // --- what goes out ---

  @Override
  public void send(Frame frame) {
    if (closing || told || real == null) {
      frame.release();
    } else if (outgoing.isEmpty() && delayMs() == 0 && !network.faults().holdsSending(to)) {
      real.send(frame);
    } else {
      outgoing.add(frame, frame.sizeInBytes());
      full |= pendingBytes() > HIGH_MARK;
      sendDue();
    }
  }

  private void sendDue() {
    while (!network.faults().holdsSending(to)) {
      Frame frame = outgoing.pollDue(delayMs());
      if (frame == null) {
        break;
      }
      real.send(frame);
    }
    if (outgoing.isEmpty() && closing && real != null && !network.faults().holdsSending(to)) {
      real.close();
    }
    if (full && pendingBytes() <= LOW_MARK) {
      full = false;
      if (!told && !closing) {
        listener.drained(this);
      }
    }
  }

  @Override
  public long pendingBytes() {
    return outgoing.bytes() + (real == null ? 0 : real.pendingBytes());
  }

  @Override
  public void drained(Connection c) {
    if (full) {
      sendDue();
    } else if (!told && !closing) {
      listener.drained(this);
    }
  }

  @Override
  public void close() {
    if (closing) {
      return;
    }
    closing = true;
    incoming.clear();
    if (real == null || isCut()) {
      // The other side hears nothing; this one is not kept waiting for that.
      onShard(() -> tellClosed(null));
    }
    sendDue();
  }

  // --- what comes in ---

  @Override
  public void opened(Connection c) {
    real = c;
    hear(() -> listener.opened(this));
  }

  @Override
  public void received(Connection c, ByteBuf frame) {
    if (closing || told) {
      frame.release();
    } else if (incoming.isEmpty() && delayMs() == 0 && !holdsHearing()) {
      listener.received(this, frame);
    } else {
      incoming.add(new HeldFrame(frame), frame.readableBytes());
      adjustReading();
      hearDue();
    }
  }

  /** A frame that is heard later, or never. */
  private final class HeldFrame implements Runnable, Held.Released {
    private final ByteBuf frame;

    HeldFrame(ByteBuf frame) {
      this.frame = frame;
    }

    @Override
    public void run() {
      listener.received(FaultConnection.this, frame);
    }

    @Override
    public void release() {
      frame.release();
    }
  }

  @Override
  public void inputClosed(Connection c) {
    hear(() -> listener.inputClosed(this));
  }

  private void hear(Runnable event) {
    if (!closing && !told) {
      incoming.add(event, 0);
      hearDue();
    }
  }

  private boolean holdsHearing() {
    return paused || network.faults().holdsReceiving(to);
  }

  private void hearDue() {
    if (ended && paused && !network.faults().holdsReceiving(to)) {
      // What nobody takes goes with the connection, as it does with the real one.
      incoming.clear();
      end(null);
    }
    while (!closing && !told && !holdsHearing()) {
      Runnable event = incoming.pollDue(delayMs());
      if (event == null) {
        break;
      }
      event.run();
    }
    adjustReading();
  }

  /** Nothing more comes from below. */
  @Override
  public void closed(Connection c, Throwable cause) {
    ended = true;
    outgoing.clear();
    if (closing || told) {
      end(cause);
      return;
    }
    incoming.add(() -> end(cause), 0);
    hearDue();
  }

  private void end(Throwable cause) {
    tellClosed(cause);
    network.remove(this);
  }

  private void tellClosed(Throwable cause) {
    if (told) {
      return;
    }
    told = true;
    closing = true;
    incoming.clear();
    if (real == null) {
      network.remove(this);
    }
    listener.closed(this, cause);
  }

  @Override
  public void pauseReading() {
    paused = true;
    adjustReading();
  }

  @Override
  public void resumeReading() {
    if (paused) {
      paused = false;
      // Not at once: the caller may stand within received() of another frame.
      onShard(this::hearDue);
    }
  }

  private void adjustReading() {
    if (real == null) {
      return;
    }
    boolean hold = !closing && (holdsHearing() || incoming.bytes() > HIGH_MARK);
    hold |= closing && network.faults().holdsReceiving(to);
    if (hold != realPaused) {
      realPaused = hold;
      if (hold) {
        real.pauseReading();
      } else {
        real.resumeReading();
      }
    }
  }

  // --- names ---

  @Override
  public String remoteAddress() {
    return real == null ? "" : real.remoteAddress();
  }

  @Override
  public String id() {
    return real == null ? "" : real.id();
  }

  @Override
  public String toString() {
    return id();
  }
}
