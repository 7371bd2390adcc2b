package dev.vitrine.protocol.record;

/**
 * A batch decompresses to more than a shard may spend its time on. Says nothing of its soundness.
 */
final class TooLongException extends RuntimeException {
  private static final long serialVersionUID = 1;

  TooLongException() {
    super("too long for a shard", null, false, false);
  }
}
