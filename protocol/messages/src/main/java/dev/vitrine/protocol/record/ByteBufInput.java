package dev.vitrine.protocol.record;

import io.netty.buffer.ByteBuf;
import java.io.InputStream;

/** A region of a buffer as a stream; moves no index of the buffer. Confined to one thread. */
final class ByteBufInput extends InputStream {
  private final ByteBuf in;
  private final int limit;
  private int position;

  ByteBufInput(ByteBuf in, int index, int length) {
    this.in = in;
    this.position = index;
    this.limit = index + length;
  }

  @Override
  public int read() {
    return position == limit ? -1 : in.getByte(position++) & 0xff;
  }

  @Override
  public int read(byte[] b, int off, int len) {
    if (len == 0) {
      return 0;
    }
    if (position == limit) {
      return -1;
    }
    int n = Math.min(len, limit - position);
    in.getBytes(position, b, off, n);
    position += n;
    return n;
  }

  @Override
  public long skip(long n) {
    int k = (int) Math.max(0, Math.min(n, limit - position));
    position += k;
    return k;
  }

  @Override
  public int available() {
    return limit - position;
  }
}
