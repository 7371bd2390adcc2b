package dev.vitrine.broker.replication;

import dev.vitrine.config.ReplicationSettings;
import java.util.function.LongSupplier;

/**
 * How followers fetch.
 *
 * @param brokerEpoch of this broker's registration, as of now
 * @param fetching the keys {@code replica.fetch.*} and {@code replica.socket.timeout.ms}
 * @param tellsHighWatermark whether the leader is told how far the high watermark is known here,
 *     and tells at once when it moves: consumers wait for it where they read from followers
 * @param truncateToHighWatermark {@code vitrine.truncation=high-watermark}: a replica that begins
 *     to follow drops all above its own high watermark and asks no leader where their histories
 *     part. It loses records, for teaching
 */
public record FetcherOptions(
    int brokerId,
    LongSupplier brokerEpoch,
    ReplicationSettings.Fetching fetching,
    boolean tellsHighWatermark,
    boolean truncateToHighWatermark) {}
