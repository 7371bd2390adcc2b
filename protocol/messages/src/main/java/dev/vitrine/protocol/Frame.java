package dev.vitrine.protocol;

import dev.vitrine.protocol.record.Records;
import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * One outgoing frame, its four-byte length included, as parts in order: each a {@link ByteBuf} or
 * {@link Records} that are not in memory. Whoever sends it releases every part.
 */
public record Frame(List<Object> parts, int sizeInBytes) {
  /**
   * Copies all parts to {@code out} and releases them. For whoever has no use for the parts: the
   * simulated network.
   */
  public void drainTo(ByteBuf out) {
    for (Object part : parts) {
      if (part instanceof ByteBuf b) {
        out.writeBytes(b, b.readerIndex(), b.readableBytes());
        b.release();
      } else {
        Records r = (Records) part;
        r.writeTo(out);
        r.release();
      }
    }
  }

  public void release() {
    for (Object part : parts) {
      if (part instanceof ByteBuf b) {
        b.release();
      } else {
        ((Records) part).release();
      }
    }
  }
}
