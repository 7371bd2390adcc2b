package dev.vitrine.protocol.record;

import dev.vitrine.protocol.Varint;

/**
 * Walks the records of one batch: {@code while (it.next()) { it.record() }}, then {@link #close}.
 * Records of an uncompressed batch are read where they lie, without allocation. A compressed batch
 * is decompressed in chunks, and needs the memory of its largest record; without content it does
 * not even need that. All that Kafka calls an invalid record is refused. Confined to one thread;
 * can be {@link #reset} to another batch.
 */
public final class RecordIterator implements AutoCloseable {
  /** A larger record of a compressed batch is refused. */
  public static final int DEFAULT_MAX_RECORD_SIZE = 64 * 1024 * 1024;

  private final Record record = new Record();
  private final RecordInput in = new RecordInput();
  private int maxRecordSize = DEFAULT_MAX_RECORD_SIZE;

  private long baseOffset;
  private long baseTimestamp;
  private boolean logAppendTime;
  private long maxTimestamp;
  private int baseSequence;
  private int remainingRecords;

  /** Whether the batch is open, so that what follows the last record is looked at. */
  private boolean open;

  private boolean withContent;

  public RecordIterator() {}

  /**
   * Refuses larger records of compressed batches ({@code max.decompressed.message.bytes}). With
   * their content they must also fit in memory, so that the default is much less than Kafka's.
   */
  public RecordIterator maxRecordSize(int bytes) {
    maxRecordSize = bytes;
    return this;
  }

  /**
   * Ends the walk of a compressed batch with a {@link TooLongException} when about this many bytes
   * have been decompressed: for who must not be kept.
   */
  RecordIterator budget(long bytes) {
    in.budget(bytes);
    return this;
  }

  /**
   * Starts on the batch, whose bytes must stay as they are until the end.
   *
   * @throws InvalidRecordException if the record count is negative or the codec unknown
   * @throws CorruptRecordException if the compressed bytes do not begin as they must
   */
  public RecordIterator reset(RecordBatch batch) {
    return reset(batch, true);
  }

  /** As {@link #reset}; keys, values and headers of a compressed batch are only passed over. */
  public RecordIterator resetWithoutContent(RecordBatch batch) {
    return reset(batch, false);
  }

  private RecordIterator reset(RecordBatch batch, boolean withContent) {
    close();
    baseOffset = batch.baseOffset();
    baseTimestamp = batch.baseTimestamp();
    maxTimestamp = batch.maxTimestamp();
    logAppendTime = batch.timestampType() == TimestampType.LOG_APPEND_TIME;
    baseSequence = batch.baseSequence();
    int count = batch.recordCount();
    if (count < 0) {
      throw new InvalidRecordException(
          "Found invalid record count " + count + " in magic v2 batch");
    }
    if (count == 0) {
      // What compaction left of a batch: as in Kafka, nothing is looked at.
      return this;
    }
    int from = batch.index() + BatchHeader.SIZE;
    int end = batch.index() + batch.sizeInBytes();
    Compression compression = batch.compression();
    if (compression == Compression.NONE) {
      in.open(batch.buffer(), from, end);
    } else {
      in.open(compression, batch.buffer(), from, end);
    }
    this.withContent = withContent || compression == Compression.NONE;
    remainingRecords = count;
    open = true;
    return this;
  }

  /** The same object each time, valid after {@link #next} was true and until the next call. */
  public Record record() {
    return record;
  }

  /**
   * @throws InvalidRecordException if a record is not as the format says, or records are missing or
   *     left over
   * @throws CorruptRecordException if the bytes cannot be decompressed
   */
  public boolean next() {
    if (remainingRecords == 0) {
      if (open) {
        in.ensureNoneRemaining();
        close();
      }
      return false;
    }
    int size = in.beginRecord(withContent, maxRecordSize);
    record.sizeInBytes = Varint.sizeOf(size) + size;
    record.buffer = withContent ? in.bytes() : null;
    readHead();
    record.keySize = Math.max(-1, in.readVarint());
    record.keyIndex = in.position();
    in.skip(record.keySize);
    record.valueSize = Math.max(-1, in.readVarint());
    record.valueIndex = in.position();
    in.skip(record.valueSize);
    readHeaders();
    in.endRecord();
    remainingRecords--;
    return true;
  }

  private void readHead() {
    record.attributes = in.readByte();
    long timestampDelta = in.readVarlong();
    record.timestamp = logAppendTime ? maxTimestamp : baseTimestamp + timestampDelta;
    int offsetDelta = in.readVarint();
    record.offsetDelta = offsetDelta;
    record.offset = baseOffset + offsetDelta;
    record.sequence =
        baseSequence >= 0
            ? RecordBatch.incrementSequence(baseSequence, offsetDelta)
            : RecordBatch.NO_SEQUENCE;
  }

  /** Checks the headers' structure; {@link Record#headers} makes objects of them if asked. */
  private void readHeaders() {
    int count = in.readVarint();
    if (count < 0) {
      throw new InvalidRecordException("Found invalid number of record headers " + count);
    }
    if (count > in.remaining() && !in.hasMore()) {
      throw new InvalidRecordException(
          "Found invalid number of record headers. "
              + count
              + " is larger than the remaining size of the buffer");
    }
    record.headerCount = count;
    record.headersIndex = in.position();
    for (int i = 0; i < count; i++) {
      int keySize = in.readVarint();
      if (keySize < 0) {
        throw new InvalidRecordException("Invalid negative header key size " + keySize);
      }
      in.skip(keySize);
      in.skip(in.readVarint());
    }
  }

  /** Frees what the codec holds; more than once is harmless. */
  @Override
  public void close() {
    remainingRecords = 0;
    open = false;
    in.close();
  }
}
