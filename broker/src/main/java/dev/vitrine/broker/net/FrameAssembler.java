package dev.vitrine.broker.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Cuts the bytes of one connection into frames, each in one contiguous buffer. It also says which
 * buffer the next bytes are to be read into: what is missing of a begun frame is read from the
 * socket straight to its place. That buffer grows with the bytes that have arrived, never with the
 * length that a peer claims. Belongs to its connection's loop.
 */
final class FrameAssembler {
  private static final int LENGTH_BYTES = 4;
  private static final int FIRST_STEP = 64 * 1024;

  private final int maxFrameBytes;

  /** What has arrived and is not delivered yet; null when there is nothing. */
  private ByteBuf in;

  FrameAssembler(int maxFrameBytes) {
    // The length must fit beside the bytes in one buffer.
    this.maxFrameBytes = Math.min(maxFrameBytes, Integer.MAX_VALUE - 64);
  }

  /**
   * A buffer with room to read into, of which the caller owns one reference; to be given to {@link
   * #arrived}, or released.
   */
  ByteBuf target(ByteBufAllocator allocator, int usualBytes) {
    if (in == null) {
      return allocator.directBuffer(usualBytes);
    }
    int have = in.readableBytes();
    long missing = missing(have);
    long want = missing > 0 ? missing : usualBytes;
    int room = in.capacity() - in.writerIndex();
    boolean own = in.readerIndex() == 0 && in.refCnt() == 1;
    if (room >= want || room > 0 && own) {
      return in.retain();
    }
    // Earlier frames live in this buffer, or it is full: the begun frame moves to one of its own.
    int step = (int) Math.min(want, Math.max(FIRST_STEP, 3L * have));
    ByteBuf larger = allocator.directBuffer(have + step, Integer.MAX_VALUE);
    larger.writeBytes(in, in.readerIndex(), have);
    in.release();
    in = larger;
    return in.retain();
  }

  private long missing(int have) {
    if (have < LENGTH_BYTES) {
      return LENGTH_BYTES - have;
    }
    return (long) LENGTH_BYTES + in.getInt(in.readerIndex()) - have;
  }

  /** Takes over the bytes: those of {@link #target}'s buffer, or any others. */
  void arrived(ByteBuf bytes) {
    if (bytes == in) {
      bytes.release();
    } else if (in == null) {
      in = bytes;
    } else {
      ByteBuf both = bytes.alloc().directBuffer(in.readableBytes() + bytes.readableBytes());
      both.writeBytes(in).writeBytes(bytes);
      in.release();
      bytes.release();
      in = both;
    }
  }

  /** Whether {@link #next} would return a frame, or throw. */
  boolean hasNext() {
    if (in == null || in.readableBytes() < LENGTH_BYTES) {
      return false;
    }
    int length = in.getInt(in.readerIndex());
    return length < 0 || length > maxFrameBytes || in.readableBytes() - LENGTH_BYTES >= length;
  }

  /** The next whole frame without its length, owned by the caller; null if it is not whole yet. */
  ByteBuf next() throws InvalidFrameException {
    if (in == null) {
      return null;
    }
    int have = in.readableBytes();
    if (have < LENGTH_BYTES) {
      if (have == 0) {
        close();
      }
      return null;
    }
    int length = in.getInt(in.readerIndex());
    if (length < 0) {
      throw InvalidFrameException.negative(length);
    }
    if (length > maxFrameBytes) {
      throw InvalidFrameException.tooLarge(length, maxFrameBytes);
    }
    if (have - LENGTH_BYTES < length) {
      return null;
    }
    in.skipBytes(LENGTH_BYTES);
    if (have - LENGTH_BYTES > length) {
      return in.readRetainedSlice(length);
    }
    ByteBuf frame = in;
    in = null;
    return frame;
  }

  /** Forgets what has arrived. */
  void close() {
    if (in != null) {
      in.release();
      in = null;
    }
  }
}
