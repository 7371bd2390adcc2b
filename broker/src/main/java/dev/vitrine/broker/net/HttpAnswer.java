package dev.vitrine.broker.net;

/**
 * An answer by HTTP: plain text.
 *
 * @param status such as 200
 */
public record HttpAnswer(int status, String text) {
  public static HttpAnswer done(String text) {
    return new HttpAnswer(200, text);
  }

  /** The question is wrong; the text says how. */
  public static HttpAnswer wrong(String text) {
    return new HttpAnswer(400, text);
  }
}
