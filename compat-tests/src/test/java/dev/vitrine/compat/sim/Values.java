package dev.vitrine.compat.sim;

/** What the values of records begin with, which says what was promised of them. */
final class Values {
  /**
   * {@code p}, producer, {@code /}, partition, {@code /}, number: each once, in order, if at all.
   */
  static final String IDEMPOTENT = "p";

  /** With {@code acks=all}, but perhaps more than once. */
  static final String PLAIN = "q";

  /** With {@code acks=1}: may be lost, with a leader that was left alone. */
  static final String LEADER_ONLY = "o";

  private Values() {}
}
