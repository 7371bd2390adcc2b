package dev.vitrine.controller;

import dev.vitrine.protocol.Errors;

/** A request, or a part of it, is refused with a Kafka error. */
final class ControllerException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final Errors error;

  ControllerException(Errors error, String message) {
    super(message, null, false, false);
    this.error = error;
  }

  ControllerException(Errors error) {
    this(error, error.message());
  }

  Errors error() {
    return error;
  }
}
