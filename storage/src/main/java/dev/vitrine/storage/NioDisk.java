package dev.vitrine.storage;

import dev.vitrine.seam.Disk;
import dev.vitrine.seam.DiskFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/** The real disk. Stateless; any thread. */
public final class NioDisk implements Disk {
  @Override
  public DiskFile open(Path path) {
    return io(
        () ->
            new NioFile(
                path,
                FileChannel.open(
                    path,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE)));
  }

  @Override
  public DiskFile openForRead(Path path) {
    return io(() -> new NioFile(path, FileChannel.open(path, StandardOpenOption.READ)));
  }

  @Override
  public boolean exists(Path path) {
    return Files.exists(path);
  }

  @Override
  public boolean isDirectory(Path path) {
    return Files.isDirectory(path);
  }

  @Override
  public long size(Path path) {
    return io(() -> Files.size(path));
  }

  @Override
  public long lastModified(Path path) {
    return io(() -> Files.getLastModifiedTime(path).toMillis());
  }

  @Override
  public void createDirectories(Path directory) {
    io(() -> Files.createDirectories(directory));
  }

  @Override
  public List<Path> list(Path directory) {
    return io(
        () -> {
          try (Stream<Path> entries = Files.list(directory)) {
            return entries.sorted().toList();
          } catch (UncheckedIOException e) {
            throw e.getCause();
          }
        });
  }

  @Override
  public void rename(Path from, Path to) {
    io(() -> Files.move(from, to, StandardCopyOption.ATOMIC_MOVE));
  }

  @Override
  public void delete(Path path) {
    io(() -> Files.deleteIfExists(path));
  }

  @Override
  public void syncDirectory(Path directory) {
    io(
        () -> {
          try (FileChannel d = FileChannel.open(directory, StandardOpenOption.READ)) {
            d.force(true);
          }
          return null;
        });
  }

  @Override
  public long usableSpace(Path path) {
    return io(() -> Files.getFileStore(path).getUsableSpace());
  }

  @Override
  public long totalSpace(Path path) {
    return io(() -> Files.getFileStore(path).getTotalSpace());
  }

  @Override
  public AutoCloseable tryLock(Path path) {
    return io(
        () -> {
          FileChannel channel =
              FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          FileLock lock = null;
          try {
            lock = channel.tryLock();
          } catch (OverlappingFileLockException e) {
            // This process has it.
          }
          if (lock == null) {
            channel.close();
            return null;
          }
          return channel;
        });
  }

  /** A step that may fail as files do. */
  interface IoStep<T> {
    T run() throws IOException;
  }

  static <T> T io(IoStep<T> step) {
    try {
      return step.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
