package dev.vitrine.protocol.record;

/**
 * Where each field of a record batch of format 2 stands, from the first byte of the batch. The CRC
 * covers everything from {@link #ATTRIBUTES} on, so that the fields before it (base offset, leader
 * epoch) can be set without touching it.
 */
public final class BatchHeader {
  public static final int BASE_OFFSET = 0;

  /** The number of bytes that follow this field. */
  public static final int LENGTH = 8;

  public static final int PARTITION_LEADER_EPOCH = 12;
  public static final int MAGIC = 16;
  public static final int CRC = 17;
  public static final int ATTRIBUTES = 21;
  public static final int LAST_OFFSET_DELTA = 23;
  public static final int BASE_TIMESTAMP = 27;
  public static final int MAX_TIMESTAMP = 35;
  public static final int PRODUCER_ID = 43;
  public static final int PRODUCER_EPOCH = 51;
  public static final int BASE_SEQUENCE = 53;
  public static final int RECORD_COUNT = 57;

  /** The size of the header, and so of the smallest batch. */
  public static final int SIZE = 61;

  /** Base offset and length: what must be read to know how long the batch is. */
  public static final int LOG_OVERHEAD = 12;

  /** The magic of the only format that is read and written. */
  public static final byte MAGIC_V2 = 2;

  static final int COMPRESSION_MASK = 0x07;
  static final int LOG_APPEND_TIME_FLAG = 0x08;
  static final int TRANSACTIONAL_FLAG = 0x10;
  static final int CONTROL_FLAG = 0x20;
  static final int DELETE_HORIZON_FLAG = 0x40;

  static final int KNOWN_FLAGS = 0x7f;

  private BatchHeader() {}
}
