package dev.vitrine.broker.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;

/**
 * Makes Netty read one connection's bytes into the buffers of its {@link FrameAssembler}. How many
 * bytes it offers for the begin of a frame follows what the last reads brought: an idle connection
 * holds nothing, a quiet one takes little. Belongs to its connection's loop.
 */
final class FrameReads extends DefaultMaxMessagesRecvByteBufAllocator {
  private static final int LEAST = 1024;
  private static final int MOST = 64 * 1024;

  private final FrameAssembler frames;

  FrameReads(FrameAssembler frames) {
    this.frames = frames;
  }

  @Override
  public ExtendedHandle newHandle() {
    return new ReadHandle();
  }

  private final class ReadHandle extends MaxMessageHandle {
    private int usualBytes = 2 * LEAST;
    private boolean wasFarLess;

    @Override
    public int guess() {
      return usualBytes;
    }

    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
      return frames.target(allocator, usualBytes);
    }

    @Override
    public void readComplete() {
      int read = totalBytesRead();
      if (read >= usualBytes) {
        usualBytes = Math.min(MOST, usualBytes * 4);
        wasFarLess = false;
      } else if (read > usualBytes / 4) {
        wasFarLess = false;
      } else if (wasFarLess) {
        usualBytes = Math.max(LEAST, usualBytes / 2);
        wasFarLess = false;
      } else {
        wasFarLess = true;
      }
    }
  }
}
