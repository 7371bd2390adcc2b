package dev.vitrine.protocol.record;

import io.netty.buffer.ByteBuf;

/**
 * Record batches in a buffer, from its reader index to its writer index; neither index is ever
 * moved.
 */
public record MemoryRecords(ByteBuf buffer) implements Records {
  @Override
  public int sizeInBytes() {
    return buffer.readableBytes();
  }

  @Override
  public void writeTo(ByteBuf out) {
    out.writeBytes(buffer, buffer.readerIndex(), buffer.readableBytes());
  }

  @Override
  public void release() {
    buffer.release();
  }
}
