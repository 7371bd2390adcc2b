package dev.vitrine.protocol.record;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Walks the records of one batch: {@code while (it.next()) { it.record() }}, then {@link #close}.
 * Records of an uncompressed batch are read where they lie, without allocation. A compressed batch
 * is decompressed in chunks through a window that grows to the largest record and no further,
 * whatever a length claims; without content it does not even grow to that. All that Kafka calls an
 * invalid record is refused. Confined to one thread; can be {@link #reset} to another batch.
 */
public final class RecordIterator implements AutoCloseable {
  /** A larger record of a compressed batch is refused. */
  public static final int DEFAULT_MAX_RECORD_SIZE = 64 * 1024 * 1024;

  private static final int CHUNK = 16 * 1024;

  /** A window that grew beyond this is not kept for the next batch. */
  private static final int KEEP = 1024 * 1024;

  private final Record record = new Record();
  private int maxRecordSize = DEFAULT_MAX_RECORD_SIZE;

  /** Where {@link #parse} reads; the batch's own buffer, or the window. */
  private ByteBuf bytes;

  private int position;
  private int limit;

  private long baseOffset;
  private long baseTimestamp;
  private boolean logAppendTime;
  private long maxTimestamp;
  private int baseSequence;
  private int remainingRecords;

  /** Null if the batch is not compressed. */
  private InputStream stream;

  private boolean withContent;
  private byte[] window;
  private ByteBuf windowBuf;

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
    this.withContent = withContent;
    baseOffset = batch.baseOffset();
    baseTimestamp = batch.baseTimestamp();
    maxTimestamp = batch.maxTimestamp();
    logAppendTime = batch.timestampType() == TimestampType.LOG_APPEND_TIME;
    baseSequence = batch.baseSequence();
    remainingRecords = batch.recordCount();
    if (remainingRecords < 0) {
      throw new InvalidRecordException(
          "Found invalid record count " + remainingRecords + " in magic v2 batch");
    }
    if (remainingRecords == 0) {
      // What compaction left of a batch: as in Kafka, nothing is looked at.
      return this;
    }
    int from = batch.index() + BatchHeader.SIZE;
    int end = batch.index() + batch.sizeInBytes();
    Compression compression = batch.compression();
    if (compression == Compression.NONE) {
      bytes = batch.buffer();
      position = from;
      limit = end;
      return this;
    }
    if (window == null) {
      window = new byte[CHUNK];
      windowBuf = Unpooled.wrappedBuffer(window);
    }
    bytes = windowBuf;
    position = 0;
    limit = 0;
    try {
      stream = compression.decompress(batch.buffer(), from, end - from);
    } catch (IOException | RuntimeException e) {
      throw notDecompressed(e);
    }
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
      ensureNoneRemaining();
      close();
      return false;
    }
    if (stream == null) {
      int start = position;
      int size = readVarint();
      if (size < 0 || size > limit - position) {
        throw new InvalidRecordException(
            "Invalid record size: expected "
                + size
                + " bytes in record payload, but instead the buffer has only "
                + (limit - position)
                + " remaining bytes.");
      }
      record.sizeInBytes = size + position - start;
      parse(position + size);
    } else {
      nextOfStream();
    }
    remainingRecords--;
    return true;
  }

  private void nextOfStream() {
    int size = 0;
    int sizeOfSize = 0;
    byte b;
    do {
      if (sizeOfSize == 5) {
        throw new InvalidRecordException("Found invalid record structure");
      }
      if (position == limit && !fill()) {
        throw new InvalidRecordException("Incorrect declared batch size, premature EOF reached");
      }
      b = window[position++];
      size |= (b & 0x7f) << (7 * sizeOfSize++);
    } while (b < 0);
    size = size >>> 1 ^ -(size & 1);
    if (size < 0) {
      throw new InvalidRecordException("Invalid record size: " + size + " is negative.");
    }
    if (size > maxRecordSize) {
      throw new InvalidRecordException(
          "Invalid record size: "
              + size
              + " exceeds the configured maximum record size of "
              + maxRecordSize
              + ".");
    }
    record.sizeInBytes = sizeOfSize + size;
    if (withContent) {
      bring(size);
      parse(position + size);
    } else {
      pass(size);
    }
  }

  /** Parses one record body that lies in {@link #bytes} and must end at {@code end}. */
  private void parse(int end) {
    int outerLimit = limit;
    limit = end;
    record.buffer = bytes;
    head(readByte(), readVarlong(), readVarint());
    record.keySize = Math.max(-1, readVarint());
    record.keyIndex = position;
    skip(record.keySize);
    record.valueSize = Math.max(-1, readVarint());
    record.valueIndex = position;
    skip(record.valueSize);
    int headers = readVarint();
    if (headers < 0) {
      throw new InvalidRecordException("Found invalid number of record headers " + headers);
    }
    if (headers > limit - position) {
      throw new InvalidRecordException(
          "Found invalid number of record headers. "
              + headers
              + " is larger than the remaining size of the buffer");
    }
    record.headerCount = headers;
    record.headersIndex = position;
    for (int i = 0; i < headers; i++) {
      int keySize = readVarint();
      if (keySize < 0) {
        throw new InvalidRecordException("Invalid negative header key size " + keySize);
      }
      skip(keySize);
      skip(readVarint());
    }
    if (position != end) {
      throw new InvalidRecordException(
          "Invalid record size: " + (end - position) + " bytes are left over in a record payload");
    }
    limit = outerLimit;
  }

  private void head(byte attributes, long timestampDelta, int offsetDelta) {
    record.attributes = attributes;
    record.timestamp = logAppendTime ? maxTimestamp : baseTimestamp + timestampDelta;
    record.offsetDelta = offsetDelta;
    record.offset = baseOffset + offsetDelta;
    record.sequence =
        baseSequence >= 0
            ? RecordBatch.incrementSequence(baseSequence, offsetDelta)
            : RecordBatch.NO_SEQUENCE;
  }

  private byte readByte() {
    if (position == limit) {
      throw new InvalidRecordException("Found invalid record structure");
    }
    return bytes.getByte(position++);
  }

  private int readVarint() {
    int v = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      byte b = readByte();
      v |= (b & 0x7f) << shift;
      if (b >= 0) {
        return v >>> 1 ^ -(v & 1);
      }
    }
    throw new InvalidRecordException("Found invalid record structure");
  }

  private long readVarlong() {
    long v = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      byte b = readByte();
      v |= (long) (b & 0x7f) << shift;
      if (b >= 0) {
        return v >>> 1 ^ -(v & 1);
      }
    }
    throw new InvalidRecordException("Found invalid record structure");
  }

  /** Nothing for a negative size, which means null. */
  private void skip(int size) {
    if (size > limit - position) {
      throw new InvalidRecordException("Found invalid record structure");
    }
    position += Math.max(0, size);
  }

  /** Brings {@code size} bytes into the window from {@link #position} on. */
  private void bring(int size) {
    while (limit - position < size) {
      if (limit == window.length) {
        if (position > 0) {
          System.arraycopy(window, position, window, 0, limit - position);
        } else {
          // Doubles as bytes really arrive; the claimed size alone allocates nothing.
          window = Arrays.copyOf(window, (int) Math.min(2L * window.length, size));
          windowBuf = Unpooled.wrappedBuffer(window);
          bytes = windowBuf;
        }
        limit -= position;
        position = 0;
      }
      int n = readStream(limit, window.length - limit);
      if (n < 0) {
        throw new InvalidRecordException(
            "Invalid record size: expected "
                + size
                + " bytes in record payload, but the record payload ended early");
      }
      limit += n;
    }
  }

  /** Replaces the whole window, all of which has been used. */
  private boolean fill() {
    int n = readStream(0, window.length);
    position = 0;
    limit = Math.max(0, n);
    return n > 0;
  }

  private int readStream(int at, int length) {
    try {
      int n;
      do {
        n = stream.read(window, at, length);
      } while (n == 0);
      return n;
    } catch (IOException | RuntimeException e) {
      throw notDecompressed(e);
    }
  }

  private static CorruptRecordException notDecompressed(Exception e) {
    return new CorruptRecordException("Failed to decompress record stream: " + e.getMessage());
  }

  private void ensureNoneRemaining() {
    boolean more = stream == null ? position != limit && bytes != null : position < limit || fill();
    if (more) {
      throw new InvalidRecordException(
          "Incorrect declared batch size, records still remaining in file");
    }
  }

  /** Frees what the codec holds; more than once is harmless. */
  @Override
  public void close() {
    InputStream s = stream;
    stream = null;
    bytes = null;
    remainingRecords = 0;
    passRemaining = 0;
    if (window != null && window.length > KEEP) {
      window = null;
    }
    if (s != null) {
      try {
        s.close();
      } catch (IOException e) {
        // Nothing is lost: all that was asked for has been read.
      }
    }
  }

  // Passing over a record of a stream without keeping its content.

  /** Bytes of the current record that have not been passed. */
  private int passRemaining;

  private void pass(int size) {
    passRemaining = size;
    record.buffer = null;
    head(passByte(), passVarlong(), passVarint());
    record.keySize = Math.max(-1, passVarint());
    passBytes(record.keySize);
    record.valueSize = Math.max(-1, passVarint());
    passBytes(record.valueSize);
    int headers = passVarint();
    if (headers < 0) {
      throw new InvalidRecordException("Found invalid number of record headers " + headers);
    }
    record.headerCount = headers;
    for (int i = 0; i < headers; i++) {
      int keySize = passVarint();
      if (keySize < 0) {
        throw new InvalidRecordException("Invalid negative header key size " + keySize);
      }
      passBytes(keySize);
      passBytes(passVarint());
    }
    if (passRemaining != 0) {
      throw new InvalidRecordException(
          "Invalid record size: " + passRemaining + " bytes are left over in a record payload");
    }
  }

  private byte passByte() {
    if (passRemaining == 0) {
      throw new InvalidRecordException("Found invalid record structure");
    }
    if (position == limit && !fill()) {
      throw new InvalidRecordException("Invalid record size: the record payload ended early");
    }
    passRemaining--;
    return window[position++];
  }

  private int passVarint() {
    int v = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      byte b = passByte();
      v |= (b & 0x7f) << shift;
      if (b >= 0) {
        return v >>> 1 ^ -(v & 1);
      }
    }
    throw new InvalidRecordException("Found invalid record structure");
  }

  private long passVarlong() {
    long v = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      byte b = passByte();
      v |= (long) (b & 0x7f) << shift;
      if (b >= 0) {
        return v >>> 1 ^ -(v & 1);
      }
    }
    throw new InvalidRecordException("Found invalid record structure");
  }

  private void passBytes(int size) {
    int left = Math.max(0, size);
    if (left > passRemaining) {
      throw new InvalidRecordException("Found invalid record structure");
    }
    passRemaining -= left;
    while (left > 0) {
      if (position == limit && !fill()) {
        throw new InvalidRecordException("Invalid record size: the record payload ended early");
      }
      int n = Math.min(left, limit - position);
      position += n;
      left -= n;
    }
  }
}
