package dev.vitrine.storage;

import dev.vitrine.protocol.record.RecordBatch;
import dev.vitrine.seam.DiskFile;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds those of the producers' last five batches that a snapshot leaves out. As Kafka's, it has
 * the last one of each producer; yet after a restart any of those that were in flight may be sent
 * again, and is a repetition. (Apache Kafka 4.4.0 answers such a one with
 * OUT_OF_ORDER_SEQUENCE_NUMBER.)
 *
 * <p>Reads batch headers backwards from where the snapshot was taken: a little for those who may
 * have written lately, more for those who have. On the thread that loads or truncates the log; one
 * use.
 */
final class ProducerTail {
  private static final int WINDOW = 64 * 1024;

  /** How far to look for producers at all, in bytes. */
  private static final int NEAR = 256 * 1024;

  /** How far to look for the other batches of one that was found. */
  private static final int FAR = 8 * 1024 * 1024;

  private record Seen(long producerId, short epoch, ProducerEntry.Batch batch) {}

  private final SegmentList segments;
  private final ProducerState producers;

  /** Those of which a batch was seen, and not yet all. */
  private final Set<Long> incomplete = new HashSet<>();

  private long read;

  private ProducerTail(SegmentList segments, ProducerState producers) {
    this.segments = segments;
    this.producers = producers;
  }

  /** Completes the producers as they are at {@link ProducerState#endOffset}. */
  static void complete(SegmentList segments, ProducerState producers) {
    if (!producers.producers().isEmpty()) {
      new ProducerTail(segments, producers).readBackwards();
    }
  }

  private void readBackwards() {
    long end = producers.endOffset();
    for (int i = segments.floor(end - 1); i >= 0 && goesOn(); i--) {
      Segment s = segments.get(i);
      Segment.Found behind = s.size() == 0 ? null : s.find(end);
      int to = behind == null ? s.size() : behind.position();
      DiskFile file = s.use();
      try {
        while (to > 0 && goesOn()) {
          int from = s.batchNotAbove(Math.max(0, to - WINDOW));
          read(file, from, to);
          read += to - from;
          to = from;
        }
      } finally {
        file.release();
      }
    }
  }

  private boolean goesOn() {
    return read < NEAR || !incomplete.isEmpty() && read < FAR;
  }

  private void read(DiskFile file, int from, int to) {
    List<Seen> window = new ArrayList<>();
    try (BatchScan scan = new BatchScan(file, from, to, WINDOW)) {
      while (scan.next()) {
        RecordBatch b = scan.batch();
        if (b.hasProducerId() && !b.isControl()) {
          window.add(new Seen(b.producerId(), b.producerEpoch(), ProducerEntry.Batch.of(b)));
        }
      }
    }
    for (int i = window.size() - 1; i >= 0; i--) {
      take(window.get(i));
    }
  }

  private void take(Seen seen) {
    ProducerEntry e = producers.producer(seen.producerId);
    if (e == null) {
      return;
    }
    if (e.addOlder(seen.epoch, seen.batch)) {
      incomplete.add(seen.producerId);
    } else {
      incomplete.remove(seen.producerId);
    }
  }
}
