package dev.vitrine.seam;

import io.netty.buffer.ByteBuf;

/** Hears what happens to one connection, always on the connection's shard. */
public interface ConnectionListener {
  /** A dialled connection is up. Not called for accepted ones, which are up from the start. */
  default void opened(Connection connection) {}

  /** One whole frame without its length. The listener owns it and must release it. */
  void received(Connection connection, ByteBuf frame);

  /** {@link Connection#pendingBytes} has fallen to a low mark again. */
  default void drained(Connection connection) {}

  /**
   * The other side sends no more, and all frames that it sent have been heard; it may still wait
   * for what is sent to it.
   */
  default void inputClosed(Connection connection) {
    connection.close();
  }

  /**
   * The end, told exactly once; also for a dial that failed. {@code cause} is null for an orderly
   * end.
   */
  void closed(Connection connection, Throwable cause);
}
