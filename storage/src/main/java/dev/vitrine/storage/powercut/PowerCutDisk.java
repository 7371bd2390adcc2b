package dev.vitrine.storage.powercut;

import dev.vitrine.seam.Disk;
import dev.vitrine.seam.DiskFile;
import dev.vitrine.storage.NioDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * The real disk, with a ledger of what was synced, so that {@link PowerCut} can put a dead node's
 * files back to it. Any thread. What it adds to an append is one comparison; to a sync, a line; to
 * a name that is durable and is taken away, a hard link.
 *
 * <p>Paths outside of the roots are none of its business.
 */
public final class PowerCutDisk implements Disk {
  /** Where a node has its ledger, in its own folder. */
  public static final String FOLDER = "synced";

  private final NioDisk real = new NioDisk();
  private final Durable durable;
  private final Names names;

  private PowerCutDisk(Durable durable) {
    this.durable = durable;
    this.names = durable.names();
  }

  /**
   * Goes on with the ledger in this folder. Where there is none, or it does not fit the files, it
   * begins anew: syncs all that is there, and counts it as synced.
   *
   * @param folder of this node alone, on the file system of the roots and not below one of them
   * @param roots {@code log.dirs}
   * @throws UncheckedIOException if the ledger cannot be written, or a power cut of this node has
   *     been interrupted
   */
  public static PowerCutDisk open(Path folder, Collection<Path> roots) {
    LedgerFolder f = new LedgerFolder(folder.toAbsolutePath().normalize(), Steps.ALL);
    io(() -> f.create());
    lock(f);
    return open(f, roots);
  }

  /** For as long as this process lives, or until it is closed. */
  static AutoCloseable lock(LedgerFolder folder) {
    AutoCloseable lock = new NioDisk().tryLock(folder.lock());
    if (lock == null) {
      throw new UncheckedIOException(new IOException(folder.path() + " is in use: its node runs"));
    }
    return lock;
  }

