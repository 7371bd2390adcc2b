package dev.vitrine.seam;

import dev.vitrine.protocol.Frame;

/** One connection to another process; belongs to one shard, and is used by it alone. */
public interface Connection {
  /**
   * Once {@link #pendingBytes} has been above this, {@link ConnectionListener#drained} will be
   * heard.
   */
  int HIGH_MARK = 1 << 20;

  /**
   * Sends the frame after those sent before, and releases it, also when the connection is closed by
   * now.
   */
  void send(Frame frame);

  /** Bytes handed to {@link #send} that the kernel has not taken yet. */
  long pendingBytes();

  /** Stops hearing frames until {@link #resumeReading}: the peer is held back by TCP. */
  void pauseReading();

  void resumeReading();

  /**
   * Closes it, after what was sent has gone out or failed, or after five seconds. The listener
   * hears no more frames, but still {@code closed}.
   */
  void close();

  /** The other side as Kafka prints it, such as {@code /127.0.0.1}. */
  String remoteAddress();

  /**
   * The name of the listener socket's own address and port, and the peer's: Kafka's connection id.
   */
  String id();
}
