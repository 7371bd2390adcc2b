package dev.vitrine.broker.group;

import dev.vitrine.protocol.Errors;

/**
 * A request that a group refuses, with the error for the client. No stack trace: it is no fault.
 */
final class GroupException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Errors error;

  GroupException(Errors error) {
    this(error, error.message());
  }

  GroupException(Errors error, String message) {
    super(message, null, false, false);
    this.error = error;
  }

  Errors error() {
    return error;
  }
}