  static PowerCutDisk open(LedgerFolder folder, Collection<Path> roots) {
    List<Path> paths = roots.stream().map(p -> p.toAbsolutePath().normalize()).sorted().toList();
    try {
      return new PowerCutDisk(new LedgerOpening(folder, paths).open());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Lets nothing be left of a ledger that is not kept up any more. */
  public static void forget(Path folder) {
    LedgerFolder f = new LedgerFolder(folder.toAbsolutePath().normalize(), Steps.ALL);
    io(
        () -> {
          if (!Files.exists(f.marker())) {
            Files.deleteIfExists(f.ledger());
            f.deleteAll(f.path());
          }
        });
  }

  // --- for its files ---

  void step() {
    durable.step();
  }

  /** Saves the durable bytes in this range, before they are changed. Holding the file's monitor. */
  void guard(TrackedFile tracked, DiskFile file, long from, long to) {
    io(() -> durable.guard(tracked, file, from, to));
  }

  /** Holding the file's monitor. */
  void sync(TrackedFile tracked, DiskFile file) {
    long[] length = new long[1];
    io(() -> length[0] = file.channel().size());
    // Whoever changes these bytes while the system writes them has to wait.
    tracked.guarded = Math.max(tracked.guarded, length[0]);
    step();
    file.sync();
    synchronized (this) {
      boolean news = tracked.epoch == 0 || tracked.undone || tracked.synced != length[0];
      if (news && (tracked.named || tracked.pins > 0)) {
        io(() -> durable.noteSync(tracked, length[0]));
      }
    }
    tracked.guarded = length[0];
  }

  // --- Disk ---

  private static Path normal(Path path) {
    return path.toAbsolutePath().normalize();
  }

  @Override
  public synchronized DiskFile open(Path path) {
    if (names.parent(normal(path)) == null) {
      return real.open(path);
    }
    step();
    DiskFile file = real.open(path);
    try {
      return new PowerCutFile(this, tracked(normal(path)), file);
    } catch (RuntimeException e) {
      file.release();
      throw e;
    }
  }

  private TrackedFile tracked(Path path) {
    if (names.find(path) instanceof TrackedFile known) {
      return known;
    }
    TrackedFile[] made = new TrackedFile[1];
    io(() -> made[0] = names.newFile(path));
    return made[0];
  }

  @Override
  public synchronized DiskFile openForRead(Path path) {
    DiskFile file = real.openForRead(path);
    return names.find(normal(path)) instanceof TrackedFile tracked
        ? new PowerCutFile(this, tracked, file)
        : file;
  }

  @Override
  public boolean exists(Path path) {
    return real.exists(path);
  }

  @Override
  public boolean isDirectory(Path path) {
    return real.isDirectory(path);
  }

  @Override
  public long size(Path path) {
    return real.size(path);
  }

  @Override
  public long lastModified(Path path) {
    return real.lastModified(path);
  }

  @Override
  public List<Path> list(Path directory) {
    return real.list(directory);
  }

  @Override
  public long usableSpace(Path path) {
    return real.usableSpace(path);
  }

  @Override
  public long totalSpace(Path path) {
    return real.totalSpace(path);
  }

  @Override
  public synchronized AutoCloseable tryLock(Path path) {
    AutoCloseable lock = real.tryLock(path);
    if (lock != null && names.parent(normal(path)) != null) {
      tracked(normal(path));
    }
    return lock;
  }

  @Override
  public synchronized void createDirectories(Path directory) {
    step();
    real.createDirectories(directory);
    noteFolders(normal(directory));
  }

  private void noteFolders(Path path) {
    if (path.getParent() != null && names.find(path) == null) {
      noteFolders(path.getParent());
      if (names.parent(path) != null) {
        io(() -> names.newFolder(path));
      }
    }
  }

  @Override
  public synchronized void rename(Path from, Path to) {
    Path source = normal(from);
    Path target = normal(to);
    TrackedFolder parent = names.parent(source);
    if (parent != names.parent(target)) {
      throw new UnsupportedOperationException("from one directory to another: " + from);
    }
    if (parent == null) {
      real.rename(from, to);
      return;
    }
    Tracked moved = parent.now.get(source.getFileName().toString());
    Tracked replaced = parent.now.get(target.getFileName().toString());
    if (moved == null || moved == replaced || isFull(replaced)) {
      real.rename(from, to);
      return;
    }
    io(
        () -> {
          durable.giveUp(replaced, target);
          step();
          try {
            real.rename(from, to);
          } catch (UncheckedIOException e) {
            durable.takeBack(replaced, target);
            throw e;
          }
          names.remove(parent, source);
          names.put(parent, target, moved);
          if (replaced != null) {
            names.unnamed(replaced);
          }
        });
  }

  /** It cannot be deleted or replaced: the attempt only has to fail as it should. */
  private static boolean isFull(Tracked t) {
    return t instanceof TrackedFolder d && !d.now.isEmpty();
  }

  @Override
  public synchronized void delete(Path path) {
    Path normal = normal(path);
    TrackedFolder parent = names.parent(normal);
    Tracked t = parent == null ? null : parent.now.get(normal.getFileName().toString());
    if (t == null || isFull(t)) {
      real.delete(path);
      return;
    }
    io(
        () -> {
          durable.giveUp(t, normal);
          step();
          try {
            real.delete(path);
          } catch (UncheckedIOException e) {
            durable.takeBack(t, normal);
            throw e;
          }
          names.remove(parent, normal);
          names.unnamed(t);
        });
  }

  @Override
  public void syncDirectory(Path directory) {
    TrackedFolder d;
    synchronized (this) {
      d = names.find(normal(directory)) instanceof TrackedFolder known ? known : null;
    }
    if (d == null) {
      real.syncDirectory(directory);
      return;
    }
    synchronized (d) {
      Map<String, Tracked> changes;
      synchronized (this) {
        changes = durable.takeChanges(d);
      }
      try {
        step();
        real.syncDirectory(directory);
      } catch (RuntimeException e) {
        synchronized (this) {
          io(() -> durable.giveBack(d, changes));
        }
        throw e;
      }
      if (!changes.isEmpty()) {
        synchronized (this) {
          io(() -> durable.noteNames(d, changes));
        }
      }
    }
  }

  private interface IoStep {
    void run() throws IOException;
  }

  private static void io(IoStep step) {
    try {
      step.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
