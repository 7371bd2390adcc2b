package dev.vitrine.storage.powercut;

import dev.vitrine.seam.DiskFile;
import io.netty.buffer.ByteBuf;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * An open file of a {@link PowerCutDisk}. What goes behind all that is durable passes straight
 * through; what changes durable bytes has them saved first.
 */
final class PowerCutFile implements DiskFile {
  private final PowerCutDisk disk;
  private final TrackedFile tracked;
  private final DiskFile file;

  PowerCutFile(PowerCutDisk disk, TrackedFile tracked, DiskFile file) {
    this.disk = disk;
    this.tracked = tracked;
    this.file = file;
  }

  @Override
  public void append(ByteBuf bytes) {
    write(file.size(), bytes);
  }

  @Override
  public void write(long position, ByteBuf bytes) {
    if (position >= tracked.guarded) {
      disk.step();
      file.write(position, bytes);
      return;
    }
    synchronized (tracked) {
      disk.guard(tracked, file, position, position + bytes.readableBytes());
      disk.step();
      file.write(position, bytes);
    }
  }

  @Override
  public void truncate(long size) {
    synchronized (tracked) {
      long guarded = tracked.guarded;
      if (size < guarded) {
        disk.guard(tracked, file, size, guarded);
      }
      disk.step();
      file.truncate(size);
      if (size < guarded) {
        tracked.guarded = size;
      }
    }
  }

  @Override
  public void sync() {
    synchronized (tracked) {
      disk.sync(tracked, file);
    }
  }

  @Override
  public Path path() {
    return file.path();
  }

  @Override
  public long size() {
    return file.size();
  }

  @Override
  public int read(long position, int length, ByteBuf into) {
    return file.read(position, length, into);
  }

  @Override
  public ByteBuf map(long length) {
    return file.map(length);
  }

  @Override
  public DiskFile retain() {
    file.retain();
    return this;
  }

  @Override
  public void release() {
    file.release();
  }

  @Override
  public FileChannel channel() {
    return file.channel();
  }

  @Override
  public void renamed(Path path) {
    file.renamed(path);
  }
}
