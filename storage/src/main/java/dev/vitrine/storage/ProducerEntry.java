package dev.vitrine.storage;

import dev.vitrine.protocol.record.RecordBatch;
import java.util.ArrayDeque;

/**
 * What a log knows of one producer: its epoch, its last five batches and its open transaction.
 * Mutable; belongs to the log's owner.
 */
public final class ProducerEntry {
  /** As many as a producer may have in flight. */
  private static final int BATCHES = 5;

  /** One appended batch of a producer. */
  public record Batch(int lastSequence, long lastOffset, int offsetDelta, long timestamp) {
    static Batch of(RecordBatch b) {
      return new Batch(b.lastSequence(), b.lastOffset(), b.lastOffsetDelta(), b.maxTimestamp());
    }

    public long firstOffset() {
      return lastOffset - offsetDelta;
    }

    int firstSequence() {
      return lastSequence >= offsetDelta
          ? lastSequence - offsetDelta
          : Integer.MAX_VALUE - (offsetDelta - lastSequence) + 1;
    }
  }

  private final long producerId;
  private final ArrayDeque<Batch> batches = new ArrayDeque<>(BATCHES + 1);
  private short epoch = RecordBatch.NO_PRODUCER_EPOCH;
  private int coordinatorEpoch = -1;
  private long lastTimestamp = -1;
  private long transactionFirstOffset = -1;

  ProducerEntry(long producerId) {
    this.producerId = producerId;
  }

  public long producerId() {
    return producerId;
  }

  public short epoch() {
    return epoch;
  }

  /** -1 if none of its batches is known. */
  public int lastSequence() {
    return batches.isEmpty() ? RecordBatch.NO_SEQUENCE : batches.getLast().lastSequence;
  }

  /** The newest batch, or null. */
  public Batch lastBatch() {
    return batches.peekLast();
  }

  /** Of the last transaction marker; -1 if there was none. */
  public int coordinatorEpoch() {
    return coordinatorEpoch;
  }

  /** The latest time of a record or marker, in milliseconds. */
  public long lastTimestamp() {
    return lastTimestamp;
  }

  /** Where its open transaction begins; -1 if none is open. */
  public long transactionFirstOffset() {
    return transactionFirstOffset;
  }

  /** The same batch among the last five: the producer has sent it again. Null if it is new. */
  Batch duplicateOf(RecordBatch batch) {
    if (batch.producerEpoch() != epoch) {
      return null;
    }
    for (Batch b : batches) {
      if (b.firstSequence() == batch.baseSequence() && b.lastSequence == batch.lastSequence()) {
        return b;
      }
    }
    return null;
  }

  void add(short epoch, Batch batch) {
    changeEpoch(epoch);
    batches.addLast(batch);
    if (batches.size() > BATCHES) {
      batches.removeFirst();
    }
    lastTimestamp = batch.timestamp;
  }

  /**
   * Takes in a batch that the log holds before those that are known.
   *
   * @return whether still older ones may be of use: not when five are known, nor at the first of an
   *     epoch
   */
  boolean addOlder(short ofEpoch, Batch batch) {
    if (ofEpoch != epoch || batches.isEmpty()) {
      return false;
    }
    if (batches.size() < BATCHES && batch.lastOffset < batches.getFirst().firstOffset()) {
      batches.addFirst(batch);
    }
    return batches.size() < BATCHES && batches.getFirst().firstSequence() != 0;
  }

  void endTransaction(short epoch, int coordinatorEpoch, long timestamp) {
    changeEpoch(epoch);
    this.coordinatorEpoch = coordinatorEpoch;
    lastTimestamp = timestamp;
    transactionFirstOffset = -1;
  }

  void beginTransaction(long firstOffset) {
    transactionFirstOffset = firstOffset;
  }

  /** As a snapshot has it: at most the newest batch. */
  void restore(short epoch, int coordinatorEpoch, long lastTimestamp, long transactionFirstOffset) {
    this.epoch = epoch;
    this.coordinatorEpoch = coordinatorEpoch;
    this.lastTimestamp = lastTimestamp;
    this.transactionFirstOffset = transactionFirstOffset;
  }

  private void changeEpoch(short to) {
    if (epoch != to) {
      batches.clear();
      epoch = to;
    }
  }
}
