package dev.vitrine.seam;

import io.netty.buffer.ByteBufAllocator;
import java.util.List;

/** The only way to another process. Bytes become frames and frames bytes below this seam. */
public interface Network {
  /**
   * Dials. Never throws: the listener, called on {@code shard} only and never from within this
   * call, hears {@code opened} or {@code closed}; the latter with a {@link
   * java.net.ConnectException} only if the address has refused, not if it was silent.
   */
  Connection connect(Endpoint to, Shard shard, ConnectionListener listener);

  /**
   * Accepts connections and deals them out to the shards in turn.
   *
   * @param maxFrameBytes a frame that claims to be longer, or of a negative length, closes its
   *     connection
   * @throws java.io.UncheckedIOException if the address cannot be bound; the message names it
   */
  Server listen(Endpoint at, List<? extends Shard> shards, int maxFrameBytes, Acceptor acceptor);

  /** Where the buffers of outgoing frames come from. */
  default ByteBufAllocator allocator() {
    return ByteBufAllocator.DEFAULT;
  }

  /**
   * Makes the listener of each new connection; called on the shard that the connection will belong
   * to.
   */
  interface Acceptor {
    ConnectionListener accepted(Connection connection, Shard shard);
  }

  /** An open server socket. */
  interface Server {
    /** The real port, also where 0 was asked for. */
    int port();

    /** Takes no more connections; those it has stay. */
    void close();
  }
}
