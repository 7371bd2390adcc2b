package dev.vitrine.protocol.record;

import dev.vitrine.protocol.Varint;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufOutputStream;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * Writes one record batch at the writer index of a buffer: set what the header shall say, append
 * records in the order of their offsets, {@link #build}. The bytes are Kafka's own (for a
 * compressed batch up to the freedom that a codec has). Keeps no reference to what it is given.
 * Only a compressed batch that is given up before {@link #build} needs {@link #close}. Confined to
 * one thread, for one batch.
 */
public final class BatchBuilder implements AutoCloseable {
  private static final int FLUSH_AT = 16 * 1024;

  private final ByteBuf out;
  private final int start;
  private long baseOffset;
  private int partitionLeaderEpoch = RecordBatch.NO_PARTITION_LEADER_EPOCH;
  private Compression compression = Compression.NONE;
  private int level;
  private long producerId = RecordBatch.NO_PRODUCER_ID;
  private short producerEpoch = RecordBatch.NO_PRODUCER_EPOCH;
  private int baseSequence = RecordBatch.NO_SEQUENCE;
  private int flags;
  private long logAppendTime;

  private boolean hasBaseTimestamp;
  private long baseTimestamp = RecordBatch.NO_TIMESTAMP;
  private long maxTimestamp = RecordBatch.NO_TIMESTAMP;
  private long lastOffset;
  private int count;
  private int uncompressedSize = BatchHeader.SIZE;

  /** Where records go: {@link #out} itself, or a piece that is compressed when it is large. */
  private ByteBuf sink;

  private OutputStream compressor;

  public BatchBuilder(ByteBuf out) {
    this.out = out;
    this.start = out.writerIndex();
  }

  /** The offset of the first record that {@code append} gets, 0 unless set. */
  public BatchBuilder baseOffset(long v) {
    baseOffset = v;
    return this;
  }

  public BatchBuilder partitionLeaderEpoch(int v) {
    partitionLeaderEpoch = v;
    return this;
  }

  public BatchBuilder compression(Compression v) {
    return compression(v, v.defaultLevel());
  }

  public BatchBuilder compression(Compression v, int level) {
    compression = v;
    this.level = level;
    return this;
  }

  public BatchBuilder producer(long id, short epoch, int baseSequence) {
    this.producerId = id;
    this.producerEpoch = epoch;
    this.baseSequence = baseSequence;
    return this;
  }

  public BatchBuilder transactional(boolean v) {
    return flag(BatchHeader.TRANSACTIONAL_FLAG, v);
  }

  public BatchBuilder control(boolean v) {
    return flag(BatchHeader.CONTROL_FLAG, v);
  }

  /** Makes the timestamp type LogAppendTime and this time the maximum. */
  public BatchBuilder logAppendTime(long ms) {
    logAppendTime = ms;
    return flag(BatchHeader.LOG_APPEND_TIME_FLAG, true);
  }

  /** The time from which compaction may drop the tombstones; becomes the base timestamp. */
  public BatchBuilder deleteHorizon(long ms) {
    baseTimestamp = ms;
    hasBaseTimestamp = true;
    return flag(BatchHeader.DELETE_HORIZON_FLAG, true);
  }

  private BatchBuilder flag(int flag, boolean v) {
    flags = v ? flags | flag : flags & ~flag;
    return this;
  }

  public BatchBuilder append(long timestamp, byte[] key, byte[] value) {
    return append(
        timestamp,
        key == null ? null : Unpooled.wrappedBuffer(key),
        value == null ? null : Unpooled.wrappedBuffer(value),
        List.of());
  }

  /** Appends at the next offset; the readable bytes of the buffers, whose indexes stay. */
  public BatchBuilder append(
      long timestamp, ByteBuf key, ByteBuf value, List<RecordHeader> headers) {
    return appendAt(count == 0 ? baseOffset : lastOffset + 1, timestamp, key, value, headers);
  }

  /**
   * Appends at an offset above the last one: what remains after compaction has gaps.
   *
   * @throws IllegalArgumentException if it is not above, or too far from the base offset
   */
  public BatchBuilder appendAt(
      long offset, long timestamp, ByteBuf key, ByteBuf value, List<RecordHeader> headers) {
    if (count > 0 && offset <= lastOffset) {
      throw new IllegalArgumentException("offset " + offset + " after " + lastOffset);
    }
    int offsetDelta = offsetDelta(offset);
    if (count == 0) {
      begin();
    }
    if (!hasBaseTimestamp) {
      hasBaseTimestamp = true;
      baseTimestamp = timestamp;
    }
    maxTimestamp = Math.max(maxTimestamp, timestamp);
    write(timestamp - baseTimestamp, offsetDelta, key, value, headers);
    lastOffset = offset;
    count++;
    return this;
  }

  private int offsetDelta(long offset) {
    long delta = offset - baseOffset;
    if (delta < 0 || delta > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("offset " + offset + " from base " + baseOffset);
    }
    return (int) delta;
  }

  private void begin() {
    out.writeZero(BatchHeader.SIZE);
    sink = out;
    if (compression != Compression.NONE) {
      sink = Unpooled.buffer(FLUSH_AT);
      try {
        compressor = compression.compress(new ByteBufOutputStream(out), level);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private void write(
      long timestampDelta, int offsetDelta, ByteBuf key, ByteBuf value, List<RecordHeader> hs) {
    int size = bodySize(timestampDelta, offsetDelta, key, value, hs);
    uncompressedSize += Varint.sizeOf(size) + size;
    Varint.write(sink, size);
    sink.writeByte(0);
    Varint.write(sink, timestampDelta);
    Varint.write(sink, offsetDelta);
    writeBytes(key);
    writeBytes(value);
    Varint.write(sink, hs.size());
    for (RecordHeader h : hs) {
      Varint.write(sink, ByteBufUtil.utf8Bytes(h.key()));
      ByteBufUtil.writeUtf8(sink, h.key());
      writeBytes(h.value());
    }
    if (compressor != null && sink.writerIndex() >= FLUSH_AT) {
      flushSink();
    }
  }

  private void writeBytes(ByteBuf bytes) {
    if (bytes == null) {
      Varint.write(sink, -1);
    } else {
      Varint.write(sink, bytes.readableBytes());
      sink.writeBytes(bytes, bytes.readerIndex(), bytes.readableBytes());
    }
  }

  private static int bodySize(
      long timestampDelta, int offsetDelta, ByteBuf key, ByteBuf value, List<RecordHeader> hs) {
    int size =
        1
            + Varint.sizeOf(timestampDelta)
            + Varint.sizeOf(offsetDelta)
            + sizeOfBytes(key)
            + sizeOfBytes(value)
            + Varint.sizeOf(hs.size());
    for (RecordHeader h : hs) {
      int keySize = ByteBufUtil.utf8Bytes(h.key());
      size += Varint.sizeOf(keySize) + keySize + sizeOfBytes(h.value());
    }
    return size;
  }

  private static int sizeOfBytes(ByteBuf bytes) {
    return bytes == null ? 1 : Varint.sizeOf(bytes.readableBytes()) + bytes.readableBytes();
  }

  private void flushSink() {
    try {
      compressor.write(sink.array(), sink.arrayOffset(), sink.writerIndex());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    sink.clear();
  }

  public int recordCount() {
    return count;
  }

  /** The size of the batch so far if it were not compressed, header included. */
  public int uncompressedSizeInBytes() {
    return uncompressedSize;
  }

  /** What has been written so far, header included; a compressor may hold back more. */
  public int writtenBytes() {
    return out.writerIndex() - start;
  }

  /**
   * Upper bound of what a record adds to {@link #uncompressedSizeInBytes}, for who must not write
   * past a limit.
   */
  public static int maxRecordSize(int keySize, int valueSize) {
    return 5 + 1 + 10 + 5 + 5 + Math.max(0, keySize) + 5 + Math.max(0, valueSize) + 5;
  }

  /** The largest timestamp so far, or the time of the append. */
  public long maxTimestamp() {
    return (flags & BatchHeader.LOG_APPEND_TIME_FLAG) != 0 ? logAppendTime : maxTimestamp;
  }

  /** Ends the batch and returns its size; without records nothing was written and it is 0. */
  public int build() {
    return count == 0 ? 0 : build(lastOffset);
  }

  /**
   * As {@link #build}, with a last offset above that of the last record, which compaction keeps;
   * this one also writes a batch without records.
   */
  public int build(long lastOffset) {
    if (count > 0 && lastOffset < this.lastOffset) {
      throw new IllegalArgumentException("last offset " + lastOffset + " < " + this.lastOffset);
    }
    int lastOffsetDelta = offsetDelta(lastOffset);
    if (count == 0) {
      out.writeZero(BatchHeader.SIZE);
    }
    if (compressor != null) {
      flushSink();
      closeCompressor();
    }
    int size = out.writerIndex() - start;
    out.setLong(start + BatchHeader.BASE_OFFSET, baseOffset);
    out.setInt(start + BatchHeader.LENGTH, size - BatchHeader.LOG_OVERHEAD);
    out.setInt(start + BatchHeader.PARTITION_LEADER_EPOCH, partitionLeaderEpoch);
    out.setByte(start + BatchHeader.MAGIC, BatchHeader.MAGIC_V2);
    out.setShort(start + BatchHeader.ATTRIBUTES, flags | (count == 0 ? 0 : compression.id()));
    out.setInt(start + BatchHeader.LAST_OFFSET_DELTA, lastOffsetDelta);
    out.setLong(start + BatchHeader.BASE_TIMESTAMP, baseTimestamp);
    out.setLong(start + BatchHeader.MAX_TIMESTAMP, maxTimestamp());
    out.setLong(start + BatchHeader.PRODUCER_ID, producerId);
    out.setShort(start + BatchHeader.PRODUCER_EPOCH, producerEpoch);
    out.setInt(start + BatchHeader.BASE_SEQUENCE, baseSequence);
    out.setInt(start + BatchHeader.RECORD_COUNT, count);
    new RecordBatch(out, start).writeCrc();
    return size;
  }

  private void closeCompressor() {
    OutputStream c = compressor;
    compressor = null;
    try {
      c.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Frees what the codec holds if the batch was not built; what was written is of no use then. */
  @Override
  public void close() {
    if (compressor != null) {
      closeCompressor();
    }
  }
}
