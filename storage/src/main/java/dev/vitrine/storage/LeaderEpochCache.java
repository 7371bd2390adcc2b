package dev.vitrine.storage;

import dev.vitrine.seam.Disk;
import dev.vitrine.seam.DiskFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Which leader epoch began at which offset; both ascend. In memory, and in {@code
 * leader-epoch-checkpoint} from the log's next flush on: an epoch that has records is found again
 * by recovery, one that has none is worth nothing. Belongs to its log's owner.
 */
final class LeaderEpochCache {
  /** An epoch and the offset of its first record. */
  record Entry(int epoch, long startOffset) {}

  static final int UNKNOWN = -1;

  private final List<Entry> entries = new ArrayList<>();
  private boolean dirty;

  /**
   * @throws java.io.UncheckedIOException if the file is malformed
   */
  static LeaderEpochCache read(Disk disk, Path logDir) {
    Path path = logDir.resolve(LogFiles.LEADER_EPOCH_CHECKPOINT);
    LeaderEpochCache cache = new LeaderEpochCache();
    for (String[] f : CheckpointFile.read(disk, path, 2)) {
      try {
        cache.assign(Integer.parseInt(f[0]), Long.parseLong(f[1]));
      } catch (NumberFormatException e) {
        throw CheckpointFile.malformed(path, "\"" + f[0] + " " + f[1] + "\"");
      }
    }
    cache.dirty = false;
    return cache;
  }

  /**
   * Reads the headers of the batches that are before the first entry: all, if the file is lost; a
   * few, if the log start offset has gone back in a crash.
   */
  void completeFrom(SegmentList segments, long startOffset) {
    long until = entries.isEmpty() ? Long.MAX_VALUE : entries.get(0).startOffset;
    List<Entry> later = List.copyOf(entries);
    entries.clear();
    for (int i = Math.max(0, segments.floor(startOffset)); i < segments.count(); i++) {
      Segment s = segments.get(i);
      if (s.baseOffset() >= until) {
        break;
      }
      DiskFile file = s.use();
      try (BatchScan scan = new BatchScan(file, 0, s.size(), BatchScan.SEQUENTIAL)) {
        while (scan.next() && scan.batch().baseOffset() < until) {
          if (scan.batch().partitionLeaderEpoch() > latestEpoch()) {
            assign(scan.batch().partitionLeaderEpoch(), scan.batch().baseOffset());
          }
        }
      } finally {
        file.release();
      }
    }
    later.forEach(e -> assign(e.epoch, e.startOffset));
    dirty = true;
  }

  /** The lines of the checkpoint, to be written by a disk worker; null if they are there. */
  List<String> takeChanges() {
    if (!dirty) {
      return null;
    }
    dirty = false;
    return entries.stream().map(e -> e.epoch + " " + e.startOffset).toList();
  }

  List<Entry> entries() {
    return List.copyOf(entries);
  }

  /** The last epoch, or -1. */
  int latestEpoch() {
    return entries.isEmpty() ? UNKNOWN : last().epoch;
  }

  /** The first entry, or null. */
  Entry earliest() {
    return entries.isEmpty() ? null : entries.get(0);
  }

  /**
   * From this offset on, records are of this epoch. Entries that contradict it (later offset or
   * epoch) go.
   */
  void assign(int epoch, long startOffset) {
    if (epoch < 0 || startOffset < 0) {
      return;
    }
    if (!entries.isEmpty() && last().epoch == epoch && startOffset >= last().startOffset) {
      return;
    }
    while (!entries.isEmpty() && (last().epoch >= epoch || last().startOffset >= startOffset)) {
      entries.remove(entries.size() - 1);
    }
    entries.add(new Entry(epoch, startOffset));
    dirty = true;
  }

  /** The epoch of the record at this offset, or -1. */
  int epochAt(long offset) {
    for (int i = entries.size() - 1; i >= 0; i--) {
      if (entries.get(i).startOffset <= offset) {
        return entries.get(i).epoch;
      }
    }
    return UNKNOWN;
  }

  /** Where the epoch ends, in a log that ends at {@code logEndOffset}. */
  EpochEnd endOffsetFor(int epoch, long logEndOffset) {
    if (epoch == UNKNOWN) {
      return EpochEnd.UNKNOWN;
    }
    if (epoch == latestEpoch()) {
      return new EpochEnd(epoch, logEndOffset);
    }
    int floor = UNKNOWN;
    for (Entry e : entries) {
      if (e.epoch > epoch) {
        // Older than all: what is asked for ended where our first epoch began.
        return new EpochEnd(floor == UNKNOWN ? epoch : floor, e.startOffset);
      }
      floor = e.epoch;
    }
    return EpochEnd.UNKNOWN;
  }

  /** Drops the epochs that begin at this offset or later. */
  void truncateFromEnd(long endOffset) {
    while (!entries.isEmpty() && last().startOffset >= endOffset) {
      entries.remove(entries.size() - 1);
      dirty = true;
    }
  }

  /** Drops the epochs that end before this offset; the one that it is in begins there now. */
  void truncateFromStart(long startOffset) {
    Entry in = null;
    while (!entries.isEmpty() && entries.get(0).startOffset < startOffset) {
      in = entries.remove(0);
      dirty = true;
    }
    if (in != null && (entries.isEmpty() || entries.get(0).startOffset > startOffset)) {
      entries.add(0, new Entry(in.epoch, startOffset));
    }
  }

  void clear() {
    dirty |= !entries.isEmpty();
    entries.clear();
  }

  /** Lets the next flush write the file even if it is empty: a new log has one, as in Kafka. */
  void markDirty() {
    dirty = true;
  }

  private Entry last() {
    return entries.get(entries.size() - 1);
  }
}
