package dev.vitrine.storage;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.record.RecordBatch;
import dev.vitrine.seam.Disk;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The idempotent producers of one log (their last batches, by which a batch that is sent twice is
 * found and one that is missing is noticed) and its open transactions. In memory, and in a snapshot
 * at each roll and at the close. Belongs to its log's owner.
 */
final class ProducerState {
  private static final Logger LOG = LoggerFactory.getLogger(ProducerState.class);

  /** Why a batch is refused, in Kafka's code. */
  record Refusal(Errors error, String message) {}

  /** A transaction that has ended: its records are decided once the marker is replicated. */
  record EndedTransaction(long producerId, long firstOffset, long lastOffset, boolean aborted) {}

  private final Disk disk;
  private final Path dir;
  private long expirationMs;
  private final Map<Long, ProducerEntry> producers = new HashMap<>();

  /** Producer id by the first offset of its open transaction. */
  private final TreeMap<Long, Long> open = new TreeMap<>();

  /** Offset of the marker by the first offset, until the high watermark has passed the marker. */
  private final TreeMap<Long, Long> undecided = new TreeMap<>();

  private final TreeSet<Long> snapshots = new TreeSet<>();
  private long endOffset;
  private long snapshotOffset;

  /**
   * @param expirationMs {@code producer.id.expiration.ms}
   */
  ProducerState(Disk disk, Path dir, long expirationMs) {
    this.disk = disk;
    this.dir = dir;
    this.expirationMs = expirationMs;
  }

  /** Later expiry goes by this. */
  void expirationMs(long ms) {
    expirationMs = ms;
  }

  // --- appends ---

  /** The batch that this one repeats, or null. */
  ProducerEntry.Batch duplicateOf(RecordBatch batch) {
    ProducerEntry e = producers.get(batch.producerId());
    return e == null ? null : e.duplicateOf(batch);
  }

  /** Why the batch may not be appended, or null. Changes nothing. */
  Refusal check(RecordBatch batch, AppendOrigin origin, Object partition) {
    if (origin == AppendOrigin.REPLICATION || !batch.hasProducerId()) {
      return null;
    }
    ProducerEntry e = producers.get(batch.producerId());
    if (e == null) {
      // Never seen, or forgotten since: any sequence will do (KIP-360).
      return null;
    }
    if (batch.producerEpoch() < e.epoch()) {
      return new Refusal(
          Errors.INVALID_PRODUCER_EPOCH,
          "Epoch of producer %d at offset %d in %s is %d, which is smaller than the last seen epoch %d"
              .formatted(
                  batch.producerId(),
                  batch.baseOffset(),
                  partition,
                  batch.producerEpoch(),
                  e.epoch()));
    }
    if (batch.isControl()) {
      return checkMarker(batch, e, partition);
    }
    Refusal refusal = origin == AppendOrigin.CLIENT ? checkSequence(batch, e, partition) : null;
    if (refusal == null && e.transactionFirstOffset() >= 0 && !batch.isTransactional()) {
      return new Refusal(
          Errors.INVALID_TXN_STATE,
          "Expected transactional write from producer %d at offset %d in partition %s"
              .formatted(batch.producerId(), batch.baseOffset(), partition));
    }
    return refusal;
  }

  private static Refusal checkMarker(RecordBatch batch, ProducerEntry e, Object partition) {
    EndMarker marker = EndMarker.of(batch);
    if (marker != null && marker.coordinatorEpoch() < e.coordinatorEpoch()) {
      return new Refusal(
          Errors.TRANSACTION_COORDINATOR_FENCED,
          "Invalid coordinator epoch for producerId %d at offset %d in partition %s: %d (zombie), %d (current)"
              .formatted(
                  batch.producerId(),
                  batch.baseOffset(),
                  partition,
                  marker.coordinatorEpoch(),
                  e.coordinatorEpoch()));
    }
    return null;
  }

  private static Refusal checkSequence(RecordBatch batch, ProducerEntry e, Object partition) {
    if (batch.producerEpoch() != e.epoch()) {
      if (batch.baseSequence() == 0 || e.epoch() == RecordBatch.NO_PRODUCER_EPOCH) {
        return null;
      }
      return new Refusal(
          Errors.OUT_OF_ORDER_SEQUENCE_NUMBER,
          "Invalid sequence number for new epoch of producer %d at offset %d in partition %s: %d (request epoch), %d (seq. number), %d (current producer epoch)"
              .formatted(
                  batch.producerId(),
                  batch.baseOffset(),
                  partition,
                  batch.producerEpoch(),
                  batch.baseSequence(),
                  e.epoch()));
    }
    if (batch.baseSequence() == RecordBatch.incrementSequence(e.lastSequence(), 1)) {
      return null;
    }
    return new Refusal(
        Errors.OUT_OF_ORDER_SEQUENCE_NUMBER,
        "Out of order sequence number for producer %d at offset %d in partition %s: %d (incoming seq. number), %d (current end sequence number)"
            .formatted(
                batch.producerId(),
                batch.baseOffset(),
                partition,
                batch.baseSequence(),
                e.lastSequence()));
  }

