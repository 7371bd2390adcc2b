package dev.vitrine.storage;

import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.seam.Disk;
import dev.vitrine.seam.DiskFile;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens a log's folder: finishes or drops what was half done, finds the segments and, after an
 * unclean stop, reads those that were not synced and cuts at the first bad byte. Runs on a disk
 * worker; touches nothing of a shard. One use.
 */
final class LogLoader {
  private static final Logger LOG = LoggerFactory.getLogger(LogLoader.class);

  /**
   * What is known of a log before its folder is opened.
   *
   * @param clean it was closed and synced at the last stop
   * @param recoveryPoint what is before it was synced
   * @param logStartOffset as the checkpoint has it, or 0
   * @param nowMs for the expiry of producers
   */
  record Before(boolean clean, long recoveryPoint, long logStartOffset, long nowMs) {
    static final Before NOTHING = new Before(false, 0, 0, 0);
  }

  /** A log's parts, whole and consistent. */
  record Loaded(
      TopicPartition partition,
      Path dir,
      LogConfig config,
      Uuid topicId,
      SegmentList segments,
      LeaderEpochCache epochs,
      ProducerState producers,
      long logStartOffset,
      long logEndOffset,
      long recoveryPoint,
      List<Path> written,
      boolean unsyncedNames) {}

  private final Disk disk;
  private final TopicPartition partition;
  private final Path dir;
  private final LogConfig config;
  private final Before before;
  private final SegmentList segments = new SegmentList();
  private final ProducerState producers;
  private LeaderEpochCache epochs;
  private long endOffset;

  LogLoader(Disk disk, TopicPartition partition, Path dir, LogConfig config, Before before) {
    this.disk = disk;
    this.partition = partition;
    this.dir = dir;
    this.config = config;
    this.before = before;
    this.producers = new ProducerState(disk, dir, config.producerIdExpirationMs());
  }

  /** Makes the folder of a new log. Nothing of it is durable before the first flush. */
  static Loaded create(
      Disk disk, TopicPartition partition, Path dir, LogConfig config, Uuid topicId, long nowMs) {
    disk.createDirectories(dir);
    List<Path> written = new ArrayList<>();
    if (topicId != null) {
      Path path = dir.resolve(LogFiles.PARTITION_METADATA);
      AtomicFile.writeUnsynced(disk, path, PartitionMetadata.text(topicId));
      written.add(path);
    }
    SegmentList segments = new SegmentList();
    segments.add(Segment.create(disk, dir, 0, config, nowMs));
    LeaderEpochCache epochs = new LeaderEpochCache();
    epochs.markDirty();
    ProducerState producers = new ProducerState(disk, dir, config.producerIdExpirationMs());
    return new Loaded(
        partition, dir, config, topicId, segments, epochs, producers, 0, 0, 0, written, true);
  }

  /**
   * @throws UncheckedIOException if a file cannot be read, or is malformed and nothing can replace
   *     it
   */
  Loaded load() {
    Uuid topicId = readTopicId();
    Leftovers.Found found = new Leftovers(disk, dir).clear();
    found
        .segments()
        .forEach((base, txn) -> segments.add(Segment.existing(disk, dir, base, config, txn)));
    epochs = readEpochs();
    findSnapshots(found.snapshots());
    if (segments.count() == 0) {
      segments.add(
          Segment.create(disk, dir, before.logStartOffset, config, disk.lastModified(dir)));
    }
    if (before.clean) {
      loadClean();
    } else {
      recover();
    }
    long start = Math.max(before.logStartOffset, segments.first().baseOffset());
    if (start > endOffset) {
      startAnew(start);
    }
    epochs.truncateFromEnd(endOffset);
    LeaderEpochCache.Entry earliest = epochs.earliest();
    if (start < endOffset && (earliest == null || earliest.startOffset() > start)) {
      epochs.completeFrom(segments, start);
    }
    epochs.truncateFromStart(start);
    producers.logStartOffset(start);
    // Ten thousand logs at a start must not hold ten thousand files.
    segments.all().forEach(Segment::close);
    long recoveryPoint = before.clean ? endOffset : Math.min(before.recoveryPoint, endOffset);
    return new Loaded(
        partition,
        dir,
        config,
        topicId,
        segments,
        epochs,
        producers,
        start,
        endOffset,
        recoveryPoint,
        before.clean ? List.of() : smallFiles(topicId, recoveryPoint),
        !before.clean);
  }

  /** After an unclean stop nobody knows whether these were synced; nor the folder's names. */
  private List<Path> smallFiles(Uuid topicId, long recoveryPoint) {
    List<Path> out = new ArrayList<>();
    if (topicId != null) {
      out.add(dir.resolve(LogFiles.PARTITION_METADATA));
    }
    for (long offset : producers.snapshots()) {
      if (offset >= recoveryPoint) {
        out.add(LogFiles.path(dir, offset, LogFiles.SNAPSHOT));
      }
    }
    return out;
  }

  private Uuid readTopicId() {
    try {
      return PartitionMetadata.read(disk, dir);
    } catch (UncheckedIOException e) {
      if (before.clean) {
        throw e;
      }
      // Not synced before a power cut. Whoever knows the topic will write it again.
      LOG.warn("{}: {}; it counts as missing", partition, e.getMessage());
      disk.delete(dir.resolve(LogFiles.PARTITION_METADATA));
      return null;
    }
  }

