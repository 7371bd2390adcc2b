package dev.vitrine.protocol;

import dev.vitrine.protocol.record.MemoryRecords;
import dev.vitrine.protocol.record.Records;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes one frame without copying record bytes: a header and a message into buffers, with the
 * records between them as parts of their own. Takes over one reference of each {@code Records} it
 * is given. Confined to one thread.
 */
public final class FrameWriter extends MessageWriter {
  /** Below this a copy is cheaper than one more part. */
  private static final int COPY_BELOW = 512;

  private final ByteBufAllocator allocator;
  private final List<Object> parts = new ArrayList<>(1);
  private int closedBytes;

  private FrameWriter(ByteBufAllocator allocator, int sizeHint) {
    super(allocator.buffer(Math.max(64, sizeHint)));
    this.allocator = allocator;
    out.writeInt(0);
  }

  /** The frame of a header and a body, each in its version. */
  public static Frame frame(
      ByteBufAllocator allocator,
      ApiMessage header,
      short headerVersion,
      ApiMessage body,
      short bodyVersion) {
    FrameWriter w = new FrameWriter(allocator, 256);
    try {
      header.write(w, headerVersion);
      body.write(w, bodyVersion);
      return w.finish();
    } catch (RuntimeException e) {
      w.parts.add(w.out);
      new Frame(w.parts, 0).release();
      throw e;
    }
  }

  @Override
  public void writeRecords(Records v) {
    int size = v.sizeInBytes();
    if (size < COPY_BELOW) {
      v.writeTo(out);
      v.release();
      return;
    }
    closedBytes += out.readableBytes() + size;
    parts.add(out);
    parts.add(v instanceof MemoryRecords m ? m.buffer() : v);
    out = allocator.buffer(128);
  }

  private Frame finish() {
    int size = closedBytes + out.readableBytes();
    if (out.isReadable()) {
      parts.add(out);
    } else {
      out.release();
    }
    ByteBuf first = (ByteBuf) parts.get(0);
    first.setInt(first.readerIndex(), size - 4);
    return new Frame(parts, size);
  }
}
