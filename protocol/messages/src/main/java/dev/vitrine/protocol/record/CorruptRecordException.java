package dev.vitrine.protocol.record;

/**
 * Bytes that are not a whole record batch: wrong length, magic or CRC. Kafka answers
 * CORRUPT_MESSAGE. Without a stack trace: it is the bytes' fault.
 */
public final class CorruptRecordException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public CorruptRecordException(String message) {
    super(message, null, false, false);
  }
}
