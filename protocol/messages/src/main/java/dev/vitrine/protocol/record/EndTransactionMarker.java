package dev.vitrine.protocol.record;

import io.netty.buffer.ByteBuf;

/**
 * The record that ends a transaction in a partition: ABORT or COMMIT, and the epoch of the
 * transaction coordinator that wrote it. Its value is a version (0, int16) and the epoch (int32).
 */
public record EndTransactionMarker(ControlRecordType type, int coordinatorEpoch) {
  private static final int VALUE_SIZE = 6;

  public EndTransactionMarker {
    if (type != ControlRecordType.ABORT && type != ControlRecordType.COMMIT) {
      throw new IllegalArgumentException("Invalid control record type for end marker: " + type);
    }
  }

  public byte[] value() {
    int e = coordinatorEpoch;
    return new byte[] {0, 0, (byte) (e >> 24), (byte) (e >> 16), (byte) (e >> 8), (byte) e};
  }

  /**
   * Appends the batch of the marker to {@code out} and returns its size. Its offset and leader
   * epoch are left to the log.
   */
  public int writeBatch(ByteBuf out, long producerId, short producerEpoch, long timestamp) {
    return new BatchBuilder(out)
        .producer(producerId, producerEpoch, RecordBatch.NO_SEQUENCE)
        .transactional(true)
        .control(true)
        .append(timestamp, type.key(), value())
        .build();
  }

  /**
   * Reads a record of a control batch that is known to be one of the two types.
   *
   * @throws InvalidRecordException if it is not a marker
   */
  public static EndTransactionMarker parse(Record record) {
    ControlRecordType type = ControlRecordType.parse(record.key());
    ByteBuf value = record.value();
    if (type != ControlRecordType.ABORT && type != ControlRecordType.COMMIT) {
      throw new InvalidRecordException("Invalid control record type for end marker: " + type);
    }
    if (value == null || value.readableBytes() < VALUE_SIZE) {
      throw new InvalidRecordException(
          "Invalid value size found for end transaction marker. Must have at least 6 bytes, but found only "
              + (value == null ? 0 : value.readableBytes()));
    }
    short version = value.getShort(0);
    if (version < 0) {
      throw new InvalidRecordException(
          "Invalid version found for end transaction marker: "
              + version
              + ". May indicate data corruption");
    }
    return new EndTransactionMarker(type, value.getInt(2));
  }
}
