package dev.vitrine.seam;

import java.nio.file.Path;
import java.util.List;

/**
 * The only way to a file. Every failure is an {@link java.io.UncheckedIOException}; one that says a
 * file is missing has a {@link java.nio.file.NoSuchFileException} as its cause. May be called from
 * any thread; what may block long (sync, deletes, directory syncs, long reads) belongs on a disk
 * worker ({@link Shard#offload}).
 */
public interface Disk {
  /** Opens for reading and writing; creates an empty file if there is none. */
  DiskFile open(Path path);

  /** Opens for reading only; the file must exist. */
  DiskFile openForRead(Path path);

  boolean exists(Path path);

  boolean isDirectory(Path path);

  long size(Path path);

  /** Wall-clock time of the last change, in milliseconds since 1970. */
  long lastModified(Path path);

  /** Creates the directory and the missing ones above it; no error if it is there. */
  void createDirectories(Path directory);

  /** The entries of a directory, sorted by name. */
  List<Path> list(Path directory);

  /** Atomic; replaces {@code to} if it is a file. Durable only after {@link #syncDirectory}. */
  void rename(Path from, Path to);

  /** Deletes a file or an empty directory; no error if it is not there. */
  void delete(Path path);

  /** Makes creations, renames and deletes in this directory durable. */
  void syncDirectory(Path directory);

  /** Bytes free for use where this path is. */
  long usableSpace(Path path);

  /** Bytes in all, free or not, where this path is. */
  long totalSpace(Path path);

  /**
   * Takes the exclusive lock of this file, creating it, until closed.
   *
   * @return null if another process, or this one, has it
   */
  AutoCloseable tryLock(Path path);
}
