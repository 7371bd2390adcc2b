package dev.vitrine.protocol.record;

import io.netty.buffer.ByteBuf;

/**
 * What a record of a control batch is. Its key is four bytes: the version (0) and this type, each
 * an int16. The value's layout is the type's; all but the end of a transaction are generated
 * messages.
 */
public enum ControlRecordType {
  ABORT(0),
  COMMIT(1),
  LEADER_CHANGE(2),
  SNAPSHOT_HEADER(3),
  SNAPSHOT_FOOTER(4),
  KRAFT_VERSION(5),
  KRAFT_VOTERS(6),

  /** A type of a later version, to be passed over. */
  UNKNOWN(-1);

  private static final ControlRecordType[] VALUES = values();

  private final short type;

  ControlRecordType(int type) {
    this.type = (short) type;
  }

  public short type() {
    return type;
  }

  /** A fresh array: the key of a control record of this type. */
  public byte[] key() {
    if (this == UNKNOWN) {
      throw new IllegalStateException("an unknown control record is never written");
    }
    return new byte[] {0, 0, (byte) (type >> 8), (byte) type};
  }

  public static ControlRecordType forType(short type) {
    return type >= 0 && type < UNKNOWN.ordinal() ? VALUES[type] : UNKNOWN;
  }

  /**
   * The type that a record's key says. A later version is read as this one, as Kafka does.
   *
   * @throws InvalidRecordException if it is null or not such a key
   */
  public static ControlRecordType parse(ByteBuf key) {
    if (key == null || key.readableBytes() < 4) {
      throw new InvalidRecordException(
          "Invalid value size found for end control record key. Must have at least 4 bytes, but found only "
              + (key == null ? 0 : key.readableBytes()));
    }
    short version = key.getShort(key.readerIndex());
    if (version < 0) {
      throw new InvalidRecordException(
          "Invalid version found for control record: "
              + version
              + ". May indicate data corruption");
    }
    return forType(key.getShort(key.readerIndex() + 2));
  }
}
