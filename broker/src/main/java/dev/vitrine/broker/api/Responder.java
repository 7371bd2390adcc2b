package dev.vitrine.broker.api;

import dev.vitrine.protocol.ApiMessage;

/**
 * Where the answer of one request goes. Exactly one of these is called, once, from any thread, also
 * when the connection has ended meanwhile: only then are the request's buffers given back.
 */
public interface Responder {
  /** Sends the answer, and takes over the records in it. */
  void respond(ApiMessage response);

  /** Ends a request that wants no answer, as a Produce with {@code acks=0}. */
  void respondNothing();

  /** Closes the connection once what stands before this request is answered. */
  void close();
}
