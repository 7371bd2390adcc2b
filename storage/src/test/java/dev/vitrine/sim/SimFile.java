package dev.vitrine.sim;

import dev.vitrine.seam.DiskFile;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.Path;

/** A handle to a file of a {@link SimDisk}; dead once released by all or after a crash. */
final class SimFile implements DiskFile {
  private final SimDisk disk;
  private final SimDisk.Inode inode;
  private final boolean writable;
  private final int generation;
  private Path path;
  private int holders = 1;

  SimFile(SimDisk disk, Path path, SimDisk.Inode inode, boolean writable) {
    this.disk = disk;
    this.path = path;
    this.inode = inode;
    this.writable = writable;
    this.generation = disk.generation();
  }

  @Override
  public Path path() {
    return path;
  }

  @Override
  public long size() {
    checkOpen();
    return inode.content.size();
  }

  @Override
  public void append(ByteBuf bytes) {
    write(inode.content.size(), bytes);
  }

  @Override
  public void write(long position, ByteBuf bytes) {
    checkWritable();
    int n = bytes.readableBytes();
    long grows = Math.max(0, position + n - inode.content.size());
    long fits = disk.reserve(grows);
    byte[] b = new byte[(int) Math.max(0, n - (grows - fits))];
    bytes.readBytes(b);
    if (b.length > 0) {
      inode.content.write(Math.toIntExact(position), b);
      inode.modified = disk.clock();
    }
    if (fits < grows) {
      throw SimDisk.error(new IOException("No space left on device"));
    }
  }

  @Override
  public int read(long position, int length, ByteBuf into) {
    checkOpen();
    int n = (int) Math.max(0, Math.min(length, inode.content.size() - position));
    if (n > 0) {
      into.writeBytes(inode.content.bytes(), (int) position, n);
    }
    return n;
  }

  @Override
  public ByteBuf map(long length) {
    ByteBuf copy = Unpooled.buffer((int) length);
    if (read(0, (int) length, copy) < length) {
      throw new IllegalArgumentException(path + " has fewer than " + length + " bytes");
    }
    return copy.asReadOnly();
  }

  @Override
  public void truncate(long size) {
    checkWritable();
    long cut = Math.max(0, inode.content.size() - size);
    inode.content.truncate(Math.toIntExact(size));
    disk.freed(cut);
    inode.modified = disk.clock();
  }

  @Override
  public void sync() {
    checkOpen();
    disk.operation();
    if (disk.syncFails(path)) {
      inode.content.syncFailed();
      throw SimDisk.error(new IOException("Input/output error"));
    }
    inode.content.sync();
  }

  @Override
  public DiskFile retain() {
    if (holders <= 0) {
      throw new IllegalStateException("closed: " + path);
    }
    holders++;
    return this;
  }

  @Override
  public void release() {
    if (holders <= 0) {
      throw new IllegalStateException("released too often: " + path);
    }
    holders--;
  }

  @Override
  public FileChannel channel() {
    return null;
  }

  @Override
  public void renamed(Path path) {
    this.path = path;
  }

  private void checkWritable() {
    checkOpen();
    disk.operation();
    if (!writable) {
      throw new NonWritableChannelException();
    }
  }

  private void checkOpen() {
    if (holders <= 0 || generation != disk.generation()) {
      throw SimDisk.error(new ClosedChannelException());
    }
  }
}
