package dev.vitrine.sim;

import dev.vitrine.seam.Disk;
import dev.vitrine.seam.DiskFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * Files in memory, with what a power cut would leave of them: bytes are safe only after {@link
 * DiskFile#sync}, the names of files and directories only after {@link Disk#syncDirectory} of the
 * directory that they are in. Everything else {@link #crash} keeps, loses or tears, by the chance
 * it is given. Used by one thread.
 */
public final class SimDisk implements Disk {
  private final LongSupplier clock;
  private final Map<Path, Integer> locks = new HashMap<>();
  private SimDirectory root = new SimDirectory();
  private Predicate<Path> failingSyncs = p -> false;
  private long capacity = Long.MAX_VALUE;
  private long used;
  private int generation;
  private int operationsLeft = Integer.MAX_VALUE;
  private boolean refused;

  /** The process is dead: thrown by everything it still asks of its disk. */
  public static final class Death extends Error {
    private static final long serialVersionUID = 1L;
  }

  /** A disk whose files are all of time 0. */
  public SimDisk() {
    this(() -> 0);
  }

  public SimDisk(LongSupplier clock) {
    this.clock = clock;
  }

  /**
   * The power goes: what was synced stays, of the rest each file and each directory keeps what
   * chance leaves. Handles and locks of before are dead. The disk may be used again at once.
   */
  public void crash(RandomGenerator random) {
    generation++;
    operationsLeft = Integer.MAX_VALUE;
    refused = false;
    locks.clear();
    root.crash(random);
    used = root.sizeOfAll();
  }

  /** The process dies, the kernel lives: handles and locks are dead, all bytes are there. */
  public void killProcess() {
    generation++;
    operationsLeft = Integer.MAX_VALUE;
    refused = false;
    locks.clear();
  }

  /**
   * Lets the process die in the midst of things: after so many changes and syncs more, each throws
   * {@link Death}, until {@link #crash} or {@link #killProcess} or another number is given here.
   */
  public void dieAfter(int operations) {
    operationsLeft = operations;
  }

  /** Syncs of these paths (files and directories) fail from now on. */
  public void failSyncs(Predicate<Path> paths) {
    failingSyncs = paths;
  }

  /** Lets the disk be full beyond so many bytes in all files together. */
  public void capacity(long bytes) {
    capacity = bytes;
  }

  /** Whether the process that uses it now has had a write or a sync fail. */
  public boolean hasRefused() {
    return refused;
  }

  /** Bytes in all files. */
  public long used() {
    return used;
  }

  /** How many bytes of this file a power cut cannot take. */
  public long syncedSize(Path path) {
    return file(path).content.durableSize();
  }

  @Override
  public DiskFile open(Path path) {
    SimDirectory dir = parent(path);
    Object there = dir.entries.get(name(path));
    if (there == null) {
      operation();
      there = new Inode(new SimContent(), clock.getAsLong());
      dir.put(name(path), there);
    }
    return new SimFile(this, path, inode(path, there), true);
  }

  @Override
  public DiskFile openForRead(Path path) {
    return new SimFile(this, path, file(path), false);
  }

  @Override
  public boolean exists(Path path) {
    return find(path) != null;
  }

  @Override
  public boolean isDirectory(Path path) {
    return find(path) instanceof SimDirectory;
  }

  @Override
  public long size(Path path) {
    return file(path).content.size();
  }

  @Override
  public long lastModified(Path path) {
    return find(path) instanceof SimDirectory ? 0 : file(path).modified;
  }

  /** Sets what {@link #lastModified} says. */
  public void lastModified(Path path, long ms) {
    file(path).modified = ms;
  }

  @Override
  public void createDirectories(Path directory) {
    operation();
    SimDirectory at = root;
    for (Path name : directory.toAbsolutePath().normalize()) {
      Object next = at.entries.get(name.toString());
      if (next == null) {
        next = new SimDirectory();
        at.put(name.toString(), next);
      }
      if (!(next instanceof SimDirectory d)) {
        throw error(new IOException("not a directory: " + name + " of " + directory));
      }
      at = d;
    }
  }

  @Override
  public List<Path> list(Path directory) {
    if (!(find(directory) instanceof SimDirectory d)) {
      throw error(new NoSuchFileException(directory.toString()));
    }
    List<Path> out = new ArrayList<>();
    d.entries.keySet().forEach(n -> out.add(directory.resolve(n)));
    return out;
  }

  @Override
  public void rename(Path from, Path to) {
    operation();
    SimDirectory dir = parent(from);
    if (dir != parent(to)) {
      throw new UnsupportedOperationException("from one directory to another: " + from);
    }
    if (find(from) == null) {
      throw error(new NoSuchFileException(from.toString()));
    }
    if (find(to) instanceof SimDirectory d && !d.entries.isEmpty()) {
      throw error(new DirectoryNotEmptyException(to.toString()));
    }
    if (find(to) instanceof Inode replaced && !from.equals(to)) {
      used -= replaced.content.size();
    }
    dir.rename(name(from), name(to));
  }

  @Override
  public void delete(Path path) {
    operation();
    Object there = find(path);
    if (there == null) {
      return;
    }
    if (there instanceof SimDirectory d && !d.entries.isEmpty()) {
      throw error(new DirectoryNotEmptyException(path.toString()));
    }
    if (there instanceof Inode inode) {
      used -= inode.content.size();
    }
    parent(path).remove(name(path));
  }

  @Override
  public void syncDirectory(Path directory) {
    operation();
    if (!(find(directory) instanceof SimDirectory d)) {
      throw error(new NoSuchFileException(directory.toString()));
    }
    if (syncFails(directory)) {
      throw error(new IOException("Input/output error"));
    }
    d.sync();
  }

  @Override
  public long usableSpace(Path path) {
    return Math.max(0, capacity - used);
  }

  @Override
  public long totalSpace(Path path) {
    return capacity;
  }

  @Override
  public AutoCloseable tryLock(Path path) {
    open(path).release();
    if (locks.putIfAbsent(path, generation) != null) {
      return null;
    }
    int mine = generation;
    return () -> locks.remove(path, mine);
  }

  // --- for SimFile ---

  /** One more change or sync. */
  void operation() {
    if (operationsLeft == 0) {
      throw new Death();
    }
    operationsLeft--;
  }

  int generation() {
    return generation;
  }

  long clock() {
    return clock.getAsLong();
  }

  /** Whether the sync that is asked for now fails. */
  boolean syncFails(Path path) {
    boolean fails = failingSyncs.test(path);
    refused |= fails;
    return fails;
  }

  /** How many of {@code bytes} more still fit. */
  long reserve(long bytes) {
    long fit = Math.max(0, Math.min(bytes, capacity - used));
    used += fit;
    refused |= fit < bytes;
    return fit;
  }

  void freed(long bytes) {
    used -= bytes;
  }

  static UncheckedIOException error(IOException e) {
    return new UncheckedIOException(e);
  }

  // --- the tree ---

  /** What a name stands for when it is a file. Outlives its name while it is open. */
  static final class Inode {
    final SimContent content;
    long modified;

    Inode(SimContent content, long modified) {
      this.content = content;
      this.modified = modified;
    }
  }

  private Inode file(Path path) {
    Object there = find(path);
    if (there == null) {
      throw error(new NoSuchFileException(path.toString()));
    }
    return inode(path, there);
  }

  private static Inode inode(Path path, Object there) {
    if (there instanceof Inode inode) {
      return inode;
    }
    throw error(new IOException("Is a directory: " + path));
  }

  private SimDirectory parent(Path path) {
    Path dir = path.toAbsolutePath().normalize().getParent();
    if (find(dir) instanceof SimDirectory d) {
      return d;
    }
    throw error(new NoSuchFileException(path.toString()));
  }

  private static String name(Path path) {
    return path.getFileName().toString();
  }

  /** A {@link SimDirectory}, an {@link Inode}, or null. */
  private Object find(Path path) {
    Object at = root;
    for (Path name : path.toAbsolutePath().normalize()) {
      if (!(at instanceof SimDirectory d)) {
        return null;
      }
      at = d.entries.get(name.toString());
    }
    return at;
  }
}
