package dev.vitrine.storage.powercut;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * Puts the files of a dead node back to what a power cut would have left: each file to what was
 * synced of it, each folder to the names that were synced. Never to be used while the node runs.
 *
 * <p>May be interrupted at any step and done again: all files that stay are first given a second
 * name in the ledger's folder where they are not where they belong, contents are changed only in
 * ways that may be repeated, and the ledger that says how it was goes last. Until then a marker
 * keeps the node from starting.
 */
public final class PowerCut {
  private static final int BLOCK = 4096;

  private final LedgerFolder folder;
  private final LedgerText.Content content;
  private final boolean torn;
  private final RandomGenerator random;
  private final Map<Long, Path> byInode = new HashMap<>();
  private final Map<TrackedFile, Path> durable = new LinkedHashMap<>();
  private final Set<TrackedFolder> folders = new HashSet<>();

  private PowerCut(LedgerFolder folder, LedgerText.Content content, boolean torn, long seed) {
    this.folder = folder;
    this.content = content;
    this.torn = torn;
    this.random = new SplittableRandom(seed);
  }

  /**
   * @param folder where the node's {@link PowerCutDisk} kept its ledger
   * @param torn whether a random part of what was appended since the last sync stays in each file,
   *     perhaps with a block of it lost or wrong
   * @param seed for that part
   * @return what was lost
   * @throws LedgerException if it is not known what was synced; nothing was changed then
   */
  public static Losses run(Path folder, boolean torn, long seed)
      throws LedgerException, IOException {
    LedgerFolder f = new LedgerFolder(folder.toAbsolutePath().normalize(), Steps.ALL);
    LedgerText.read(f);
    AutoCloseable lock = PowerCutDisk.lock(f);
    try {
      return run(f, torn, seed);
    } finally {
      unlock(lock);
    }
  }

