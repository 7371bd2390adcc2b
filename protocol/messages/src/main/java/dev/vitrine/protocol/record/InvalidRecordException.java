package dev.vitrine.protocol.record;

/**
 * A batch whose CRC is right but whose records are not what the format says. Kafka answers
 * INVALID_RECORD. Without a stack trace: it is the producer's fault.
 */
public final class InvalidRecordException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public InvalidRecordException(String message) {
    super(message, null, false, false);
  }
}
