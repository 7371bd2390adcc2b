package dev.vitrine.broker.net;

import java.io.IOException;

/** A frame whose length cannot be. The text is Kafka's; no stack trace, it is a peer's fault. */
final class InvalidFrameException extends IOException {
  private static final long serialVersionUID = 1L;

  private InvalidFrameException(String message) {
    super(message);
  }

  static InvalidFrameException negative(int size) {
    return new InvalidFrameException("Invalid receive (size = " + size + ")");
  }

  static InvalidFrameException tooLarge(int size, int max) {
    return new InvalidFrameException(
        "Invalid receive (size = " + size + " larger than " + max + ")");
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
