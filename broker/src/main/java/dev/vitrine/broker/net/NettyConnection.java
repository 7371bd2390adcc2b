package dev.vitrine.broker.net;

import dev.vitrine.protocol.Frame;
import dev.vitrine.protocol.record.Records;
import dev.vitrine.seam.Connection;
import dev.vitrine.seam.ConnectionListener;
import dev.vitrine.seam.Network;
import dev.vitrine.storage.FileRecords;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One socket as a {@link Connection}. Belongs to its shard's loop. What is sent within one turn of
 * the loop leaves with one flush; what is received is cut into frames here.
 *
 * <pre>
 *   dialling --attach--> open --close()--> closing --sent, failed or 5 s--> closed
 *       \                  \--end of input, error--------------------------/
 *        \--failed, close()-----------------------------------------------/
 * </pre>
 */
final class NettyConnection extends ChannelInboundHandlerAdapter implements Connection {
  private static final Logger LOG = LoggerFactory.getLogger(NettyConnection.class);
  private static final int LOW_MARK = HIGH_MARK / 4;
  private static final long LINGER_MS = 5000;

  /** Netty's own counts a file region as nothing. */
  private static final MessageSizeEstimator.Handle SIZES =
      part -> part instanceof ByteBuf b ? b.readableBytes() : (int) ((RecordsRegion) part).count();

  private final NettyShard shard;
  private final FrameAssembler frames;
  private final Runnable flush = this::flush;
  private SocketChannel channel;
  private final Network.Acceptor acceptor;
  private ConnectionListener listener;
  private String id = "";
  private String remoteAddress = "";

  private boolean closing;
  private boolean told;
  private Throwable cause;

  private boolean paused;
  private boolean delivering;
  private boolean inputEnded;
  private boolean reading;
  private boolean flushWaits;

  private NettyConnection(
      NettyShard shard, ConnectionListener listener, Network.Acceptor acceptor, int maxFrameBytes) {
    this.shard = shard;
    this.listener = listener;
    this.acceptor = acceptor;
    this.frames = new FrameAssembler(maxFrameBytes);
  }

  static NettyConnection dialled(NettyShard shard, ConnectionListener listener) {
    return new NettyConnection(shard, listener, null, Integer.MAX_VALUE);
  }

  static NettyConnection accepted(NettyShard shard, Network.Acceptor acceptor, int maxFrameBytes) {
    return new NettyConnection(shard, null, acceptor, maxFrameBytes);
  }

  /**
   * The socket that is, or will be, this connection's, before it is registered. Each try of a dial
   * has one of its own.
   */
  void prepare(SocketChannel socket, ByteBufAllocator allocator) {
    channel = socket;
    socket.config().setTcpNoDelay(true);
    socket.config().setAllowHalfClosure(true);
    socket.config().setAllocator(allocator);
    socket.config().setRecvByteBufAllocator(new FrameReads(frames));
    socket.config().setMessageSizeEstimator(() -> SIZES);
    socket.config().setWriteBufferWaterMark(new WriteBufferWaterMark(LOW_MARK, HIGH_MARK));
  }

  boolean isClosing() {
    return closing;
  }

  /** The dial has come to nothing. */
  void failed(Throwable why) {
    cause = closing ? null : why;
    closing = true;
    tellClosed();
  }

  private boolean isOpen() {
    return channel != null && channel.isActive() && !closing;
  }

  @Override
  public void send(Frame frame) {
    if (!isOpen()) {
      frame.release();
      return;
    }
    if (!write(frame)) {
      return;
    }
    if (!reading && !flushWaits) {
      flushWaits = true;
      shard.loop().execute(flush);
    }
  }

  private boolean write(Frame frame) {
    int done = 0;
    try {
      while (done < frame.parts().size()) {
        Object part = outgoing(frame.parts().get(done));
        done++;
        channel.write(part, channel.voidPromise());
      }
      return true;
    } catch (RuntimeException e) {
      // A file that was cut under a reader: the rest of the frame cannot follow its begin.
      LOG.warn("Cannot send to {} (channelId={}); closing connection: {}", remoteAddress, id, e);
      new Frame(frame.parts().subList(done, frame.parts().size()), 0).release();
      abort(e);
      return false;
    }
  }

