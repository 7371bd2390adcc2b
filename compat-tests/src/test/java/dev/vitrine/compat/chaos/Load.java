package dev.vitrine.compat.chaos;

/** A client that works on its own thread until it is closed, and writes down what it is told. */
public interface Load extends AutoCloseable {
  /** Ends it, in peace where it can: what it was waiting for is waited for. */
  @Override
  void close();
}
