package dev.vitrine.broker.net;

import dev.vitrine.seam.Connection;
import dev.vitrine.seam.ConnectionListener;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Network;
import dev.vitrine.seam.Shard;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GenericFutureListener;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TCP. Every shard given to it must be a {@link NettyShard}. Any thread may use it; it has no
 * thread of its own: accepting runs on the first shard, resolving of names on the disk workers.
 */
public final class NettyNetwork implements Network {
  private static final Logger LOG = LoggerFactory.getLogger(NettyNetwork.class);

  /** Kafka's {@code socket.connection.setup.timeout.ms}. */
  private static final int CONNECT_TIMEOUT_MS = 10_000;

  private static final int PAGE_BYTES = 8192;

  /** Chunks of 4 MB: what an idle broker holds, and the largest buffer that is pooled. */
  private static final int CHUNK_ORDER = 9;

  private final ByteBufAllocator allocator;
  private final int connectTimeoutMs;

  /**
   * @param shards how many will use it at once: as many arenas do their buffers come from
   */
  public NettyNetwork(int shards) {
    this(shards, CONNECT_TIMEOUT_MS);
  }

  NettyNetwork(int shards, int connectTimeoutMs) {
    this.connectTimeoutMs = connectTimeoutMs;
    allocator = new PooledByteBufAllocator(true, 0, shards, PAGE_BYTES, CHUNK_ORDER, 64, 16, false);
  }

  @Override
  public ByteBufAllocator allocator() {
    return allocator;
  }

  @Override
  public String resolve(String host) {
    try {
      return InetAddress.getByName(host).getHostAddress();
    } catch (UnknownHostException e) {
      return null;
    }
  }

  @Override
  public Connection connect(Endpoint to, Shard shard, ConnectionListener listener) {
    NettyShard on = (NettyShard) shard;
    NettyConnection connection = NettyConnection.dialled(on, listener);
    try {
      byte[] literal = NetUtil.createByteArrayFromIpAddressString(to.host());
      if (literal != null) {
        InetAddress[] address = {InetAddress.getByAddress(to.host(), literal)};
        on.execute(() -> dial(connection, on, address, 0, to.port()));
      } else {
        // Asking a name server may take seconds.
        on.offload(
            () -> InetAddress.getAllByName(to.host()),
            (addresses, failure) -> {
              if (failure != null) {
                connection.failed(failure);
              } else {
                dial(connection, on, addresses, 0, to.port());
              }
            });
      }
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e); // never: the literal has a legal length
    } catch (RejectedExecutionException e) {
      LOG.debug("No dial to {}: {} has ended", to, on);
    }
    return connection;
  }

  /** Tries the addresses one after the other, as Kafka's clients do. */
  private void dial(
      NettyConnection connection, NettyShard on, InetAddress[] addresses, int next, int port) {
    if (connection.isClosing()) {
      connection.failed(null);
      return;
    }
    SocketChannel socket = Transport.CURRENT.newSocket();
    connection.prepare(socket, allocator);
    socket.config().setConnectTimeoutMillis(connectTimeoutMs);
    GenericFutureListener<Future<Void>> then =
        dialled -> {
          if (dialled.isSuccess()) {
            socket.pipeline().addLast(connection);
            return;
          }
          socket.close();
          if (next + 1 < addresses.length && !connection.isClosing()) {
            dial(connection, on, addresses, next + 1, port);
          } else {
            connection.failed(why(dialled.cause()));
          }
        };
    on.loop()
        .register(socket)
        .addListener(
            registered -> {
              if (registered.isSuccess()) {
                socket.connect(new InetSocketAddress(addresses[next], port)).addListener(then);
              } else {
                connection.failed(registered.cause());
              }
            });
  }

  /**
   * Netty's time-out is a ConnectException, which here means that the address has refused: a dead
   * process does, a silent one does not.
   */
  private static Throwable why(Throwable failure) {
    return failure instanceof ConnectTimeoutException
        ? new SocketTimeoutException(failure.getMessage())
        : failure;
  }

  @Override
  public Server listen(
      Endpoint at, List<? extends Shard> shards, int maxFrameBytes, Acceptor acceptor) {
    List<NettyShard> to = shards.stream().map(NettyShard.class::cast).toList();
    return NettyServer.open(at, to, new NettyServer.Accept(maxFrameBytes, acceptor, allocator));
  }
}
