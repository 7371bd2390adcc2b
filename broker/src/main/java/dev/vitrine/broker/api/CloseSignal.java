package dev.vitrine.broker.api;

/** Something with an end that others may want to hear of: a client's connection. */
public interface CloseSignal {
  /**
   * Runs {@code hook} when it ends, for what is kept for it: a parked request, a session.
   *
   * @return what takes the hook back
   */
  Runnable onClose(Runnable hook);
}
