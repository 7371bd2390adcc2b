package dev.vitrine.protocol.record;

import io.netty.buffer.ByteBuf;
import java.util.zip.CRC32C;

/**
 * A view of one record batch (format 2) where it lies in a buffer: {@link #wrap} it around the next
 * one, nothing is allocated or copied. The getters check nothing: whoever wraps must know that
 * {@link BatchHeader#SIZE} bytes are there ({@link Batches} knows), and that the whole batch is
 * before asking for its CRC or records. Neither index of the buffer is used or moved, and no
 * reference is held. Confined to one thread.
 */
public final class RecordBatch {
  public static final long NO_PRODUCER_ID = -1;
  public static final short NO_PRODUCER_EPOCH = -1;
  public static final int NO_SEQUENCE = -1;
  public static final long NO_TIMESTAMP = -1;
  public static final int NO_PARTITION_LEADER_EPOCH = -1;

  private final CRC32C crc32c = new CRC32C();
  private ByteBuf buffer;
  private int index;

  public RecordBatch() {}

  public RecordBatch(ByteBuf buffer, int index) {
    wrap(buffer, index);
  }

  /** Moves this view to the batch whose first byte is at the absolute {@code index}. */
  public RecordBatch wrap(ByteBuf buffer, int index) {
    this.buffer = buffer;
    this.index = index;
    return this;
  }

  public ByteBuf buffer() {
    return buffer;
  }

  /** The absolute index of the first byte in {@link #buffer}. */
  public int index() {
    return index;
  }

  /** The bytes of the batch as a slice that is not retained. */
  public ByteBuf slice() {
    return buffer.slice(index, sizeInBytes());
  }

  public long baseOffset() {
    return buffer.getLong(index + BatchHeader.BASE_OFFSET);
  }

  /** Header included. Overflows if the length field is near its maximum: check it before. */
  public int sizeInBytes() {
    return BatchHeader.LOG_OVERHEAD + buffer.getInt(index + BatchHeader.LENGTH);
  }

  public int partitionLeaderEpoch() {
    return buffer.getInt(index + BatchHeader.PARTITION_LEADER_EPOCH);
  }

  public byte magic() {
    return buffer.getByte(index + BatchHeader.MAGIC);
  }

  /** The CRC-32C that the batch claims, unsigned. */
  public long crc() {
    return buffer.getUnsignedInt(index + BatchHeader.CRC);
  }

  public short attributes() {
    return buffer.getShort(index + BatchHeader.ATTRIBUTES);
  }

  /** Only the low byte holds known flags. */
  private int flags() {
    return buffer.getByte(index + BatchHeader.ATTRIBUTES + 1);
  }

  /** The three bits as they are: an id that {@link Compression#forId} may not know. */
  public int compressionId() {
    return flags() & BatchHeader.COMPRESSION_MASK;
  }

  /**
   * @throws InvalidRecordException if the id is unknown
   */
  public Compression compression() {
    return Compression.forId(compressionId());
  }

  public boolean isCompressed() {
    return compressionId() != 0;
  }

  public TimestampType timestampType() {
    return (flags() & BatchHeader.LOG_APPEND_TIME_FLAG) != 0
        ? TimestampType.LOG_APPEND_TIME
        : TimestampType.CREATE_TIME;
  }

  public boolean isTransactional() {
    return (flags() & BatchHeader.TRANSACTIONAL_FLAG) != 0;
  }

  public boolean isControl() {
    return (flags() & BatchHeader.CONTROL_FLAG) != 0;
  }

  /** Whether {@link #baseTimestamp} is the time from which compaction may drop tombstones. */
  public boolean hasDeleteHorizon() {
    return (flags() & BatchHeader.DELETE_HORIZON_FLAG) != 0;
  }

  public int lastOffsetDelta() {
    return buffer.getInt(index + BatchHeader.LAST_OFFSET_DELTA);
  }

  public long lastOffset() {
    return baseOffset() + lastOffsetDelta();
  }

  public long nextOffset() {
    return lastOffset() + 1;
  }

  public long baseTimestamp() {
    return buffer.getLong(index + BatchHeader.BASE_TIMESTAMP);
  }

  public long maxTimestamp() {
    return buffer.getLong(index + BatchHeader.MAX_TIMESTAMP);
  }

  public long producerId() {
    return buffer.getLong(index + BatchHeader.PRODUCER_ID);
  }

  public boolean hasProducerId() {
    return producerId() > NO_PRODUCER_ID;
  }

  public short producerEpoch() {
    return buffer.getShort(index + BatchHeader.PRODUCER_EPOCH);
  }

  public int baseSequence() {
    return buffer.getInt(index + BatchHeader.BASE_SEQUENCE);
  }