  private Object outgoing(Object part) {
    if (part instanceof ByteBuf) {
      return part;
    }
    if (part instanceof FileRecords f && f.file().channel() != null) {
      return new RecordsRegion(f);
    }
    Records records = (Records) part;
    ByteBuf copy = channel.alloc().directBuffer(records.sizeInBytes());
    try {
      records.writeTo(copy);
    } catch (RuntimeException e) {
      copy.release();
      throw e;
    }
    records.release();
    return copy;
  }

  private void flush() {
    flushWaits = false;
    channel.flush();
  }

  @Override
  public long pendingBytes() {
    ChannelOutboundBuffer out = channel == null ? null : channel.unsafe().outboundBuffer();
    return out == null ? 0 : out.totalPendingWriteBytes();
  }

  @Override
  public void pauseReading() {
    if (!paused) {
      paused = true;
      if (isOpen()) {
        channel.config().setAutoRead(false);
      }
    }
  }

  @Override
  public void resumeReading() {
    if (paused) {
      paused = false;
      if (isOpen() && !delivering) {
        // Not at once: the caller may stand within received() of another frame.
        shard.loop().execute(this::deliver);
      }
    }
  }

  private void deliver() {
    if (delivering || !isOpen()) {
      return;
    }
    delivering = true;
    try {
      while (!paused && !closing) {
        ByteBuf frame = frames.next();
        if (frame == null) {
          break;
        }
        listener.received(this, frame);
      }
      if (inputEnded && !paused && !closing) {
        inputEnded = false; // told once
        listener.inputClosed(this);
      }
    } catch (InvalidFrameException e) {
      LOG.warn(
          "Unexpected error from {} (channelId={}); closing connection: {}",
          remoteAddress(),
          id,
          e.getMessage());
      abort(e);
    } catch (RuntimeException | Error e) {
      LOG.error("Failed to take a frame from {} (channelId={})", remoteAddress(), id, e);
      abort(e);
    } finally {
      delivering = false;
    }
    // Where nothing comes any more, Netty has taken the socket off its list already.
    if (!paused && isOpen() && !channel.isInputShutdown() && !channel.config().isAutoRead()) {
      channel.config().setAutoRead(true);
    }
  }

  private void abort(Throwable why) {
    if (cause == null) {
      cause = why;
    }
    closing = true;
    channel.close();
  }

  @Override
  public void close() {
    if (closing) {
      return;
    }
    boolean open = isOpen();
    closing = true;
    if (channel == null) {
      return; // The dial has not begun; it will see this.
    }
    if (!open || pendingBytes() == 0) {
      channel.close();
      return;
    }
    channel.config().setAutoRead(false);
    channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    Channel socket = channel;
    shard.loop().schedule(() -> socket.close(), LINGER_MS, TimeUnit.MILLISECONDS);
  }

  @Override
  public String remoteAddress() {
    return remoteAddress;
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public String toString() {
    return id;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    InetSocketAddress local = channel.localAddress();
    InetSocketAddress peer = channel.remoteAddress();
    if (local == null || peer == null) {
      abort(new ClosedChannelException());
      return;
    }
    remoteAddress = "/" + peer.getAddress().getHostAddress();
    id = text(local) + "-" + text(peer) + "-" + shard.nextConnectionNumber();
    if (acceptor != null) {
      listener = acceptor.accepted(this, shard);
    } else if (!closing) {
      listener.opened(this);
    }
    if (paused) {
      channel.config().setAutoRead(false);
    }
  }

  private static String text(InetSocketAddress a) {
    return a.getAddress().getHostAddress() + ":" + a.getPort();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object bytes) {
    reading = true;
    frames.arrived((ByteBuf) bytes);
    if (closing) {
      frames.close();
    } else {
      deliver();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    reading = false;
    channel.flush();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (isOpen() && channel.isWritable()) {
      listener.drained(this);
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      inputEnded = true;
      deliver();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable error) {
    if (!(error instanceof IOException)) {
      LOG.error("Failed on the connection with {} (channelId={})", remoteAddress(), id, error);
    }
    abort(error);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    closing = true;
    tellClosed();
  }

  private void tellClosed() {
    frames.close();
    if (!told) {
      told = true;
      if (listener != null) {
        listener.closed(this, cause);
      }
    }
  }
}
