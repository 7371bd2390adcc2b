package dev.vitrine.storage;

import dev.vitrine.seam.Disk;
import dev.vitrine.seam.DiskFile;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Makes a log durable, one flush at a time: takes down on the shard what is dirty, syncs it on a
 * disk worker, and moves the recovery point on the shard if nothing was truncated meanwhile.
 * Belongs to its log's owner.
 */
final class LogFlusher {
  /**
   * What one flush syncs; whole and immutable, for a disk worker.
   *
   * @param truncations the log's count when it was taken down
   * @param epochs the lines of the leader-epoch-checkpoint; null if it has not changed
   * @param names files were made, renamed or deleted in the folder
   * @param newFolder the folder itself was made
   */
  private record Work(
      Disk disk,
      Path dir,
      long upTo,
      int truncations,
      List<DiskFile> files,
      List<Path> paths,
      List<String> epochs,
      boolean names,
      boolean newFolder) {
    Void run() {
      files.forEach(DiskFile::sync);
      for (Path p : paths) {
        sync(p);
      }
      if (epochs != null) {
        CheckpointFile.write(disk, dir.resolve(LogFiles.LEADER_EPOCH_CHECKPOINT), epochs);
      }
      if (names) {
        disk.syncDirectory(dir);
      }
      if (newFolder) {
        disk.syncDirectory(dir.toAbsolutePath().getParent());
      }
      return null;
    }

    private void sync(Path p) {
      DiskFile file;
      try {
        file = disk.openForRead(p);
      } catch (UncheckedIOException e) {
        if (e.getCause() instanceof NoSuchFileException) {
          // Its segment was deleted meanwhile: nobody needs it any more.
          return;
        }
        throw e;
      }
      try {
        file.sync();
      } finally {
        file.release();
      }
    }
  }

  private final Log log;
  private final LogContext context;
  private final Set<Path> files = new LinkedHashSet<>();
  private final List<Consumer<Throwable>> waiting = new ArrayList<>();
  private boolean namesChanged;
  private boolean newFolder;
  private Work running;

  LogFlusher(Log log, LogContext context) {
    this.log = log;
    this.context = context;
  }

  /** A small file of the log that was written and is to be synced with the next flush. */
  void written(Path file) {
    files.add(file);
    namesChanged = true;
  }

  /** Files were made, renamed or deleted in the log's folder. */
  void namesChanged() {
    namesChanged = true;
  }

  /** The log's folder itself is new, or may be. */
  void folderIsNew() {
    newFolder = true;
    namesChanged = true;
  }

  boolean isRunning() {
    return running != null;
  }

  /** Whether files or names wait for the next flush, or one is under way. */
  boolean isPending() {
    return running != null || namesChanged || newFolder || !files.isEmpty();
  }

  /**
   * Calls {@code done} on the shard when all that is in the log now is durable (with null), or when
   * it can never be.
   */
  void flush(Consumer<Throwable> done) {
    waiting.add(done);
    if (running == null) {
      start();
    }
  }

  private void start() {
    List<Consumer<Throwable>> mine = List.copyOf(waiting);
    waiting.clear();
    Throwable never = log.isAbandoned() ? new ClosedChannelException() : log.failure();
    if (never != null) {
      mine.forEach(d -> d.accept(never));
      return;
    }
    Work work = takeDown();
    running = work;
    context
        .shard()
        .offload(
            () -> {
              try {
                return work.run();
              } finally {
                work.files.forEach(DiskFile::release);
              }
            },
            (nothing, failure) -> finished(work, failure, mine));
  }

  /**
   * Flushes on this thread, for who may block. What a worker is about to sync is synced here too.
   */
  void flushNow() {
    if (running != null) {
      files.addAll(running.paths);
      namesChanged |= running.names;
      newFolder |= running.newFolder;
      log.markUnsyncedDirty();
      if (running.epochs != null) {
        log.epochs().markDirty();
      }
    }
    Work work = takeDown();
    try {
      work.run();
    } finally {
      work.files.forEach(DiskFile::release);
    }
    log.flushed(work.upTo, work.truncations, null);
  }

  private Work takeDown() {
    List<DiskFile> open = new ArrayList<>();
    List<Path> paths = new ArrayList<>(files);
    files.clear();
    log.takeDirty(open, paths);
    Work work =
        new Work(
            context.disk(),
            log.dir(),
            log.logEndOffset(),
            log.truncations(),
            open,
            paths,
            log.epochs().takeChanges(),
            namesChanged,
            newFolder);
    namesChanged = false;
    newFolder = false;
    return work;
  }

  private void finished(Work work, Throwable failure, List<Consumer<Throwable>> done) {
    running = null;
    log.flushed(work.upTo, work.truncations, failure);
    done.forEach(d -> d.accept(failure));
    if (!waiting.isEmpty()) {
      start();
    }
  }
}
