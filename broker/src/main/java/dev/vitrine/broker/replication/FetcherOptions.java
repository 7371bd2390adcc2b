package dev.vitrine.broker.replication;

import java.util.function.LongSupplier;

/**
 * How followers fetch, from the keys {@code replica.fetch.*} and {@code replica.socket.timeout.ms}.
 * All times in milliseconds.
 *
 * @param brokerEpoch of this broker's registration, as of now
 * @param responseMaxBytes {@code replica.fetch.response.max.bytes}
 * @param partitionMaxBytes {@code replica.fetch.max.bytes}
 * @param truncateToHighWatermark {@code vitrine.truncation=high-watermark}: a replica that begins
 *     to follow drops all above its own high watermark and asks no leader where their histories
 *     part. It loses records, for teaching
 */
public record FetcherOptions(
    int brokerId,
    LongSupplier brokerEpoch,
    int maxWaitMs,
    int minBytes,
    int responseMaxBytes,
    int partitionMaxBytes,
    long backoffMs,
    long requestTimeoutMs,
    boolean truncateToHighWatermark) {}
