package dev.vitrine.protocol.record;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.InputStream;

/**
 * Reads snappy in the framing of snappy-java (16 bytes of header, then blocks with a four-byte
 * length), and a single raw block as some clients send. A class of its own because snappy-java's
 * stream allocates whatever length the input claims before it has seen one byte of it; here a block
 * must be there, and may claim no more than snappy can expand it to. Confined to one thread.
 */
final class SnappyInput extends InputStream {
  private static final byte[] MAGIC = {(byte) 0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0};
  private static final int HEADER_SIZE = 16;

  /** A copy element of three bytes makes at most 64. */
  private static final int MAX_EXPANSION = 22;

  private static final byte[] NOTHING = {};

  private final ByteBuf in;
  private final int limit;
  private int position;
  private boolean raw;
  private byte[] block = NOTHING;
  private byte[] out = NOTHING;
  private int outPosition;
  private int outLimit;

  SnappyInput(ByteBuf in, int index, int length) throws IOException {
    this.in = in;
    this.position = index;
    this.limit = index + length;
    if (length >= HEADER_SIZE && startsWithMagic()) {
      position += HEADER_SIZE;
    } else if (length == 0) {
      throw new IOException("empty snappy stream");
    } else {
      raw = true;
    }
  }

  private boolean startsWithMagic() {
    for (int i = 0; i < MAGIC.length; i++) {
      if (in.getByte(position + i) != MAGIC[i]) {
        return false;
      }
    }
    return true;
  }

  @Override
  public int read() throws IOException {
    while (outPosition == outLimit) {
      if (!nextBlock()) {
        return -1;
      }
    }
    return out[outPosition++] & 0xff;
  }

  @Override
  public int read(byte[] b, int off, int len) throws IOException {
    if (len == 0) {
      return 0;
    }
    while (outPosition == outLimit) {
      if (!nextBlock()) {
        return -1;
      }
    }
    int n = Math.min(len, outLimit - outPosition);
    System.arraycopy(out, outPosition, b, off, n);
    outPosition += n;
    return n;
  }

  private boolean nextBlock() throws IOException {
    // Streams may be concatenated: another header instead of a length.
    while (!raw && limit - position >= HEADER_SIZE && startsWithMagic()) {
      position += HEADER_SIZE;
    }
    int remaining = limit - position;
    if (remaining == 0) {
      return false;
    }
    int size;
    if (raw) {
      size = remaining;
    } else if (remaining < 4) {
      throw new IOException("the bytes end within a snappy block length");
    } else {
      size = in.getInt(position);
      position += 4;
      if (size < 0 || size > limit - position) {
        throw new IOException("a snappy block of " + size + " bytes, but there are fewer");
      }
    }
    if (block.length < size) {
      block = new byte[Math.max(size, Math.min(2 * block.length, 64 * 1024))];
    }
    in.getBytes(position, block, 0, size);
    position += size;
    int claimed = SnappyCodec.uncompressedLength(block, size);
    if (claimed < 0 || claimed > (long) size * MAX_EXPANSION) {
      throw new IOException("a snappy block of " + size + " bytes claims to expand to " + claimed);
    }
    if (out.length < claimed) {
      out = new byte[claimed];
    }
    outPosition = 0;
    outLimit = SnappyCodec.uncompress(block, size, out);
    return true;
  }
}
