package dev.vitrine.storage.powercut;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The folder of one node's ledger and the steps on its files. Beside {@code log.dirs}, never in
 * them, and on the same file system, for its hard links.
 *
 * <pre>
 *   ledger            what was synced, a line each: see {@link LedgerText}
 *   ledger.new        the next one while it is written
 *   kept/ID           a hard link to a file whose durable name is gone from its folder
 *   undo/ID-EPOCH     what was in a file where it was changed since it was synced: {@link UndoFile}
 *   power-cut         a power cut is under way: what it was asked for
 * </pre>
 */
final class LedgerFolder {
  private static final long MOST_GROWTH = 1 << 20;

  private final Path folder;
  private final Steps steps;
  private final long mostGrowth;

  LedgerFolder(Path folder, Steps steps) {
    this(folder, steps, MOST_GROWTH);
  }

  /**
   * @param mostGrowth how many bytes the ledger may grow beyond twice of what it says
   */
  LedgerFolder(Path folder, Steps steps, long mostGrowth) {
    this.folder = folder;
    this.steps = steps;
    this.mostGrowth = mostGrowth;
  }

  long mostGrowth() {
    return mostGrowth;
  }

  Path path() {
    return folder;
  }

  Steps steps() {
    return steps;
  }

  Path ledger() {
    return folder.resolve("ledger");
  }

  Path fresh() {
    return folder.resolve("ledger.new");
  }

  /** Held by the node while it runs. */
  Path lock() {
    return folder.resolve("lock");
  }

  Path marker() {
    return folder.resolve("power-cut");
  }

  Path kept() {
    return folder.resolve("kept");
  }

  Path kept(Tracked file) {
    return kept().resolve(String.valueOf(file.id));
  }

  Path undo() {
    return folder.resolve("undo");
  }

  Path undo(TrackedFile file) {
    return undo().resolve(file.id + "-" + file.epoch);
  }

  void create() throws IOException {
    Files.createDirectories(kept());
    Files.createDirectories(undo());
  }

  /** Keeps the file that has this name now; no matter if it is kept already. */
  void keep(TrackedFile file, Path name) throws IOException {
    if (!file.kept) {
      steps.next();
      try {
        Files.createLink(kept(file), name);
      } catch (FileAlreadyExistsException e) {
        // Ids are not given twice: it is the same file, of an attempt that failed behind this.
      }
      file.kept = true;
    }
  }

  void delete(Path path) throws IOException {
    steps.next();
    Files.deleteIfExists(path);
  }

  void rename(Path from, Path to) throws IOException {
    steps.next();
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  FileChannel openToAppend(Path path) throws IOException {
    return FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** One system call if the system takes it all at once, as it does. */
  void write(FileChannel to, ByteBuffer bytes) throws IOException {
    steps.next();
    while (bytes.hasRemaining()) {
      to.write(bytes);
    }
  }

  static List<Path> list(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.sorted().toList();
    }
  }

  /** With everything in it, the deepest first. */
  void deleteAll(Path path) throws IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    List<Path> all;
    try (Stream<Path> below = Files.walk(path)) {
      all = below.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path p : all) {
      delete(p);
    }
  }

  /**
   * The number by which the system tells files apart, whatever their names.
   *
   * @throws IOException also where files have none
   */
  static long inode(Path path) throws IOException {
    try {
      return (Long) Files.getAttribute(path, "unix:ino", LinkOption.NOFOLLOW_LINKS);
    } catch (UnsupportedOperationException | IllegalArgumentException e) {
      throw new IOException("files have no inode numbers here: no power cut can be made", e);
    }
  }
}
