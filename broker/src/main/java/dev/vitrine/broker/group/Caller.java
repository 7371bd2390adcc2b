package dev.vitrine.broker.group;

import dev.vitrine.broker.api.RequestContext;

/**
 * Who sends a request to a group.
 *
 * @param host as Kafka keeps it, such as {@code /127.0.0.1}
 * @param version of the request
 */
record Caller(String clientId, String host, short version) {
  static Caller of(RequestContext c) {
    return new Caller(c.clientId() == null ? "" : c.clientId(), c.clientAddress(), c.version());
  }
}
