package dev.vitrine.rpc;

/**
 * How a client names itself and how patient it is; all times in milliseconds.
 *
 * @param reconnectBackoffMs the wait after the first failed connection, doubled after each further
 *     one, give or take a fifth: Kafka's {@code reconnect.backoff.ms}
 * @param reconnectBackoffMaxMs Kafka's {@code reconnect.backoff.max.ms}
 * @param connectTimeoutMs until a connection is made and the versions are known
 */
public record RpcOptions(
    String clientId, long reconnectBackoffMs, long reconnectBackoffMaxMs, long connectTimeoutMs) {
  public static RpcOptions of(String clientId) {
    return new RpcOptions(clientId, 50, 1000, 3000);
  }
}