  private LeaderEpochCache readEpochs() {
    try {
      return LeaderEpochCache.read(disk, dir);
    } catch (UncheckedIOException e) {
      if (before.clean) {
        throw e;
      }
      LOG.warn("{}: {}; the epochs are taken from the records", partition, e.getMessage());
      return new LeaderEpochCache();
    }
  }

  private void loadClean() {
    Segment active = segments.active();
    for (Segment s : segments.all()) {
      if (s.transactionIndex().fault(s.baseOffset()) != null) {
        recoverFrom(s, "its transaction index is damaged");
        return;
      }
    }
    endOffset = active.readNextOffset();
    producers.reload(before.logStartOffset, endOffset, before.nowMs);
    ProducerTail.complete(segments, producers);
    replayProducers(segments, producers, endOffset);
  }

  /** After an unclean stop: from the segment on that holds the last offset that was synced. */
  private void recover() {
    // If the recovery point is a segment's base, the one before it was synced when it was still
    // written to: its indexes were not, nor was a truncation to this very offset.
    int from = Math.max(0, segments.floor(before.recoveryPoint - 1));
    recoverFrom(segments.get(from), null);
  }

  private void recoverFrom(Segment first, String why) {
    if (why != null) {
      LOG.warn("{}: reading {} again: {}", partition, first, why);
    }
    int i = segments.floor(first.baseOffset());
    // What the epoch file says about records that are read now is not needed, and may be old.
    epochs.truncateFromEnd(Math.max(first.baseOffset(), before.recoveryPoint));
    producers.reload(before.logStartOffset, first.baseOffset(), before.nowMs);
    ProducerTail.complete(segments, producers);
    replayProducers(segments, producers, first.baseOffset());
    SegmentRecovery recovery = new SegmentRecovery(producers, epochs);
    for (; i < segments.count(); i++) {
      Segment s = segments.get(i);
      producers.endOffset(s.baseOffset());
      if (i > 0) {
        producers.takeSnapshot();
      }
      SegmentRecovery.Result r = recovery.recover(s, baseBehind(i), before.recoveryPoint);
      endOffset = r.nextOffset();
      String bad = r.why() != null ? r.why() : gapBehind(i);
      if (bad != null) {
        cut(i, r, bad);
      }
      if (i < segments.count() - 1) {
        s.seal();
      }
    }
  }

  private long baseBehind(int i) {
    return i == segments.count() - 1 ? Long.MAX_VALUE : segments.get(i + 1).baseOffset();
  }

  /**
   * A segment that ends before the next one begins has lost its end: without compaction no offset
   * is left out.
   */
  private String gapBehind(int i) {
    long next = baseBehind(i);
    return config.compact() || next == Long.MAX_VALUE || endOffset == next
        ? null
        : "the next segment begins at offset " + next;
  }

  private void cut(int i, SegmentRecovery.Result r, String why) {
    List<Segment> later = segments.removeFromEnd(i + 1);
    long bytes = r.cutBytes();
    for (Segment s : later) {
      bytes += s.size();
      s.retire().forEach(disk::delete);
      producers.deleteSnapshot(s.baseOffset());
    }
    LOG.warn(
        "{}: cut at offset {} (position {} of {}) because {}: {} bytes dropped, {} later segments",
        partition,
        endOffset,
        segments.get(i).size(),
        segments.get(i).path(),
        why,
        bytes,
        later.size());
  }

  private void startAnew(long start) {
    LOG.warn("{}: ends at {} but is to start at {}; it is empty now", partition, endOffset, start);
    for (Segment s : segments.removeFromEnd(0)) {
      s.retire().forEach(disk::delete);
    }
    segments.add(Segment.create(disk, dir, start, config, before.nowMs));
    producers.startAt(start);
    endOffset = start;
  }

  /** Those of segments, and the newest one if it is behind them all: the rest is stray. */
  private void findSnapshots(TreeSet<Long> offsets) {
    for (long offset : offsets) {
      int i = segments.floor(offset);
      boolean ofSegment = i >= 0 && segments.get(i).baseOffset() == offset;
      boolean newest = offset == offsets.last() && i == segments.count() - 1 && i >= 0;
      if (ofSegment || newest) {
        producers.foundSnapshot(offset);
      } else {
        disk.delete(LogFiles.path(dir, offset, LogFiles.SNAPSHOT));
      }
    }
  }

  /** Brings the producers from where they are to this offset, reading batch headers. */
  static void replayProducers(SegmentList segments, ProducerState producers, long upTo) {
    for (int i = Math.max(0, segments.floor(producers.endOffset())); i < segments.count(); i++) {
      Segment s = segments.get(i);
      long from = Math.max(producers.endOffset(), s.baseOffset());
      if (from >= upTo) {
        break;
      }
      if (i > 0 && from == s.baseOffset()) {
        producers.endOffset(from);
        producers.takeSnapshot();
      }
      replaySegment(s, producers, from, upTo);
    }
    producers.endOffset(upTo);
  }

  private static void replaySegment(Segment s, ProducerState producers, long from, long upTo) {
    Segment.Found start = s.size() == 0 ? null : s.find(from);
    if (start == null) {
      return;
    }
    DiskFile file = s.use();
    try (BatchScan scan = new BatchScan(file, start.position(), s.size(), BatchScan.SEQUENTIAL)) {
      while (scan.next() && scan.batch().baseOffset() < upTo) {
        if (scan.batch().hasProducerId()) {
          producers.appended(scan.whole());
          producers.endOffset(scan.batch().nextOffset());
        }
      }
    } finally {
      file.release();
    }
  }
}
