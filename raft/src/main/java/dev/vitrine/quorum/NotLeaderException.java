package dev.vitrine.quorum;

/** An append or a resignation by a node that does not lead in that epoch (any more). */
public final class NotLeaderException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public NotLeaderException(String message) {
    super(message, null, false, false);
  }
}
