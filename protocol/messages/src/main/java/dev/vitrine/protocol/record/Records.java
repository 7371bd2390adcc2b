package dev.vitrine.protocol.record;

import io.netty.buffer.ByteBuf;

/**
 * The value of a {@code records} field: whole record batches as bytes. They are in a buffer, or in
 * a file from which the network sends them without copying. Whoever is given one owns one reference
 * and must release it once.
 */
public interface Records {
  Records EMPTY = new MemoryRecords(io.netty.buffer.Unpooled.EMPTY_BUFFER);

  int sizeInBytes();

  /** Copies all bytes to {@code out}. */
  void writeTo(ByteBuf out);

  /** Gives up the buffer or the file; no use of this object afterwards. */
  void release();
}
