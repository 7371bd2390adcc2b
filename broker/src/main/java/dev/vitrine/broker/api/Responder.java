package dev.vitrine.broker.api;

import dev.vitrine.protocol.ApiMessage;
import java.util.function.Supplier;

/**
 * Where the answer of one request goes. Exactly one of these is called, once, from any thread, also
 * when the connection has ended meanwhile: only then are the request's buffers given back.
 */
public interface Responder {
  /** Sends the answer, and takes over the records in it. */
  void respond(ApiMessage response);

  /**
   * As {@link #respond(ApiMessage)}, for an answer that counts against a quota by its size.
   *
   * @param ifThrottled makes what is sent in its place when the quota is used up
   */
  default void respond(ApiMessage response, Supplier<ApiMessage> ifThrottled) {
    respond(response);
  }

  /** Ends a request that wants no answer, as a Produce with {@code acks=0}. */
  void respondNothing();

  /** Closes the connection once what stands before this request is answered. */
  void close();
}
