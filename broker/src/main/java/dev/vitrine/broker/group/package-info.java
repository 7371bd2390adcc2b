/**
 * The group coordinator: consumer groups of the classic protocol and committed offsets, kept in
 * {@code __consumer_offsets} in Kafka's records. One {@link
 * dev.vitrine.broker.group.PartitionCoordinator} for each partition of that topic which this broker
 * leads, owned by the partition's shard.
 *
 * <pre>
 *   handler ─► GroupRouter ─► ShardCoordinators ─► PartitionCoordinator ─► ClassicJoin, OffsetCommits ...
 *                                                     │ append(records, done)
 *                                                     ▼
 *                                   log ─► GroupImage.with(record) ─► committed ─► done
 * </pre>
 */
package dev.vitrine.broker.group;
