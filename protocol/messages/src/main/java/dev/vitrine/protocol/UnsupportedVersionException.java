package dev.vitrine.protocol;

/**
 * A message cannot be written in this version: it has no such version, or a field is set that it
 * cannot carry.
 */
public final class UnsupportedVersionException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UnsupportedVersionException(String message) {
    super(message);
  }
}
