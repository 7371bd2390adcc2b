package dev.vitrine.quorum;

import java.util.List;

/**
 * A checkpoint file as read: the state as of {@code id.offset()}, as records.
 *
 * @param lastContainedLogTimestamp append time of the last record that it covers, milliseconds
 */
public record Snapshot(
    OffsetAndEpoch id, long lastContainedLogTimestamp, List<ApiMessageAndVersion> records) {}
