package dev.vitrine.config;

import static dev.vitrine.config.ConfigRule.anyList;
import static dev.vitrine.config.ConfigRule.atLeast;
import static dev.vitrine.config.ConfigRule.nonEmptyList;
import static dev.vitrine.config.Mark.NO_EFFECT;
import static dev.vitrine.config.UpdateMode.CLUSTER_WIDE;
import static dev.vitrine.config.UpdateMode.PER_BROKER;

/** Listeners, connections, and the limits of requests. */
final class SocketKeys {
  private SocketKeys() {}

  static void define(ConfigTable.Builder t) {
    t.list("listeners", "PLAINTEXT://:9092", nonEmptyList(), PER_BROKER)
        .doc(
            "Where this node listens: NAME://host:port, comma-separated; an empty host is every address of the machine.");
    t.list("advertised.listeners", null, nonEmptyList())
        .doc(
            "What clients and other nodes are told to connect to; what listeners says when not set.");
    t.string(
            "listener.security.protocol.map",
            "SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT",
            PER_BROKER)
        .doc("The security protocol of each listener name: NAME:PROTOCOL, comma-separated.");
    t.list("early.start.listeners", null, anyList(), NO_EFFECT)
        .doc("Listeners that take requests before the authorizer is ready.");
    t.int32("num.network.threads", 3, atLeast(1), CLUSTER_WIDE, NO_EFFECT)
        .doc("Threads that serve sockets in Apache Kafka; here vitrine.shards takes their place.");
    t.int32("queued.max.requests", 500, atLeast(1), NO_EFFECT)
        .doc("How many requests may wait before sockets are no longer read.");
    t.int64("queued.max.request.bytes", -1L, NO_EFFECT)
        .doc(
            "How many bytes of requests may wait before sockets are no longer read; -1 is no limit.");
    t.int32("socket.send.buffer.bytes", 102_400)
        .doc("SO_SNDBUF of a listener's sockets; -1 leaves it to the operating system.");
    t.int32("socket.receive.buffer.bytes", 102_400)
        .doc("SO_RCVBUF of a listener's sockets; -1 leaves it to the operating system.");
    t.int32("socket.request.max.bytes", 104_857_600, atLeast(1))
        .doc("The largest request; a connection that announces a larger one is closed.");
    t.int32("socket.listen.backlog.size", 50, atLeast(1))
        .doc("How many connections may wait to be accepted.");
    t.int32("max.connections", Integer.MAX_VALUE, atLeast(0), CLUSTER_WIDE)
        .doc(
            "How many connections one listener, or with a listener prefix that listener, holds at most.");
    t.int32("max.connections.per.ip", Integer.MAX_VALUE, atLeast(0), CLUSTER_WIDE)
        .doc("How many connections one address may hold.");
    t.string("max.connections.per.ip.overrides", "", CLUSTER_WIDE)
        .doc("Other limits for some addresses or host names: host:number, comma-separated.");
    t.int32("max.connection.creation.rate", Integer.MAX_VALUE, atLeast(0), CLUSTER_WIDE)
        .doc("How many connections are accepted in a second.");
    t.int64("connections.max.idle.ms", 600_000L)
        .doc("A connection on which nothing moved for so long is closed.");
    t.int32("connection.failed.authentication.delay.ms", 100, atLeast(0), NO_EFFECT)
        .doc("How long the close of a connection that failed to authenticate is held back.");
    t.int32("fetch.max.bytes", 57_671_680, atLeast(1024))
        .doc(
            "The most bytes that one Fetch is answered with, though the first batch is always given.");
    t.int32("max.incremental.fetch.session.cache.slots", 1000, atLeast(0))
        .doc("How many fetch sessions a broker keeps.");
    t.int32("max.request.partition.size.limit", 2000, atLeast(1))
        .doc("How many partitions one answer may describe.");
    t.int32("fetch.purgatory.purge.interval.requests", 1000, NO_EFFECT)
        .doc("How many finished fetches may linger before they are cleared.");
    t.int32("producer.purgatory.purge.interval.requests", 1000, NO_EFFECT)
        .doc("How many finished produces may linger before they are cleared.");
    t.int32("delete.records.purgatory.purge.interval.requests", 1, NO_EFFECT)
        .doc("How many finished deletions of records may linger before they are cleared.");
  }
}
