package dev.vitrine.broker.net;

import java.util.function.Consumer;

/** What {@link HttpListener} serves. Called on its own thread, where it must not block. */
public interface HttpService {
  /**
   * @param answer called once, on the same thread, within this call or later: with null if there is
   *     nothing at this path
   * @throws IllegalArgumentException if the question is wrong; the message says how
   */
  void answer(HttpQuestion question, Consumer<HttpAnswer> answer);
}
