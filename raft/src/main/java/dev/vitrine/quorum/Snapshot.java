package dev.vitrine.quorum;

import java.util.List;

/**
 * A checkpoint file as read: the state as of {@code id.offset()}, as records.
 *
 * @param lastContainedLogTimestamp append time of the last record that it covers, milliseconds
 * @param kraftVersion 0 if the configuration says who votes
 * @param voters null at kraft.version 0, and in what {@code format} leaves to a node that is to
 *     join later
 */
public record Snapshot(
    OffsetAndEpoch id,
    long lastContainedLogTimestamp,
    short kraftVersion,
    VoterSet voters,
    List<ApiMessageAndVersion> records) {

  /** At kraft.version 0. */
  public Snapshot(
      OffsetAndEpoch id, long lastContainedLogTimestamp, List<ApiMessageAndVersion> records) {
    this(id, lastContainedLogTimestamp, (short) 0, null, records);
  }
}
