package dev.vitrine.quorum;

import java.util.List;

/**
 * One batch of the log that is committed: its records were appended together and are applied
 * together. {@code records} is empty for a control batch, of which a listener only sees that the
 * offset moves on.
 *
 * @param lastOffset inclusive
 * @param epoch the epoch of the leader that appended it
 * @param appendTimestamp that leader's wall clock, milliseconds
 */
public record CommittedBatch(
    long baseOffset,
    long lastOffset,
    int epoch,
    long appendTimestamp,
    int sizeInBytes,
    List<ApiMessageAndVersion> records) {}