  /**
   * Takes in an appended batch, with its final offsets.
   *
   * @return the transaction that it ends, or null
   */
  EndedTransaction appended(RecordBatch batch) {
    if (!batch.hasProducerId()) {
      return null;
    }
    ProducerEntry e = producers.computeIfAbsent(batch.producerId(), ProducerEntry::new);
    if (batch.isControl()) {
      EndMarker marker = EndMarker.of(batch);
      return marker == null ? null : ended(batch, e, marker);
    }
    e.add(batch.producerEpoch(), ProducerEntry.Batch.of(batch));
    if (batch.isTransactional() && e.transactionFirstOffset() < 0) {
      e.beginTransaction(batch.baseOffset());
      open.put(batch.baseOffset(), e.producerId());
    }
    return null;
  }

  private EndedTransaction ended(RecordBatch batch, ProducerEntry e, EndMarker marker) {
    long first = e.transactionFirstOffset();
    e.endTransaction(batch.producerEpoch(), marker.coordinatorEpoch(), batch.maxTimestamp());
    if (first < 0) {
      return null;
    }
    open.remove(first);
    undecided.put(first, batch.lastOffset());
    return new EndedTransaction(
        batch.producerId(), first, batch.lastOffset(), marker.type() == EndMarker.ABORT);
  }

  /** The last stable offset as it is after this transaction, which is no longer open, has ended. */
  long lastStableOffsetAfter(EndedTransaction t) {
    return open.isEmpty() ? t.lastOffset + 1 : open.firstKey();
  }

  /** The first offset of a transaction that is open or whose end is not replicated; -1 if none. */
  long firstUnstableOffset() {
    long a = open.isEmpty() ? Long.MAX_VALUE : open.firstKey();
    long b = undecided.isEmpty() ? Long.MAX_VALUE : undecided.firstKey();
    long first = Math.min(a, b);
    return first == Long.MAX_VALUE ? -1 : first;
  }

  /** Ends that are below the high watermark are decided for good. */
  void highWatermark(long offset) {
    while (!undecided.isEmpty() && undecided.firstEntry().getValue() < offset) {
      undecided.pollFirstEntry();
    }
  }

  // --- the table ---

  Collection<ProducerEntry> producers() {
    return Collections.unmodifiableCollection(producers.values());
  }

  ProducerEntry producer(long producerId) {
    return producers.get(producerId);
  }

  /** Up to where the table is right. */
  long endOffset() {
    return endOffset;
  }

  void endOffset(long offset) {
    endOffset = offset;
  }

  /** Forgets producers without open transaction that were silent for too long. */
  void removeExpired(long nowMs) {
    producers.values().removeIf(e -> isExpired(e, nowMs));
  }

  private boolean isExpired(ProducerEntry e, long nowMs) {
    return e.transactionFirstOffset() < 0 && nowMs - e.lastTimestamp() >= expirationMs;
  }

  // --- snapshots ---

  /** A snapshot file that was found when the log was loaded. */
  void foundSnapshot(long offset) {
    snapshots.add(offset);
    snapshotOffset = Math.max(snapshotOffset, offset);
  }

  Collection<Long> snapshots() {
    return List.copyOf(snapshots);
  }

  /** Writes a snapshot, unless the newest is of this offset; returns its path or null. */
  Path takeSnapshot() {
    if (endOffset <= snapshotOffset) {
      return null;
    }
    Path path = LogFiles.path(dir, endOffset, LogFiles.SNAPSHOT);
    ProducerSnapshotFile.write(disk, path, producers.values());
    snapshots.add(endOffset);
    snapshotOffset = endOffset;
    return path;
  }

  /** No longer counted on; true if it was there. The file is the caller's. */
  boolean forgetSnapshot(long offset) {
    return snapshots.remove(offset);
  }

  void deleteSnapshot(long offset) {
    if (snapshots.remove(offset)) {
      disk.delete(LogFiles.path(dir, offset, LogFiles.SNAPSHOT));
    }
  }

  /**
   * Goes back to the newest snapshot that is within the log; the batches from {@link #endOffset} on
   * are then to be taken in again.
   */
  void reload(long logStartOffset, long logEndOffset, long nowMs) {
    for (long offset : snapshots()) {
      if (offset > logEndOffset || offset <= logStartOffset) {
        deleteSnapshot(offset);
      }
    }
    clear();
    while (!snapshots.isEmpty()) {
      long offset = snapshots.last();
      Path path = LogFiles.path(dir, offset, LogFiles.SNAPSHOT);
      List<ProducerEntry> entries = ProducerSnapshotFile.read(disk, path);
      if (entries != null) {
        entries.stream().filter(e -> !isExpired(e, nowMs)).forEach(this::restore);
        endOffset = offset;
        snapshotOffset = offset;
        return;
      }
      LOG.warn("Producer snapshot {} is damaged; it is deleted and an older one used", path);
      deleteSnapshot(offset);
    }
    endOffset = logStartOffset;
    snapshotOffset = logStartOffset;
  }

  private void restore(ProducerEntry e) {
    producers.put(e.producerId(), e);
    if (e.transactionFirstOffset() >= 0) {
      open.put(e.transactionFirstOffset(), e.producerId());
    }
  }

  /** Forgets everything; the log is empty and begins here. */
  void startAt(long offset) {
    clear();
    snapshots().forEach(this::deleteSnapshot);
    endOffset = offset;
    snapshotOffset = offset;
  }

  /** What is before this offset is gone. */
  void logStartOffset(long offset) {
    undecided.values().removeIf(end -> end < offset);
    endOffset = Math.max(endOffset, offset);
    snapshotOffset = snapshots.isEmpty() ? offset : snapshots.last();
  }

  private void clear() {
    producers.clear();
    open.clear();
    undecided.clear();
  }
}
