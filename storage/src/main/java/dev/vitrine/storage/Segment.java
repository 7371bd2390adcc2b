package dev.vitrine.storage;

import dev.vitrine.protocol.record.Batches;
import dev.vitrine.protocol.record.RecordBatch;
import dev.vitrine.seam.Disk;
import dev.vitrine.seam.DiskFile;
import io.netty.buffer.ByteBuf;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A piece of a log: a file of record batches from a base offset on, and its indexes. Files are
 * opened when they are needed, and closed by {@link #rest}. Belongs to its log's owner.
 */
final class Segment {
  /** A batch in the file. */
  record Found(int position, int size) {}

  private static final TimeIndex.TimestampAndOffset NO_TIME =
      new TimeIndex.TimestampAndOffset(RecordBatch.NO_TIMESTAMP, -1);

  private final Disk disk;
  private final long baseOffset;
  private final OffsetIndex offsetIndex;
  private final TimeIndex timeIndex;
  private final TransactionIndex transactionIndex;
  private final RecentBatches recent = new RecentBatches();
  private final int indexIntervalBytes;

  private Path path;

  /** Null while nobody needs it. */
  private DiskFile file;

  private int size;
  private boolean dirty;
  private final Set<Path> unsyncedIndexes = new LinkedHashSet<>(4);
  private boolean indexesChecked;

  /** Null until somebody asks: then from the time index. */
  private TimeIndex.TimestampAndOffset latest;

  /** Of the first batch; -1 while unknown. */
  private long firstTimestamp = RecordBatch.NO_TIMESTAMP;

  private long createdMs;
  private int bytesSinceIndexEntry;

  private Segment(Disk disk, Path dir, long baseOffset, LogConfig config, boolean hasTxnIndex) {
    int maxIndexBytes = config.segmentIndexBytes();
    this.disk = disk;
    this.baseOffset = baseOffset;
    this.indexIntervalBytes = config.indexIntervalBytes();
    this.path = LogFiles.path(dir, baseOffset, LogFiles.LOG);
    this.offsetIndex =
        new OffsetIndex(
            disk, LogFiles.path(dir, baseOffset, LogFiles.INDEX), baseOffset, maxIndexBytes);
    this.timeIndex =
        new TimeIndex(
            disk, LogFiles.path(dir, baseOffset, LogFiles.TIME_INDEX), baseOffset, maxIndexBytes);
    this.transactionIndex =
        new TransactionIndex(disk, LogFiles.path(dir, baseOffset, LogFiles.TXN_INDEX), hasTxnIndex);
  }

  /** Makes the files of a new empty segment. */
  static Segment create(Disk disk, Path dir, long baseOffset, LogConfig config, long nowMs) {
    // What a crash or a truncation may have left under the same names is not ours.
    disk.delete(LogFiles.path(dir, baseOffset, LogFiles.TXN_INDEX));
    Segment s = new Segment(disk, dir, baseOffset, config, false);
    s.offsetIndex.reset();
    s.timeIndex.reset();
    s.offsetIndex.rest();
    s.timeIndex.rest();
    s.file().truncate(0);
    s.indexesChecked = true;
    s.latest = NO_TIME;
    s.createdMs = nowMs;
    return s;
  }

  /** A segment whose file is there. Opens nothing. */
  static Segment existing(
      Disk disk, Path dir, long baseOffset, LogConfig config, boolean hasTxnIndex) {
    Segment s = new Segment(disk, dir, baseOffset, config, hasTxnIndex);
    s.size = Math.toIntExact(disk.size(s.path));
    s.createdMs = disk.lastModified(s.path);
    return s;
  }

  long baseOffset() {
    return baseOffset;
  }

  /** In bytes. */
  int size() {
    return size;
  }

  Path path() {
    return path;
  }

  TransactionIndex transactionIndex() {
    return transactionIndex;
  }

  // --- writing ---

  /**
   * Appends whole batches, their offsets final, in one write; then indexes them. If the write fails
   * nothing of it stays.
   *
   * @param length bytes from the reader index, which is not moved
   */
  void append(ByteBuf bytes, int length) {
    checkIndexes();
    dirty = true;
    try {
      file().write(size, bytes.slice(bytes.readerIndex(), length));
    } catch (RuntimeException e) {
      file().truncate(size);
      throw e;
    }
    Batches batches = new Batches().reset(bytes, bytes.readerIndex(), length);
    while (batches.next()) {
      index(batches.batch());
    }
  }

  /** Takes in the batch that begins where the indexed part ends; its bytes are in the file. */
  void index(RecordBatch batch) {
    long lastOffset = batch.lastOffset();
    int batchSize = batch.sizeInBytes();
    if (batch.maxTimestamp() > latest().timestamp()) {
      latest = new TimeIndex.TimestampAndOffset(batch.maxTimestamp(), lastOffset);
    }
    if (size == 0) {
      firstTimestamp = batch.maxTimestamp();
    }
    if (bytesSinceIndexEntry > indexIntervalBytes) {
      offsetIndex.append(lastOffset, size);
      timeIndex.maybeAppend(latest().timestamp(), latest().offset());
      bytesSinceIndexEntry = 0;
    }
    recent.add(lastOffset, size, batchSize);
    size += batchSize;
    bytesSinceIndexEntry += batchSize;
  }

  /** Whether these bytes must go to a new segment, as Kafka decides it. */
  boolean shouldRoll(Roll r) {
    boolean tooOld = size > 0 && age(r.nowMs, r.maxTimestamp) > r.maxMs;
    return size > r.maxBytes - r.bytes
        || tooOld
        || offsetIndex.isFull()
        || timeIndex.isFull()
        || r.lastOffset - baseOffset > Integer.MAX_VALUE;
  }

  /** What is to be appended, and the limits. */
  record Roll(
      int bytes, long lastOffset, long maxTimestamp, long nowMs, int maxBytes, long maxMs) {}

  /** By the records' own time where they have one, so that replicas roll alike. */
  private long age(long nowMs, long messageTimestamp) {
    if (firstTimestamp < 0) {
      firstTimestamp = readFirstTimestamp();
    }
    return firstTimestamp >= 0 ? messageTimestamp - firstTimestamp : nowMs - createdMs;
  }

  private long readFirstTimestamp() {
    DiskFile f = use();
    try (BatchScan scan = new BatchScan(f, 0, size, BatchScan.HEADERS)) {
      return scan.next() ? scan.batch().maxTimestamp() : RecordBatch.NO_TIMESTAMP;
    } finally {
      f.release();
    }
  }

  /**
   * Nothing more will be appended, or not before the next start: completes the indexes in their
   * files, with the latest timestamp as Kafka does.
   */
  void seal() {
    if (latest().timestamp() >= 0) {
      timeIndex.maybeAppend(latest().timestamp(), latest().offset());
    }
    offsetIndex.seal();
    timeIndex.seal();
    findUnsyncedIndexes();
    recent.clear();
  }

  private void findUnsyncedIndexes() {
    if (offsetIndex.takeUnsynced()) {
      unsyncedIndexes.add(offsetIndex.path());
    }
    if (timeIndex.takeUnsynced()) {
      unsyncedIndexes.add(timeIndex.path());
    }
    if (transactionIndex.takeUnsynced()) {
      unsyncedIndexes.add(transactionIndex.path());
    }
  }

  /**
   * Cuts off the batch that holds the offset and all after it.
   *
   * @return the offset where it ends now: that one or, if it was within a batch, the batch's first
   */
  long truncateTo(long offset, long nowMs) {
    checkIndexes();
    Found at = find(offset);
    long end = at == null ? offset : Math.min(offset, baseOffsetAt(at.position));
    offsetIndex.truncateTo(offset);
    timeIndex.truncateTo(offset);
    transactionIndex.truncateTo(offset);
    recent.clear();
    dirty = true;
    if (at != null) {
      file().truncate(at.position);
      size = at.position;
    }
    if (size == 0) {
      createdMs = nowMs;
      firstTimestamp = RecordBatch.NO_TIMESTAMP;
    }
    bytesSinceIndexEntry = 0;
    latest = readLatest();
    return end;
  }

  private long baseOffsetAt(int position) {
    DiskFile f = use();
    try (BatchScan scan = new BatchScan(f, position, size, BatchScan.HEADERS)) {
      return scan.next() ? scan.batch().baseOffset() : Long.MAX_VALUE;
    } finally {
      f.release();
    }
  }

  // --- syncing ---

  boolean isDirty() {
    return dirty || !unsyncedIndexes.isEmpty();
  }

  /** Whatever was synced of it, sync it again. */
  void markDirty() {
    dirty = true;
    unsyncedIndexes.add(offsetIndex.path());
    unsyncedIndexes.add(timeIndex.path());
    if (transactionIndex.exists()) {
      unsyncedIndexes.add(transactionIndex.path());
    }
  }

  /**
   * What a disk worker must sync so that all up to now is durable. The file is retained for it.
   * Nothing is dirty afterwards. The indexes of the segment that is written to are left out:
   * recovery makes them anew, as long as the recovery point is not beyond the segment.
   */
  void takeDirty(List<DiskFile> files, List<Path> paths) {
    if (dirty) {
      files.add(use());
      dirty = false;
    }
    paths.addAll(unsyncedIndexes);
    unsyncedIndexes.clear();
  }

  /** Closes the files until they are needed again, unless they have something to sync. */
  void rest() {
    if (!isDirty()) {
      close();
    }
  }

  // --- reading ---

  /** The file, one reference of it for the caller. */
  DiskFile use() {
    return file().retain();
  }

  private DiskFile file() {
    if (file == null) {
      file = disk.open(path);
    }
    return file;
  }

  /** Where a batch begins that the index knows, not above this position; 0 if it knows none. */
  int batchNotAbove(int position) {
    checkIndexes();
    int n = offsetIndex.countNotAbove(position, true);
    return n == 0 ? 0 : offsetIndex.entry(n - 1).second();
  }

  /** The batch that holds the offset, or the first one after it; null if there is none. */
  Found find(long offset) {
    Found r = recent.find(offset);
    if (r != null) {
      return r;
    }
    checkIndexes();
    DiskFile f = use();
    try (BatchScan scan = new BatchScan(f, offsetIndex.lookup(offset), size, BatchScan.HEADERS)) {
      while (scan.next()) {
        if (scan.batch().lastOffset() >= offset) {
          return new Found((int) scan.position(), scan.batch().sizeInBytes());
        }
      }
      return null;
    } finally {
      f.release();
    }
  }

  /** The offset after its last batch; its base offset if it is empty. */
  long readNextOffset() {
    checkIndexes();
    IndexFile.Entry last = offsetIndex.lastEntry();
    long next = baseOffset;
    DiskFile f = use();
    int from = last == null ? 0 : last.second();
    try (BatchScan scan = new BatchScan(f, from, size, BatchScan.HEADERS)) {
      while (scan.next()) {
        next = scan.batch().nextOffset();
      }
      return next;
    } finally {
      f.release();
    }
  }

  /** The latest timestamp of a batch and that batch's last offset; -1 and -1 if there is none. */
  TimeIndex.TimestampAndOffset latest() {
    if (latest == null) {
      checkIndexes();
      TimeIndex.TimestampAndOffset last = timeIndex.last();
      latest = last == null ? NO_TIME : last;
    }
    return latest;
  }

  /** For retention: the latest timestamp or, if no record has one, when the file was changed. */
  long largestTimestamp() {
    return latest().timestamp() >= 0 ? latest().timestamp() : disk.lastModified(path);
  }

  /** The time index's last entry, and what the file has after it. */
  private TimeIndex.TimestampAndOffset readLatest() {
    TimeIndex.TimestampAndOffset best = timeIndex.last();
    int from = best == null ? 0 : offsetIndex.lookup(best.offset());
    best = best == null ? NO_TIME : best;
    DiskFile f = use();
    try (BatchScan scan = new BatchScan(f, from, size, BatchScan.HEADERS)) {
      while (scan.next()) {
        if (scan.batch().maxTimestamp() > best.timestamp()) {
          best =
              new TimeIndex.TimestampAndOffset(
                  scan.batch().maxTimestamp(), scan.batch().lastOffset());
        }
      }
      return best;
    } finally {
      f.release();
    }
  }

  /** Where to begin to look for the first record that is not earlier than the timestamp. */
  int positionBefore(long timestamp, long startOffset) {
    checkIndexes();
    return offsetIndex.lookup(Math.max(timeIndex.lookup(timestamp), startOffset));
  }

  // --- the indexes' health ---

  /** What is wrong with the index files, or null. */
  String indexFault() {
    if (!offsetIndex.exists() || !timeIndex.exists()) {
      return "there is none";
    }
    String fault = offsetIndex.fault(size);
    return fault == null ? timeIndex.fault() : fault;
  }

  /** Before the first use of an index of a segment that was found on disk. */
  private void checkIndexes() {
    if (!indexesChecked) {
      indexesChecked = true;
      String fault = indexFault();
      if (fault != null) {
        SegmentRecovery.rebuildIndexes(this, fault);
      }
    }
  }

  /** Starts with empty indexes over an existing file, of which {@link #index} tells the batches. */
  void beginReindex() {
    offsetIndex.reset();
    timeIndex.reset();
    indexesChecked = true;
    recent.clear();
    latest = NO_TIME;
    firstTimestamp = RecordBatch.NO_TIMESTAMP;
    bytesSinceIndexEntry = 0;
    size = 0;
    dirty = true;
  }

  /** The whole file is the segment's again, indexed or not. */
  void endReindex(int size) {
    this.size = size;
  }

  /** Cuts off all behind what was indexed. */
  void cutToIndexed() {
    file().truncate(size);
  }

  // --- its end ---

  /**
   * Gives its files the suffix under which they wait to be deleted, and closes them.
   *
   * @return their new paths
   */
  List<Path> retire() {
    List<Path> out = new ArrayList<>();
    path = retire(path, out);
    if (file != null) {
      file.renamed(path);
      file.release();
      file = null;
    }
    offsetIndex.renamed(retire(offsetIndex.path(), out));
    timeIndex.renamed(retire(timeIndex.path(), out));
    if (transactionIndex.exists()) {
      transactionIndex.renamed(retire(transactionIndex.path(), out));
    }
    return out;
  }

  private Path retire(Path from, List<Path> out) {
    Path to = from.resolveSibling(from.getFileName() + LogFiles.DELETED);
    if (disk.exists(from)) {
      disk.rename(from, to);
      out.add(to);
    }
    return to;
  }

  /** The folder has another name. */
  void moved(Path dir) {
    path = dir.resolve(path.getFileName());
    if (file != null) {
      file.renamed(path);
    }
    offsetIndex.renamed(dir.resolve(offsetIndex.path().getFileName()));
    timeIndex.renamed(dir.resolve(timeIndex.path().getFileName()));
    transactionIndex.renamed(dir.resolve(transactionIndex.path().getFileName()));
  }

  /** Closes the files, dirty or not. */
  void close() {
    offsetIndex.rest();
    timeIndex.rest();
    if (file != null) {
      file.release();
      file = null;
    }
  }

  @Override
  public String toString() {
    return path + " (" + size + " bytes)";
  }
}
