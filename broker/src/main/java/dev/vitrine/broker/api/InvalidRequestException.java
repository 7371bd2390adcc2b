package dev.vitrine.broker.api;

/**
 * A frame that is no request of this listener: its connection is closed. The text is Kafka's. No
 * stack trace, it is a peer's fault.
 */
final class InvalidRequestException extends Exception {
  private static final long serialVersionUID = 1L;

  InvalidRequestException(String message) {
    super(message, null, false, false);
  }
}
