/**
 * The group coordinator: groups of the classic and of the consumer protocol (KIP-848) and committed
 * offsets, kept in {@code __consumer_offsets} in Kafka's records. One {@link
 * dev.vitrine.broker.group.PartitionCoordinator} for each partition of that topic which this broker
 * leads, owned by the partition's shard.
 *
 * <pre>
 *   handler ─► GroupRouter ─► ShardCoordinators ─► PartitionCoordinator ─► ClassicJoin, OffsetCommits ...
 *                                                     │ append(records, done)
 *                                                     ▼
 *                                   log ─► GroupImage.with(record) ─► committed ─► done
 * </pre>
 *
 * What a consumer group does is decided by pure steps, from a {@link
 * dev.vitrine.broker.group.ConsumerGroupImage} to records, in {@link
 * dev.vitrine.broker.group.ConsumerHeartbeat}; {@link dev.vitrine.broker.group.ConsumerGroups}
 * appends them and keeps the timers.
 */
package dev.vitrine.broker.group;
