package dev.vitrine.seam;

import io.netty.buffer.ByteBuf;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * An open file, counted by reference: it is closed when the last holder has released it, so that
 * bytes on their way to a socket stay readable while their segment is deleted. Positions are bytes
 * from the start.
 */
public interface DiskFile {
  Path path();

  long size();

  /**
   * Writes all readable bytes at the end and moves the reader index past them; all or, with an
   * error, a part of them.
   */
  void append(ByteBuf bytes);

  /** Writes all readable bytes at the position. */
  void write(long position, ByteBuf bytes);

  /**
   * Appends up to {@code length} bytes from {@code position} to {@code into}; returns how many, 0
   * at the end.
   */
  int read(long position, int length, ByteBuf into);

  /**
   * The first {@code length} bytes, read-only: mapped where the system can, otherwise a copy.
   * Release it after use.
   */
  ByteBuf map(long length);

  void truncate(long size);

  /**
   * Returns when all that was written is durable. A failed sync is final: what was not durable then
   * is not known.
   */
  void sync();

  /** One more holder. */
  DiskFile retain();

  /** One holder fewer; the last one closes it. */
  void release();

  /** For {@code sendfile}; null where there is no such thing. */
  FileChannel channel();

  /** The path after the file was renamed under its holders. */
  void renamed(Path path);
}
