package dev.vitrine.metadata;

import dev.vitrine.protocol.Uuid;

/**
 * One partition that is not what it was.
 *
 * @param before null if it is new
 * @param after null if it is gone
 */
public record PartitionChange(
    String topic, Uuid topicId, int partition, PartitionImage before, PartitionImage after) {}
