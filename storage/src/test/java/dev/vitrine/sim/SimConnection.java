package dev.vitrine.sim;

import dev.vitrine.protocol.Frame;
import dev.vitrine.seam.Connection;
import dev.vitrine.seam.ConnectionListener;
import dev.vitrine.seam.Endpoint;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.ArrayDeque;

/**
 * One end of a connection of a {@link SimNetwork}. What is sent waits here while the window is
 * full, travels, and waits at the other end until it is read; {@link #FIN} travels behind it.
 */
final class SimConnection implements Connection {
  /** Bytes under way or unread at which the kernel takes no more. */
  private static final int WINDOW = 4 << 20;

  private static final long LINGER_MICROS = 5_000_000;
  private static final int MAX_DEAF_MICROS = 5_000_000;
  private static final ByteBuf FIN = Unpooled.wrappedBuffer(new byte[1]);

  private final SimNetwork network;
  private final SimShard shard;
  private final Endpoint local;
  private final Endpoint remote;
  private final int number;
  private SimConnection peer;
  private ConnectionListener listener;

  /** Sent, not taken yet. */
  private final ArrayDeque<ByteBuf> pending = new ArrayDeque<>();

  private long pendingBytes;
  private boolean overHighMark;

  /** Taken, not arrived at the peer yet; and what the peer has not read yet. */
  private final ArrayDeque<ByteBuf> travelling = new ArrayDeque<>();

  private long windowBytes;
  private long lastArrivalMicros;
  private int stalled;

  /** Bytes to the peer were lost: nothing more gets there, until both give up. */
  private boolean deaf;

  /** Arrived here, not read yet. */
  private final ArrayDeque<ByteBuf> unread = new ArrayDeque<>();

  private boolean paused;
  private boolean closing;
  private boolean ended;
  private Runnable onEnd = () -> {};

  SimConnection(SimNetwork network, SimShard shard, Endpoint local, Endpoint remote, int number) {
    this.network = network;
    this.shard = shard;
    this.local = local;
    this.remote = remote;
    this.number = number;
  }

  SimShard shard() {
    return shard;
  }

  String localHost() {
    return local.host();
  }

  Endpoint localEndpoint() {
    return local;
  }

  boolean isClosed() {
    return closing || ended;
  }

  void listener(ConnectionListener l) {
    listener = l;
    readAll();
  }

  void onEnd(Runnable hook) {
    onEnd = hook;
  }

  void joined(SimConnection other) {
    peer = other;
  }

  void tellOpened() {
    if (!isClosed()) {
      listener.opened(this);
      transmit();
    }
  }

  // --- sending ---

  @Override
  public void send(Frame frame) {
    if (isClosed()) {
      frame.release();
      return;
    }
    ByteBuf all = Unpooled.buffer(frame.sizeInBytes());
    frame.drainTo(all);
    all.skipBytes(4);
    pending.add(all);
    pendingBytes += all.readableBytes();
    transmit();
    overHighMark |= pendingBytes > HIGH_MARK;
  }

  private void transmit() {
    while (peer != null && !ended && !pending.isEmpty() && windowBytes < WINDOW) {
      ByteBuf b = pending.poll();
      pendingBytes -= b.readableBytes();
      windowBytes += b.readableBytes();
      launch(b);
    }
    if (overHighMark && pendingBytes == 0) {
      overHighMark = false;
      if (!closing) {
        shard.execute(
            () -> {
              if (!isClosed()) {
                listener.drained(this);
              }
            });
      }
    }
    if (closing && !ended && pending.isEmpty()) {
      if (peer != null) {
        launch(FIN);
      }
      end(null);
    }
  }

  private void launch(ByteBuf b) {
    travelling.add(b);
    long now = network.world().elapsedMicros();
    lastArrivalMicros = Math.max(lastArrivalMicros, now + network.delayMicros());
    network.world().add(peer.shard, lastArrivalMicros - now, this::arrive);
  }

  /** Runs on the peer's shard. */
  private void arrive() {
    if (network.isCut(local.host(), remote.host())) {
      stalled++;
      return;
    }
    if (network.loses(local.host(), remote.host()) && !deaf) {
      deaf = true;
      network.world().at(network.world().random().nextInt(MAX_DEAF_MICROS), this::reset);
    }
    if (deaf) {
      travelling.poll();
    } else if (!travelling.isEmpty()) {
      peer.unread.add(travelling.poll());
      peer.readAll();
    }
  }

  void linkMended() {
    if (stalled > 0 && !network.isCut(local.host(), remote.host())) {
      int n = stalled;
      stalled = 0;
      for (int i = 0; i < n; i++) {
        network.world().add(peer.shard, network.delayMicros(), this::arrive);
      }
    }
  }

  @Override
  public long pendingBytes() {
    return pendingBytes;
  }

  // --- reading ---

  private void readAll() {
    while (!paused && listener != null && !unread.isEmpty() && !isClosed()) {
      ByteBuf b = unread.poll();
      if (b == FIN) {
        listener.inputClosed(this);
      } else {
        peer.windowBytes -= b.readableBytes();
        listener.received(this, b);
        peer.transmit();
      }
    }
  }

  @Override
  public void pauseReading() {
    paused = true;
  }

  @Override
  public void resumeReading() {
    if (paused) {
      paused = false;
      shard.execute(this::readAll);
    }
  }

  // --- the end ---

  @Override
  public void close() {
    if (isClosed()) {
      return;
    }
    closing = true;
    if (peer == null || pending.isEmpty()) {
      transmit();
      if (!ended) {
        end(null);
      }
    } else {
      network.world().add(shard, LINGER_MICROS, () -> end(null));
    }
  }

  /** The dial has failed. */
  void fail(IOException cause) {
    closing = true;
    end(cause);
  }

  /** Both ends are told that it broke. */
  void reset() {
    if (!ended) {
      fail(new IOException("Connection reset by peer"));
    }
    if (peer != null && !peer.ended) {
      peer.fail(new IOException("Connection reset by peer"));
    }
  }

  /** This end's process is gone; the kernel tells the peer, if a packet gets there. */
  void die() {
    boolean wasClosed = isClosed();
    closing = true;
    ended = true;
    network.ended(this);
    if (peer != null && !wasClosed && !peer.ended) {
      tellPeerOfDeath();
    }
  }

  private void tellPeerOfDeath() {
    network
        .world()
        .at(
            network.delayMicros(),
            () -> {
              if (peer.ended) {
                return;
              }
              if (network.isCut(local.host(), remote.host())
                  || network.loses(local.host(), remote.host())) {
                network.world().at(1_000_000, this::tellPeerOfDeath);
              } else {
                peer.fail(new IOException("Connection reset by peer"));
              }
            });
  }

  private void end(IOException cause) {
    if (ended) {
      return;
    }
    ended = true;
    network.ended(this);
    onEnd.run();
    pending.clear();
    unread.clear();
    if (cause != null) {
      travelling.clear();
    }
    // An accepted end may break before its listener was made.
    shard.execute(
        () -> {
          if (listener != null) {
            listener.closed(this, cause);
          }
        });
  }

  @Override
  public String remoteAddress() {
    return "/" + remote.host();
  }

  @Override
  public String id() {
    return local + "-" + remote + "-" + number;
  }
}
