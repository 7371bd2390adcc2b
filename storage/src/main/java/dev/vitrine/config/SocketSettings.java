package dev.vitrine.config;

/**
 * Connections and the limits of requests.
 *
 * @param sendBufferBytes -1 for the operating system's
 * @param receiveBufferBytes -1 for the operating system's
 * @param maxIdleMs negative for no limit
 */
public record SocketSettings(
    int sendBufferBytes,
    int receiveBufferBytes,
    int requestMaxBytes,
    int listenBacklog,
    long maxIdleMs,
    int fetchMaxBytes,
    int fetchSessionSlots,
    int requestPartitionLimit) {

  static SocketSettings of(ConfigValues v) {
    return new SocketSettings(
        v.int32("socket.send.buffer.bytes"),
        v.int32("socket.receive.buffer.bytes"),
        v.int32("socket.request.max.bytes"),
        v.int32("socket.listen.backlog.size"),
        v.int64("connections.max.idle.ms"),
        v.int32("fetch.max.bytes"),
        v.int32("max.incremental.fetch.session.cache.slots"),
        v.int32("max.request.partition.size.limit"));
  }
}
