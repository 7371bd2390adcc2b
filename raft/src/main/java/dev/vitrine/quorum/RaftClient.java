package dev.vitrine.quorum;

import java.util.List;
import java.util.function.Supplier;

/**
 * The replicated log as its users see it. Every method is called on the quorum's shard; a listener
 * is never called from within one of them.
 */
public interface RaftClient {
  /** The listener first hears the latest snapshot, then everything committed, from a later task. */
  void register(RaftListener listener);

  void unregister(RaftListener listener);

  /**
   * Appends the records as one batch: they are committed together or not at all. Durable and
   * committed only when {@link RaftListener#handleCommit} says so.
   *
   * @param epoch the epoch in which the caller believes to lead
   * @return the offset of the last record
   * @throws NotLeaderException if this node does not lead in that epoch
   * @throws IllegalArgumentException if there are no records or their batch is larger than {@link
   *     #MAX_BATCH_BYTES}
   */
  long append(int epoch, List<ApiMessageAndVersion> records);

  /** As in Kafka: 8 MiB. */
  int MAX_BATCH_BYTES = 8 << 20;

  /** Gives up the leadership of this epoch, if this node has it; the best follower takes over. */
  void resign(int epoch);

  /** May name this node before {@link RaftListener#handleLeaderChange} has. */
  LeaderAndEpoch leaderAndEpoch();

  /** The end of what is known to be committed (exclusive), or -1. */
  long highWatermark();

  /** The end of the local log (exclusive). */
  long logEndOffset();

  /** As the log has it, committed or not: at 1 the voters are in the log (KIP-853). */
  short kraftVersion();

  /**
   * Raises kraft.version from 0 to 1: puts the voters into the log.
   *
   * @param epoch the epoch in which the caller believes to lead
   * @param validateOnly only says whether it could be
   * @return why not, or null; committed with the next record that is
   */
  String upgradeKraftVersion(int epoch, short version, boolean validateOnly);

  /**
   * Writes a snapshot on a disk worker, so that the log before it may go when its time has come.
   * Nothing happens if there is a later one, or another is being written or fetched.
   *
   * @param id the end of what it covers, which this listener has heard, and the epoch before it
   * @param lastContainedLogTimestamp append time of the last record in it, milliseconds
   * @param records the whole state; called on the disk worker
   * @return whether it is being written
   */
  boolean createSnapshot(
      OffsetAndEpoch id,
      long lastContainedLogTimestamp,
      Supplier<List<ApiMessageAndVersion>> records);
}
