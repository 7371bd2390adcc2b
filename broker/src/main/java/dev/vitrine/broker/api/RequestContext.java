package dev.vitrine.broker.api;

import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.RequestHeader;
import dev.vitrine.seam.Shard;
import io.netty.buffer.ByteBuf;

/**
 * Who asks, and how. Immutable but for the buffer, which belongs to the connection's shard.
 *
 * @param principal such as {@code User:ANONYMOUS}
 * @param clientAddress as Kafka prints it, such as {@code /127.0.0.1}
 * @param frame what the request was read from, alive until the answer; null where the request has
 *     no records and has therefore been copied out of it
 */
public record RequestContext(
    ApiConnection connection,
    RequestHeader header,
    String principal,
    String clientAddress,
    ByteBuf frame) {
  static final String ANONYMOUS = "User:ANONYMOUS";

  /** Of a request that came in another one, as a broker forwards it to the controller. */
  public RequestContext forwarded(RequestHeader inner, String innerPrincipal, String innerAddress) {
    return new RequestContext(connection, inner, innerPrincipal, innerAddress, null);
  }

  public ApiKeys api() {
    return ApiKeys.forId(header.requestApiKey());
  }

  public short version() {
    return header.requestApiVersion();
  }

  public int correlationId() {
    return header.correlationId();
  }

  /** May be null. */
  public String clientId() {
    return header.clientId();
  }

  /** The shard that the connection belongs to, on which the handler is called. */
  public Shard shard() {
    return connection.shard();
  }

  public String connectionId() {
    return connection.id();
  }

  public String listenerName() {
    return connection.listener().name();
  }
}
