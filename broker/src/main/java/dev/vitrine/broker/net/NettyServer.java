package dev.vitrine.broker.net;

import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Network;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server socket: accepts on its first shard's loop and hands each connection to the next shard in
 * turn, whose loop it then lives on. Opened and closed from any thread; the rest belongs to the
 * first shard.
 */
final class NettyServer extends ChannelInboundHandlerAdapter implements Network.Server {
  private static final Logger LOG = LoggerFactory.getLogger(NettyServer.class);

  /** How long nothing is accepted after a failure, such as no more file descriptors. */
  private static final long REST_MS = 1000;

  /** What is done with a new connection. */
  record Accept(int maxFrameBytes, Network.Acceptor acceptor, ByteBufAllocator allocator) {}

  private final Endpoint at;
  private final List<NettyShard> shards;
  private final Accept accept;
  private final ServerChannel channel;
  private int next;

  /** Who has connected and waits for its turn; the first has been told of. */
  private final ArrayDeque<AtTheDoor> arrivals = new ArrayDeque<>();

  private boolean telling;
  private boolean resting;

  private NettyServer(Endpoint at, List<NettyShard> shards, Accept accept) {
    this.at = at;
    this.shards = shards;
    this.accept = accept;
    this.channel = Transport.CURRENT.newServerSocket();
  }

  static NettyServer open(Endpoint at, List<NettyShard> shards, Accept accept) {
    NettyServer server = new NettyServer(at, shards, accept);
    server.bind();
    return server;
  }

  private void bind() {
    channel.config().setOption(ChannelOption.SO_REUSEADDR, true);
    channel.config().setAllocator(accept.allocator());
    channel.pipeline().addLast(this);
    InetSocketAddress address =
        at.host().isEmpty()
            ? new InetSocketAddress(at.port())
            : new InetSocketAddress(at.host(), at.port());
    Throwable failure = waitFor(shards.get(0).loop().register(channel));
    if (failure == null) {
      failure = waitFor(channel.bind(address));
    }
    if (failure != null) {
      if (channel.isRegistered()) {
        channel.close();
      } else {
        channel.unsafe().closeForcibly();
      }
      IOException cause =
          failure instanceof IOException e ? e : new IOException(failure.getMessage(), failure);
      throw new UncheckedIOException("Cannot listen on " + at + ": " + cause.getMessage(), cause);
    }
  }

  /** On the loop's own thread everything has happened by now. */
  private Throwable waitFor(ChannelFuture step) {
    if (!shards.get(0).isCurrent()) {
      step.awaitUninterruptibly();
    }
    return step.cause();
  }

  @Override
  public int port() {
    return ((InetSocketAddress) channel.localAddress()).getPort();
  }

  @Override
  public void close() {
    waitFor(channel.close());
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object accepted) {
    arrivals.add(new AtTheDoor((SocketChannel) accepted));
    tell();
  }

  /** One after the other: who comes next is only told of when the one before is decided on. */
  private void tell() {
    if (telling) {
      return;
    }
    telling = true;
    try {
      while (!arrivals.isEmpty() && !arrivals.peek().told) {
        AtTheDoor first = arrivals.peek();
        first.told = true;
        accept.acceptor().arrived(first);
      }
    } finally {
      telling = false;
    }
    setAutoRead();
  }

  private void setAutoRead() {
    boolean read = arrivals.isEmpty() && !resting;
    if (read != channel.config().isAutoRead()) {
      channel.config().setAutoRead(read);
    }
  }

  private final class AtTheDoor implements Network.Arrival {
    final SocketChannel socket;
    boolean told;

    AtTheDoor(SocketChannel socket) {
      this.socket = socket;
    }

    @Override
    public String address() {
      InetSocketAddress peer = socket.remoteAddress();
      return peer == null ? "" : peer.getAddress().getHostAddress();
    }

    @Override
    public void accept(Runnable ended) {
      register(socket, ended == null ? () -> {} : () -> shards.get(0).execute(ended));
      decided();
    }

    @Override
    public void closeAfter(long delayMs) {
      if (delayMs <= 0) {
        socket.unsafe().closeForcibly();
      } else {
        shards
            .get(0)
            .loop()
            .schedule(() -> socket.unsafe().closeForcibly(), delayMs, TimeUnit.MILLISECONDS);
      }
      decided();
    }

    private void decided() {
      arrivals.remove(this);
      tell();
    }
  }

  private void register(SocketChannel socket, Runnable ended) {
    NettyShard shard = shards.get(next);
    next = (next + 1) % shards.size();
    NettyConnection connection =
        NettyConnection.accepted(shard, accept.acceptor(), accept.maxFrameBytes());
    connection.prepare(socket, accept.allocator());
    socket.pipeline().addLast(connection);
    shard
        .loop()
        .register(socket)
        .addListener(
            registered -> {
              if (registered.isSuccess()) {
                socket.closeFuture().addListener(closed -> ended.run());
              } else {
                socket.unsafe().closeForcibly();
                ended.run();
              }
            });
  }

  /** Nobody is let in any more. */
  @Override
  public void channelInactive(ChannelHandlerContext context) {
    arrivals.forEach(a -> a.socket.unsafe().closeForcibly());
    arrivals.clear();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable error) {
    LOG.warn("Cannot accept a connection on {}: {}", at, error.toString());
    if (!resting) {
      resting = true;
      setAutoRead();
      channel
          .eventLoop()
          .schedule(
              () -> {
                resting = false;
                setAutoRead();
              },
              REST_MS,
              TimeUnit.MILLISECONDS);
    }
  }
}
