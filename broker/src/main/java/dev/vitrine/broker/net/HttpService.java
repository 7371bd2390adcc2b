package dev.vitrine.broker.net;

/** What {@link HttpListener} serves. Called on its own thread, where it must not block. */
public interface HttpService {
  /** Null if there is nothing at this path. */
  HttpAnswer answer(HttpQuestion question);
}
