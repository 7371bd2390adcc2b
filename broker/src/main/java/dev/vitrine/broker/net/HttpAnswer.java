package dev.vitrine.broker.net;

/**
 * An answer by HTTP: text.
 *
 * @param status such as 200
 * @param type its media type
 */
public record HttpAnswer(int status, String type, String text) {
  private static final String PLAIN = "text/plain; charset=utf-8";

  /** Plain text. */
  public HttpAnswer(int status, String text) {
    this(status, PLAIN, text);
  }

  public static HttpAnswer done(String text) {
    return new HttpAnswer(200, text);
  }

  /** The question is wrong; the text says how. */
  public static HttpAnswer wrong(String text) {
    return new HttpAnswer(400, text);
  }
}
