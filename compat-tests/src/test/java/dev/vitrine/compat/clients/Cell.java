package dev.vitrine.compat.clients;

/**
 * What came of one step with one client.
 *
 * @param text as it stands in the table: {@link #OK}, {@link #NOT_OFFERED}, the name of an error,
 *     or {@link #WRONG}
 * @param detail for whom the text surprises; may be empty
 */
record Cell(String text, String detail) {
  static final String OK = "ok";
  static final String NOT_OFFERED = "–";

  /** It did something else than it was told, or nothing at all. Never expected. */
  static final String WRONG = "WRONG";
}
