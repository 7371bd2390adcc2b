package dev.vitrine.protocol;

/** A response that says for how long a quota holds its client back (KIP-13, KIP-219). */
public interface ThrottledResponse extends ApiMessage {
  /** Milliseconds from the answer on, in which the broker reads nothing more of the connection. */
  int throttleTimeMs();

  ThrottledResponse throttleTimeMs(int value);
}
