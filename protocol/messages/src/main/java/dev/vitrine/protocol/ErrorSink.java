package dev.vitrine.protocol;

/** Hears the error codes of a response: see {@link ApiMessage#forEachError}. */
public interface ErrorSink {
  /** One error code, 0 for none. */
  void error(short code);
}
