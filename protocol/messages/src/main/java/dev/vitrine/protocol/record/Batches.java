package dev.vitrine.protocol.record;

import io.netty.buffer.ByteBuf;

/**
 * Walks the record batches that lie one behind the other in a buffer, checking each length before
 * it is believed, and nothing else (CRC and records are {@link RecordBatch}'s). What it means that
 * the bytes end within a batch is the caller's: a fetched piece may, a produced one may not.
 * Confined to one thread; can be used again after {@link #reset}.
 */
public final class Batches {
  /** Why {@link #next} said false. */
  public enum End {
    /** There may be more. */
    NOT_YET,
    /** The last batch ended where the bytes end. */
    COMPLETE,
    /** The bytes end within a batch. */
    PARTIAL,
    /** A length or magic that no batch has; {@link #problem} says which. */
    CORRUPT,
    /** A message of format 0 or 1, which is no longer read. */
    OLD_MAGIC
  }

  private final RecordBatch batch = new RecordBatch();
  private ByteBuf buffer;
  private int position;
  private int limit;
  private int currentSize;
  private End end;
  private String problem;
  private boolean undersized;

  public Batches() {}

  /** Over the readable bytes. */
  public Batches(ByteBuf buffer) {
    reset(buffer, buffer.readerIndex(), buffer.readableBytes());
  }

  /** Starts again, over {@code length} bytes from the absolute {@code index}. */
  public Batches reset(ByteBuf buffer, int index, int length) {
    this.buffer = buffer;
    this.position = index;
    this.limit = index + length;
    this.currentSize = 0;
    this.end = End.NOT_YET;
    this.problem = null;
    this.undersized = false;
    return this;
  }

  /** Moves to the next whole batch; false at the end, the reason is {@link #end}. */
  public boolean next() {
    if (end != End.NOT_YET) {
      return false;
    }
    position += currentSize;
    currentSize = 0;
    int remaining = limit - position;
    if (remaining == 0) {
      return stop(End.COMPLETE, null);
    }
    if (remaining < BatchHeader.LOG_OVERHEAD) {
      return stop(End.PARTIAL, "the bytes end within a batch header");
    }
    int length = buffer.getInt(position + BatchHeader.LENGTH);
    // The smallest message that any format has, so that an old one is told from garbage.
    if (length < 14) {
      return stop(
          End.CORRUPT, "Record size " + length + " is less than the minimum record overhead (14)");
    }
    if (remaining <= BatchHeader.MAGIC) {
      return stop(End.PARTIAL, "the bytes end within a batch header");
    }
    byte magic = buffer.getByte(position + BatchHeader.MAGIC);
    if (magic < 0 || magic > BatchHeader.MAGIC_V2) {
      return stop(End.CORRUPT, "Invalid magic found in record: " + magic);
    }
    if (length > remaining - BatchHeader.LOG_OVERHEAD) {
      return stop(
          End.PARTIAL,
          "the bytes end within a batch of " + length + " + " + BatchHeader.LOG_OVERHEAD);
    }
    if (magic < BatchHeader.MAGIC_V2) {
      return stop(End.OLD_MAGIC, "a message of format " + magic);
    }
    if (length < BatchHeader.SIZE - BatchHeader.LOG_OVERHEAD) {
      undersized = true;
      return stop(
          End.CORRUPT,
          "Record batch is corrupted (the size "
              + (length + BatchHeader.LOG_OVERHEAD)
              + " is smaller than the minimum allowed overhead "
              + BatchHeader.SIZE
              + ")");
    }
    currentSize = BatchHeader.LOG_OVERHEAD + length;
    batch.wrap(buffer, position);
    return true;
  }

  private boolean stop(End end, String problem) {
    this.end = end;
    this.problem = problem;
    return false;
  }

  /** The same object each time, valid after {@link #next} was true and until the next call. */
  public RecordBatch batch() {
    return batch;
  }

  public End end() {
    return end;
  }

  /** In words, or null. */
  public String problem() {
    return problem;
  }

  /** Whether the corrupt batch has a length that an older format may have: Kafka counts it. */
  boolean isUndersized() {
    return undersized;
  }

  /** The absolute index of the current batch; at the end, of the first byte that was not used. */
  public int position() {
    return position;
  }
}
