package dev.vitrine.broker.partition;

import dev.vitrine.protocol.Uuid;
import dev.vitrine.seam.Shard;
import dev.vitrine.storage.Log;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * What all partitions of a shard share.
 *
 * @param brokerEpoch of this broker's registration
 * @param maxLagMs {@code replica.lag.time.max.ms}
 * @param directories the id of the directory that holds a log
 * @param committed hears, on the shard, of every move of a high watermark and every loss of a
 *     leadership: the coordinators that live on a partition wait for both
 */
public record PartitionContext(
    Shard shard,
    int brokerId,
    LongSupplier brokerEpoch,
    long maxLagMs,
    ReplicaEligibility brokers,
    IsrProposals proposals,
    BatchAppender appender,
    Function<Log, Uuid> directories,
    Consumer<Partition> committed) {}
