package dev.vitrine.protocol.record;

/** The error codes of the protocol that batches can earn. */
final class ErrorCodes {
  static final short CORRUPT_MESSAGE = 2;
  static final short MESSAGE_TOO_LARGE = 10;
  static final short INVALID_TIMESTAMP = 32;
  static final short UNSUPPORTED_COMPRESSION_TYPE = 76;
  static final short INVALID_RECORD = 87;

  private ErrorCodes() {}
}
