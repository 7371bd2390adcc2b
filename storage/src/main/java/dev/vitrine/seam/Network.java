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

  /**
   * Asks for the address of a host, or gives an address back as it is. May block for seconds: not
   * on a shard.
   *
   * @return as {@link Connection#remoteAddress} has it, but without the slash; null if there is
   *     none
   */
  String resolve(String host);

  /** Where the buffers of outgoing frames come from. */
  default ByteBufAllocator allocator() {
    return ByteBufAllocator.DEFAULT;
  }

  /** Decides on new connections, and makes the listener of each. */
  interface Acceptor {
    /**
     * Somebody has connected. Called on the first shard, which must decide now or later; until it
     * has, nobody else of this server is let in.
     */
    default void arrived(Arrival arrival) {
      arrival.accept(null);
    }

    /** Called on the shard that the connection will belong to. */
    ConnectionListener accepted(Connection connection, Shard shard);
  }

  /** A connection at the door. Exactly one of the three decisions is to be taken, once. */
  interface Arrival {
    /** As {@link Connection#remoteAddress} has it, but without the slash. */
    String address();

    /**
     * Lets it in.
     *
     * @param ended run once on the first shard when it is over, also if it broke before anybody was
     *     told of it; null if nobody wants to know
     */
    void accept(Runnable ended);

    /** Turns it away, so much later. */
    void closeAfter(long delayMs);
  }

  /** An open server socket. */
  interface Server {
    /** The real port, also where 0 was asked for. */
    int port();

    /** Takes no more connections; those it has stay. */
    void close();
  }
}
