package dev.vitrine.storage;

import dev.vitrine.seam.DiskFile;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An open file of a {@link NioDisk}. Its end is where its one writer left it, so that an append is
 * one system call. Any thread may read and sync; one at a time writes.
 */
final class NioFile implements DiskFile {
  private final FileChannel channel;
  private final AtomicInteger holders = new AtomicInteger(1);
  private volatile Path path;
  private volatile long size;

  NioFile(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
    this.size = NioDisk.io(channel::size);
  }

  @Override
  public Path path() {
    return path;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public void append(ByteBuf bytes) {
    write(size, bytes);
  }

  @Override
  public void write(long position, ByteBuf bytes) {
    long at = position;
    try {
      while (bytes.isReadable()) {
        int n = writeOnce(at, bytes);
        bytes.skipBytes(n);
        at += n;
      }
    } finally {
      size = Math.max(size, at);
    }
  }

  private int writeOnce(long position, ByteBuf bytes) {
    return NioDisk.io(
        () -> {
          if (bytes.nioBufferCount() == 1) {
            return channel.write(
                bytes.nioBuffer(bytes.readerIndex(), bytes.readableBytes()), position);
          }
          // There is no gathered write at a position: set the position, which only writes use.
          channel.position(position);
          return (int) channel.write(bytes.nioBuffers(bytes.readerIndex(), bytes.readableBytes()));
        });
  }

  @Override
  public int read(long position, int length, ByteBuf into) {
    int n = (int) Math.max(0, Math.min(length, size - position));
    if (n == 0) {
      return 0;
    }
    into.ensureWritable(n);
    ByteBuffer target = into.nioBuffer(into.writerIndex(), n);
    return NioDisk.io(
        () -> {
          int done = 0;
          while (target.hasRemaining()) {
            int r = channel.read(target, position + done);
            if (r < 0) {
              break;
            }
            done += r;
          }
          into.writerIndex(into.writerIndex() + done);
          return done;
        });
  }

  /**
   * A copy: without reflection a mapping cannot be given back before the collector finds it, and
   * until then it holds the bytes of a deleted file.
   */
  @Override
  public ByteBuf map(long length) {
    ByteBuf copy = Unpooled.buffer(Math.toIntExact(length));
    if (read(0, (int) length, copy) < length) {
      throw new IllegalArgumentException(path + " has fewer than " + length + " bytes");
    }
    return copy.asReadOnly();
  }

  @Override
  public void truncate(long size) {
    NioDisk.io(() -> channel.truncate(size));
    this.size = Math.min(this.size, size);
  }

  @Override
  public void sync() {
    NioDisk.io(
        () -> {
          channel.force(false);
          return null;
        });
  }

  @Override
  public DiskFile retain() {
    if (holders.getAndUpdate(n -> n > 0 ? n + 1 : n) <= 0) {
      throw new IllegalStateException("closed: " + path);
    }
    return this;
  }

  @Override
  public void release() {
    int left = holders.decrementAndGet();
    if (left < 0) {
      throw new IllegalStateException("released too often: " + path);
    }
    if (left == 0) {
      NioDisk.io(
          () -> {
            channel.close();
            return null;
          });
    }
  }

  @Override
  public FileChannel channel() {
    return channel;
  }

  @Override
  public void renamed(Path path) {
    this.path = path;
  }
}
