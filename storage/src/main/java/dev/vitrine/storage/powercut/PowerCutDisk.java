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
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The real disk, with a ledger of what was synced, so that {@link PowerCut} can put a dead node's
 * files back to it. Any thread. What it adds to an append is one comparison; to a sync, a line; to
 * a name that is durable and is taken away, a hard link.
 *
 * <p>The order of the steps is what makes the ledger right when the process dies between two of
 * them. Of what happens to files the ledger says nothing: the file system shows that. It says only
 * what is durable, after the system has made it so and before anyone is told; and nothing durable
 * is taken from a file or a folder before it is saved (a copy of the bytes, a hard link to the
 * file). What was saved goes only after the line that makes it needless. It must never throw away
 * what the ledger still counts on.
 *
 * <p>Paths outside of the roots are none of its business.
 */
public final class PowerCutDisk implements Disk {
  private static final Logger LOG = LoggerFactory.getLogger(PowerCutDisk.class);

  /** Where a node has its ledger, in its own folder. */
  public static final String FOLDER = "synced";

  private final NioDisk real = new NioDisk();
  private final LedgerFolder folder;
  private final Ledger ledger;
  private final Names names;

  private PowerCutDisk(LedgerFolder folder) {
    this.folder = folder;
    this.ledger = new Ledger(folder);
    this.names = new Names(folder);
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
      if (Files.exists(folder.marker())) {
        throw new IOException(
            "a power cut of this node was interrupted ("
                + folder.marker()
                + "): `vitrine power-cut` finishes it");
      }
      folder.create();
      for (Path path : paths) {
        Files.createDirectories(path);
      }
      PowerCutDisk disk = new PowerCutDisk(folder);
      try {
        disk.names.takeOver(LedgerText.read(folder), paths);
      } catch (LedgerException e) {
        if (Files.exists(folder.ledger())) {
          LOG.warn("The ledger of power cuts is of no use, and begins anew: {}", e.getMessage());
        }
        disk = new PowerCutDisk(folder);
        disk.beginAnew(paths);
      }
      disk.ledger.rewrite(disk.names.roots(), disk.names.known().values());
      return disk;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (LedgerException e) {
      throw new UncheckedIOException(new IOException(e.getMessage(), e));
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

  private void beginAnew(List<Path> paths) throws IOException, LedgerException {
    folder.delete(folder.ledger());
    folder.deleteAll(folder.kept());
    folder.deleteAll(folder.undo());
    folder.create();
    for (Path path : paths) {
      syncAll(path);
      names.adopt(path);
    }
    for (Tracked t : names.known().values()) {
      if (t instanceof TrackedFile f) {
        f.epoch = 1;
      }
    }
    for (Path path : paths) {
      sizes(path, names.roots().get(path));
    }
  }

  private void syncAll(Path path) throws IOException {
    if (Files.isDirectory(path)) {
      for (Path entry : LedgerFolder.list(path)) {
        syncAll(entry);
      }
      real.syncDirectory(path);
    } else {
      DiskFile file = real.openForRead(path);
      file.sync();
      file.release();
    }
  }

  private static void sizes(Path path, TrackedFolder at) throws IOException {
    for (Map.Entry<String, Tracked> e : at.now.entrySet()) {
      Path entry = path.resolve(e.getKey());
      if (e.getValue() instanceof TrackedFile f) {
        f.synced = Files.size(entry);
        f.guarded = f.synced;
      } else {
        sizes(entry, (TrackedFolder) e.getValue());
      }
    }
  }

  // --- for its files ---

  void step() {
    folder.steps().next();
  }

  /** Saves the durable bytes in this range, before they are changed. Holding the file's monitor. */
  void guard(TrackedFile tracked, DiskFile file, long from, long to) {
    io(
        () -> {
          // What the handle takes for the size may be older than what another one wrote.
          long end = Math.min(Math.min(to, tracked.guarded), file.channel().size());
          if (from < end) {
            tracked.undone = true;
            UndoFile.save(folder, folder.undo(tracked), file.channel(), from, end);
          }
        });
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
        io(() -> noteSync(tracked, length[0]));
      }
    }
    tracked.guarded = length[0];
  }

  private void noteSync(TrackedFile tracked, long length) throws IOException {
    Path undo = folder.undo(tracked);
    tracked.synced = length;
    tracked.epoch++;
    append(LedgerText.synced(tracked));
    if (tracked.undone) {
      folder.delete(undo);
      tracked.undone = false;
    }
  }

  private void append(String line) throws IOException {
    ledger.append(line);
    if (ledger.hasGrown()) {
      ledger.rewrite(names.roots(), names.known().values());
    }
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
          giveUp(replaced, target);
          step();
          try {
            real.rename(from, to);
          } catch (UncheckedIOException e) {
            takeBack(replaced, target);
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

  /** What has to be done before a name is taken away. */
  private void giveUp(Tracked t, Path name) throws IOException {
    if (t instanceof TrackedFile f && f.pins > 0) {
      folder.keep(f, name);
    } else if (t instanceof TrackedFile f && f.epoch > 0) {
      append(LedgerText.gone(f));
    } else if (t instanceof TrackedFolder d && (d.pins > 0 || d.written)) {
      append(LedgerText.gone(d));
      d.inode = 0;
    }
  }

  /** It has its name still. */
  private void takeBack(Tracked t, Path name) throws IOException {
    if (t instanceof TrackedFolder d && d.inode == 0) {
      d.inode = LedgerFolder.inode(name);
      ledger.append(LedgerText.names(d, d.durable));
      for (Tracked child : d.durable.values()) {
        takeBack(child);
      }
    } else if (t != null) {
      takeBack(t);
    }
  }

  private void takeBack(Tracked t) throws IOException {
    if (t instanceof TrackedFile f && f.epoch > 0) {
      ledger.append(LedgerText.synced(f));
    }
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
          giveUp(t, normal);
          step();
          try {
            real.delete(path);
          } catch (UncheckedIOException e) {
            takeBack(t, normal);
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
      Map<String, Tracked> changes = takeChanges(d);
      try {
        step();
        real.syncDirectory(directory);
      } catch (RuntimeException e) {
        giveBack(d, changes);
        throw e;
      }
      if (!changes.isEmpty()) {
        noteNames(d, changes);
      }
    }
  }

  /** What the names are now; from here on nothing of it is let go. */
  private synchronized Map<String, Tracked> takeChanges(TrackedFolder d) {
    Map<String, Tracked> changes = new TreeMap<>();
    for (String name : d.changed) {
      Tracked t = d.now.get(name);
      if (t != d.durable.get(name)) {
        changes.put(name, t);
        if (t != null) {
          t.pins++;
        }
      }
    }
    d.changed.clear();
    return changes;
  }

  private synchronized void giveBack(TrackedFolder d, Map<String, Tracked> changes) {
    d.changed.addAll(changes.keySet());
    io(
        () -> {
          for (Tracked t : changes.values()) {
            if (t != null) {
              names.unpin(t);
            }
          }
        });
  }

  private synchronized void noteNames(TrackedFolder d, Map<String, Tracked> changes) {
    io(
        () -> {
          d.written = true;
          ledger.append(LedgerText.names(d, changes));
          Map<String, Tracked> before = new TreeMap<>();
          changes.forEach(
              (name, t) -> {
                Tracked was = t == null ? d.durable.remove(name) : d.durable.put(name, t);
                if (was != null) {
                  before.put(name, was);
                }
              });
          for (Tracked was : before.values()) {
            names.unpin(was);
          }
          if (ledger.hasGrown()) {
            ledger.rewrite(names.roots(), names.known().values());
          }
        });
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
