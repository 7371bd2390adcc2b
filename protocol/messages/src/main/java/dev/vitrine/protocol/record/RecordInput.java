package dev.vitrine.protocol.record;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * The bytes of the records of one batch, for {@link RecordIterator}: where they lie, or, of a
 * compressed batch, through a window that the decompressed bytes move through. It keeps each read
 * within the current record. The window grows only for a record that is wanted whole, and only as
 * its bytes arrive: a length that is merely claimed allocates nothing. Confined to one thread.
 */
final class RecordInput {
  private static final int CHUNK = 16 * 1024;

  /** A window that grew beyond this is not kept for the next batch. */
  private static final int KEEP = 1024 * 1024;

  /** The batch's own buffer, or the window. */
  private ByteBuf bytes;

  private int position;

  /** Where the current record ends, or what there is of it. */
  private int limit;

  /** Where the batch ends, or what there is in the window. */
  private int end;

  /** How many bytes of the current record have not come into the window. */
  private int beyond;

  /** Null if the batch is not compressed. */
  private InputStream stream;

  /** How many bytes may be decompressed of one batch, and how many are left of them. */
  private long budget = Long.MAX_VALUE;

  private long budgetLeft;

  private byte[] window;
  private ByteBuf windowBuf;

  void budget(long bytes) {
    budget = bytes;
  }

  void open(ByteBuf records, int from, int end) {
    this.bytes = records;
    this.position = from;
    this.end = end;
  }

  void open(Compression compression, ByteBuf records, int from, int end) {
    if (window == null) {
      setWindow(new byte[CHUNK]);
    }
    this.bytes = windowBuf;
    this.position = 0;
    this.end = 0;
    this.budgetLeft = budget;
    try {
      stream = compression.decompress(records, from, end - from);
    } catch (IOException | RuntimeException e) {
      throw notDecompressed(e);
    }
  }

  private void setWindow(byte[] w) {
    window = w;
    windowBuf = Unpooled.wrappedBuffer(w);
  }

  /** Frees what the codec holds; more than once is harmless. */
  void close() {
    InputStream s = stream;
    stream = null;
    bytes = null;
    if (window != null && window.length > KEEP) {
      window = null;
      windowBuf = null;
    }
    if (s != null) {
      try {
        s.close();
      } catch (IOException e) {
        // Nothing is lost: all that was asked for has been read.
      }
    }
  }

  ByteBuf bytes() {
    return bytes;
  }

  int position() {
    return position;
  }

  /** How much of the current record is there without asking the stream. */
  int remaining() {
    return limit - position;
  }

  /** Whether the current record may be longer than {@link #remaining} says. */
  boolean hasMore() {
    return beyond > 0;
  }

  /**
   * Reads the size of the next record and confines all reads to it.
   *
   * @param whole whether all of it must lie in {@link #bytes} from {@link #position} on
   * @param maxSize of a record that is decompressed
   */
  int beginRecord(boolean whole, int maxSize) {
    limit = end;
    beyond = Integer.MAX_VALUE;
    int size = readVarint();
    if (size < 0) {
      throw new InvalidRecordException("Invalid record size: " + size + " is negative.");
    }
    if (stream == null) {
      if (size > end - position) {
        throw new InvalidRecordException(
            "Invalid record size: expected "
                + size
                + " bytes in record payload, but instead the buffer has only "
                + (end - position)
                + " remaining bytes.");
      }
    } else {
      if (size > maxSize) {
        throw new InvalidRecordException(
            "Invalid record size: "
                + size
                + " exceeds the configured maximum record size of "
                + maxSize
                + ".");
      }
      if (whole) {
        bring(size);
      }
    }
    limit = position + Math.min(size, end - position);
    beyond = size - (limit - position);
    return size;
  }

  void endRecord() {
    if (position != limit || beyond != 0) {
      throw new InvalidRecordException(
          "Invalid record size: "
              + ((long) limit - position + beyond)
              + " bytes are left over in a record payload");
    }
  }

  void ensureNoneRemaining() {
    if (position < end || stream != null && fill()) {
      throw new InvalidRecordException(
          "Incorrect declared batch size, records still remaining in file");
    }
  }

  byte readByte() {
    if (position == limit) {
      more();
    }
    return bytes.getByte(position++);
  }

  int readVarint() {
    int v = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      byte b = readByte();
      v |= (b & 0x7f) << shift;
      if (b >= 0) {
        return v >>> 1 ^ -(v & 1);
      }
    }
    throw new InvalidRecordException("Found invalid record structure: a varint of over 5 bytes");
  }

  long readVarlong() {
    long v = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      byte b = readByte();
      v |= (long) (b & 0x7f) << shift;
      if (b >= 0) {
        return v >>> 1 ^ -(v & 1);
      }
    }
    throw new InvalidRecordException("Found invalid record structure: a varlong of over 10 bytes");
  }

  /** Passes over {@code size} bytes; none for a negative size, which means null. */
  void skip(int size) {
    if (size > (long) limit - position + beyond) {
      throw new InvalidRecordException("Found invalid record structure");
    }
    int left = Math.max(0, size);
    while (left > limit - position) {
      left -= limit - position;
      position = limit;
      more();
    }
    position += left;
  }

  /** Gets more of the current record, all of which that was there has been read. */
  private void more() {
    if (beyond == 0) {
      throw new InvalidRecordException("Found invalid record structure");
    }
    if (stream == null || !fill()) {
      throw new InvalidRecordException("Incorrect declared batch size, premature EOF reached");
    }
    limit = Math.min(end, beyond);
    beyond -= limit;
  }

  /** Replaces the window, all of which has been read. */
  private boolean fill() {
    int n = readStream(0, window.length);
    position = 0;
    end = Math.max(0, n);
    return n > 0;
  }

  /** Brings {@code size} bytes into the window from {@link #position} on. */
  private void bring(int size) {
    while (end - position < size) {
      if (end == window.length) {
        if (position > 0) {
          System.arraycopy(window, position, window, 0, end - position);
        } else {
          setWindow(Arrays.copyOf(window, (int) Math.min(2L * window.length, size)));
          bytes = windowBuf;
        }
        end -= position;
        position = 0;
      }
      int n = readStream(end, window.length - end);
      if (n < 0) {
        throw new InvalidRecordException(
            "Invalid record size: expected "
                + size
                + " bytes in record payload, but the record payload reached EOF.");
      }
      end += n;
    }
  }

  private int readStream(int at, int length) {
    if (budgetLeft <= 0) {
      throw new TooLongException();
    }
    int n = decompress(at, length);
    budgetLeft -= n;
    return n;
  }

  private int decompress(int at, int length) {
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
}