  private static void unlock(AutoCloseable lock) throws IOException {
    try {
      lock.close();
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  /**
   * Whether there is a ledger to go by; also while the node runs.
   *
   * @throws LedgerException saying why not
   */
  public static void check(Path folder) throws LedgerException, IOException {
    LedgerText.read(new LedgerFolder(folder.toAbsolutePath().normalize(), Steps.ALL));
  }

  static Losses run(LedgerFolder folder, boolean torn, long seed)
      throws LedgerException, IOException {
    return new PowerCut(folder, LedgerText.read(folder), torn, seed).run(seed);
  }

  /**
   * Whether a process has this ledger open: one that runs, or one that was killed and has not ended
   * yet in all its threads.
   */
  public static boolean isInUse(Path folder) throws IOException {
    LedgerFolder f = new LedgerFolder(folder.toAbsolutePath().normalize(), Steps.ALL);
    if (!Files.exists(f.lock())) {
      return false;
    }
    try {
      unlock(PowerCutDisk.lock(f));
      return false;
    } catch (UncheckedIOException e) {
      return true;
    }
  }

  private Losses run(long seed) throws LedgerException, IOException {
    for (Map.Entry<Path, TrackedFolder> root : content.roots.entrySet()) {
      find(root.getKey());
      collect(root.getKey(), root.getValue());
    }
    for (TrackedFile f : durable.keySet()) {
      check(f);
    }
    Losses losses = new Losses(content.roots.keySet(), torn);
    losses.before();
    mark(seed);
    for (TrackedFile f : durable.keySet()) {
      restore(f, losses);
    }
    keepMisplaced();
    for (Map.Entry<Path, TrackedFolder> root : content.roots.entrySet()) {
      place(root.getKey(), root.getValue(), losses);
    }
    finish();
    losses.after();
    return losses;
  }

  private void mark(long seed) throws IOException {
    folder.steps().next();
    Files.writeString(
        folder.marker(), "seed " + seed + (torn ? " torn\n" : "\n"), StandardCharsets.UTF_8);
  }

  /** Where every file is now. */
  private void find(Path path) throws IOException {
    for (Path entry : LedgerFolder.list(path)) {
      if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
        find(entry);
      } else {
        byInode.put(LedgerFolder.inode(entry), entry);
      }
    }
  }

  /** Where every durable file belongs. */
  private void collect(Path path, TrackedFolder at) {
    folders.add(at);
    at.durable.forEach(
        (name, t) -> {
          if (t instanceof TrackedFile f) {
            durable.put(f, path.resolve(name));
          } else {
            collect(path.resolve(name), (TrackedFolder) t);
          }
        });
  }

  private void check(TrackedFile f) throws LedgerException, IOException {
    Path at = Files.exists(folder.kept(f)) ? folder.kept(f) : byInode.get(f.inode);
    if (at == null) {
      throw new LedgerException(
          "the ledger does not fit the files: " + durable.get(f) + " cannot be found");
    }
    if (LedgerFolder.inode(at) != f.inode) {
      throw new LedgerException("the ledger does not fit the files: " + at + " is another one");
    }
    f.kept = at.equals(folder.kept(f));
    f.undone = Files.exists(folder.undo(f));
    if (!f.undone && Files.size(at) < f.synced) {
      throw new LedgerException(
          "the ledger does not fit the files: " + at + " is shorter than " + f.synced + " bytes");
    }
    byInode.put(f.inode, at);
  }

  private void restore(TrackedFile f, Losses losses) throws LedgerException, IOException {
    Path at = byInode.get(f.inode);
    try (FileChannel file =
        FileChannel.open(at, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      long size = file.size();
      if (torn && f.undone && random.nextBoolean()) {
        return; // all of it had reached the disk, as luck would have it
      }
      if (f.undone) {
        UndoFile.apply(folder, folder.undo(f), file);
        losses.fellBack(durable.get(f));
      }
      long kept = f.synced;
      if (torn && !f.undone && size > f.synced) {
        kept += random.nextLong(size - f.synced + 1);
      }
      if (file.size() > kept) {
        folder.steps().next();
        file.truncate(kept);
        losses.bytes(durable.get(f), size - kept);
      }
      if (kept > f.synced && random.nextInt(3) == 0) {
        spoil(file, f.synced, kept);
      }
    }
  }

  /** A block that was on its way to the disk: not written, or half of something else. */
  private void spoil(FileChannel file, long from, long to) throws IOException {
    long start = from + random.nextLong(to - from);
    byte[] block = new byte[(int) Math.min(BLOCK - start % BLOCK, to - start)];
    if (random.nextBoolean()) {
      random.nextBytes(block);
    }
    folder.steps().next();
    ByteBuffer bytes = ByteBuffer.wrap(block);
    while (bytes.hasRemaining()) {
      file.write(bytes, start + bytes.position());
    }
  }

  /** From here on every file that stays has a name that nothing below takes away. */
  private void keepMisplaced() throws IOException {
    for (Map.Entry<TrackedFile, Path> e : durable.entrySet()) {
      TrackedFile f = e.getKey();
      if (!isAt(f, e.getValue())) {
        folder.keep(f, byInode.get(f.inode));
      }
    }
  }

  private static boolean isAt(TrackedFile f, Path path) throws IOException {
    return Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
        && LedgerFolder.inode(path) == f.inode;
  }

  private void place(Path path, TrackedFolder at, Losses losses) throws IOException {
    if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      folder.delete(path);
      folder.steps().next();
      Files.createDirectory(path);
    }
    for (Path entry : LedgerFolder.list(path)) {
      Tracked wanted = at.durable.get(entry.getFileName().toString());
      boolean right =
          wanted instanceof TrackedFile f
              ? isAt(f, entry)
              : wanted != null && Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS);
      if (!right) {
        losses.gone(entry);
        folder.deleteAll(entry);
      }
    }
    for (Map.Entry<String, Tracked> e : at.durable.entrySet()) {
      Path entry = path.resolve(e.getKey());
      if (e.getValue() instanceof TrackedFolder d) {
        place(entry, d, losses);
      } else if (!Files.exists(entry)) {
        folder.steps().next();
        Files.createLink(entry, folder.kept(e.getValue()));
        losses.fellBack(entry);
      }
    }
    at.inode = LedgerFolder.inode(path);
  }

  /** What is there now is what was synced. */
  private void finish() throws IOException {
    for (Map.Entry<TrackedFile, Path> e : durable.entrySet()) {
      TrackedFile f = e.getKey();
      f.synced = Files.size(e.getValue());
      f.epoch++;
    }
    Ledger ledger = new Ledger(folder);
    List<Tracked> known = new ArrayList<>(folders);
    known.sort(Comparator.comparingLong(t -> t.id));
    known.addAll(durable.keySet());
    ledger.rewrite(content.roots, known);
    ledger.close();
    for (Path p : LedgerFolder.list(folder.undo())) {
      folder.delete(p);
    }
    for (Path p : LedgerFolder.list(folder.kept())) {
      folder.delete(p);
    }
    folder.delete(folder.marker());
  }
}
