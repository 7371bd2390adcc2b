package dev.vitrine.protocol;

/**
 * Bytes that are not what the protocol says they must be. Its cost is small: no stack trace, it is
 * a peer's fault.
 */
public final class MalformedMessageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public MalformedMessageException(String message) {
    super(message, null, false, false);
  }
}