  /** Wraps around after {@link Integer#MAX_VALUE}; {@link #NO_SEQUENCE} if there is none. */
  public int lastSequence() {
    int base = baseSequence();
    return base == NO_SEQUENCE ? NO_SEQUENCE : incrementSequence(base, lastOffsetDelta());
  }

  public int recordCount() {
    return buffer.getInt(index + BatchHeader.RECORD_COUNT);
  }

  /** The CRC-32C of the bytes that it covers. The whole batch must be in the buffer. */
  public long computeCrc() {
    return crcOf(buffer, index + BatchHeader.ATTRIBUTES, sizeInBytes() - BatchHeader.ATTRIBUTES);
  }

  private long crcOf(ByteBuf b, int from, int length) {
    crc32c.reset();
    if (b.hasArray()) {
      crc32c.update(b.array(), b.arrayOffset() + from, length);
    } else if (b.nioBufferCount() == 1) {
      // Not internalNioBuffer: two shards may hold slices of one frame, and it is shared by them.
      crc32c.update(b.nioBuffer(from, length));
    } else {
      for (var part : b.nioBuffers(from, length)) {
        crc32c.update(part);
      }
    }
    return crc32c.getValue();
  }

  /** Whether size and CRC are right; says nothing about the records within. */
  public boolean isValid() {
    return sizeInBytes() >= BatchHeader.SIZE && crc() == computeCrc();
  }

  /**
   * @throws CorruptRecordException unless {@link #isValid}
   */
  public void ensureValid() {
    if (sizeInBytes() < BatchHeader.SIZE) {
      throw new CorruptRecordException(
          "Record batch is corrupted (the size "
              + sizeInBytes()
              + " is smaller than the minimum allowed overhead "
              + BatchHeader.SIZE
              + ")");
    }
    long computed = computeCrc();
    if (crc() != computed) {
      throw new CorruptRecordException(
          "Record is corrupt (stored crc = " + crc() + ", computed crc = " + computed + ")");
    }
  }

  /** Leaves the CRC as it is: it does not cover this field. */
  public void setBaseOffset(long v) {
    buffer.setLong(index + BatchHeader.BASE_OFFSET, v);
  }

  /** Moves the base offset so that the last record gets offset {@code v}. */
  public void setLastOffset(long v) {
    setBaseOffset(v - lastOffsetDelta());
  }

  /** Leaves the CRC as it is: it does not cover this field. */
  public void setPartitionLeaderEpoch(int v) {
    buffer.setInt(index + BatchHeader.PARTITION_LEADER_EPOCH, v);
  }

  /** Computes the CRC again, if anything changes. */
  public void setMaxTimestamp(TimestampType type, long maxTimestamp) {
    if (timestampType() == type && maxTimestamp() == maxTimestamp) {
      return;
    }
    int flags = flags() & ~BatchHeader.LOG_APPEND_TIME_FLAG;
    if (type == TimestampType.LOG_APPEND_TIME) {
      flags |= BatchHeader.LOG_APPEND_TIME_FLAG;
    }
    // As Kafka does, what has no meaning yet goes: the upper byte and the uppermost flag.
    buffer.setShort(index + BatchHeader.ATTRIBUTES, flags & BatchHeader.KNOWN_FLAGS);
    buffer.setLong(index + BatchHeader.MAX_TIMESTAMP, maxTimestamp);
    writeCrc();
  }

  /** Computes the CRC again: the delta from base to last offset, which compaction keeps. */
  public void setLastOffsetDelta(int v) {
    buffer.setInt(index + BatchHeader.LAST_OFFSET_DELTA, v);
    writeCrc();
  }

  /** Stores the CRC of what is there now. */
  void writeCrc() {
    buffer.setInt(index + BatchHeader.CRC, (int) computeCrc());
  }

  /**
   * The records in their order, to be closed. Of a compressed batch they are decompressed on the
   * way.
   */
  public RecordIterator records() {
    return new RecordIterator().reset(this);
  }

  /** As {@link #records}, but keys and values of a compressed batch are passed over. */
  public RecordIterator recordsWithoutContent() {
    return new RecordIterator().resetWithoutContent(this);
  }

  /** {@code sequence + by}, going from {@link Integer#MAX_VALUE} to 0. */
  public static int incrementSequence(int sequence, int by) {
    return sequence > Integer.MAX_VALUE - by
        ? by - (Integer.MAX_VALUE - sequence) - 1
        : sequence + by;
  }

  @Override
  public String toString() {
    return "RecordBatch(offsets=["
        + baseOffset()
        + ", "
        + lastOffset()
        + "], records="
        + recordCount()
        + ", leaderEpoch="
        + partitionLeaderEpoch()
        + ", attributes="
        + attributes()
        + ", producer="
        + producerId()
        + "/"
        + producerEpoch()
        + "/"
        + baseSequence()
        + ", maxTimestamp="
        + maxTimestamp()
        + ", size="
        + sizeInBytes()
        + ")";
  }
}
