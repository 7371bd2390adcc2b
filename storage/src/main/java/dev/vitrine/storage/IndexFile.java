package dev.vitrine.storage;

import dev.vitrine.seam.Disk;
import dev.vitrine.seam.DiskFile;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Entries of a fixed size in ascending order: the file holds the older ones, memory the newest few
 * hundred, which go to the file together. A look-up near the end touches no file, another one reads
 * a few entries by bisection. The file is opened when it is needed and closed by {@link #rest}: an
 * index that is not used costs no memory and no open file. What is lost with the tail in a crash,
 * recovery builds again.
 *
 * <p>Belongs to its log's owner.
 */
abstract class IndexFile {
  /** At 4096 bytes an index entry: the last two megabytes of a log. */
  private static final int MAX_TAIL = 512;

  /** A range of entries that is cheaper to read than to bisect further. */
  private static final int BLOCK_BYTES = 4096;

  private final Disk disk;
  private final int entrySize;
  private final int maxEntries;
  private Path path;

  /** Null while nobody needs it. */
  private DiskFile file;

  /** Entries in the file; -1 until somebody asks. */
  private int inFile = -1;

  private boolean unsynced;
  private byte[] tail = new byte[0];
  private int inTail;

  IndexFile(Disk disk, Path path, int entrySize, int maxEntries) {
    this.disk = disk;
    this.path = path;
    this.entrySize = entrySize;
    this.maxEntries = maxEntries;
  }

  /** Drops all entries and makes the file if it is not there. */
  final void reset() {
    unsynced |= file().size() > 0;
    file().truncate(0);
    inFile = 0;
    inTail = 0;
  }

  final boolean exists() {
    return disk.exists(path);
  }

  final Path path() {
    return path;
  }

  final int entries() {
    return inFile() + inTail;
  }

  final boolean isFull() {
    return entries() >= maxEntries;
  }

  /** The file has a size that is not a number of entries. */
  final boolean hasPartialEntry() {
    return disk.size(path) % entrySize != 0;
  }

  /** Two fields of an entry: a long or int, and an int behind it. */
  final void add(long first, int second) {
    inFile();
    if (inTail == MAX_TAIL) {
      writeOut();
    }
    int at = inTail * entrySize;
    if (at + entrySize > tail.length) {
      tail = Arrays.copyOf(tail, Math.max(8 * entrySize, Math.min(2 * at, MAX_TAIL * entrySize)));
    }
    ByteBuf b = Unpooled.wrappedBuffer(tail);
    if (entrySize == 8) {
      b.setInt(at, (int) first);
    } else {
      b.setLong(at, first);
    }
    b.setInt(at + entrySize - 4, second);
    inTail++;
  }

  /** Appends to the file what it lacks, in one small write; not durable by itself. */
  private void writeOut() {
    if (inTail == 0) {
      return;
    }
    file().write((long) inFile * entrySize, Unpooled.wrappedBuffer(tail, 0, inTail * entrySize));
    inFile += inTail;
    inTail = 0;
    unsynced = true;
  }

  /** Brings the file up to date and keeps nothing in memory. */
  final void seal() {
    writeOut();
    tail = new byte[0];
  }

  /** Keeps the first {@code n} entries. */
  final void keep(int n) {
    if (n >= inFile()) {
      inTail = Math.min(inTail, n - inFile);
      return;
    }
    file().truncate((long) n * entrySize);
    unsynced = true;
    inFile = n;
    inTail = 0;
  }

  /** Whether the file has changed since this was asked last. */
  final boolean takeUnsynced() {
    boolean was = unsynced;
    unsynced = false;
    return was;
  }

  /** The file has another name now. */
  final void renamed(Path path) {
    rest();
    this.path = path;
  }

  /** Closes the file until it is needed again. */
  final void rest() {
    if (file != null) {
      file.release();
      file = null;
    }
  }

  /** An entry's two fields. */
  record Entry(long first, int second) {}

  /** By its number from 0. */
  final Entry entry(int n) {
    if (n >= inFile()) {
      return decode(Unpooled.wrappedBuffer(tail), n - inFile);
    }
    return decode(read(n, 1), 0);
  }

  /** The last entry, or null. */
  final Entry lastEntry() {
    return entries() == 0 ? null : entry(entries() - 1);
  }

  /** The last entry whose first field is not above {@code limit}; null if there is none. */
  final Entry floor(long limit) {
    int n = countNotAbove(limit, false);
    return n == 0 ? null : entry(n - 1);
  }

  /**
   * How many entries have a field not above {@code limit}; the field is the first or the second.
   */
  final int countNotAbove(long limit, boolean bySecond) {
    ByteBuf t = Unpooled.wrappedBuffer(tail);
    if (inFile() == 0 || inTail > 0 && field(decode(t, 0), bySecond) <= limit) {
      return inFile + bisect(t, inTail, limit, bySecond);
    }
    int low = 0;
    int high = inFile;
    while ((high - low) * entrySize > BLOCK_BYTES) {
      int middle = (low + high) >>> 1;
      if (field(decode(read(middle, 1), 0), bySecond) <= limit) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low + bisect(read(low, high - low), high - low, limit, bySecond);
  }

  private int bisect(ByteBuf block, int n, long limit, boolean bySecond) {
    int low = 0;
    int high = n;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (field(decode(block, middle), bySecond) <= limit) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private static long field(Entry e, boolean second) {
    return second ? e.second : e.first;
  }

  private Entry decode(ByteBuf block, int n) {
    int at = n * entrySize;
    return new Entry(
        entrySize == 8 ? block.getInt(at) : block.getLong(at), block.getInt(at + entrySize - 4));
  }

  private ByteBuf read(int from, int n) {
    ByteBuf block = Unpooled.buffer(n * entrySize);
    if (file().read((long) from * entrySize, n * entrySize, block) < n * entrySize) {
      throw new IllegalStateException(path + " has fewer than " + (from + n) + " entries");
    }
    return block;
  }

  private DiskFile file() {
    if (file == null) {
      file = disk.open(path);
    }
    return file;
  }

  private int inFile() {
    if (inFile < 0) {
      inFile = (int) (disk.size(path) / entrySize);
    }
    return inFile;
  }
}
