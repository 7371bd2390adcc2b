package dev.vitrine.quorum;

import java.util.List;

/**
 * Hears, on the quorum's shard and in order, what becomes of the metadata log: a snapshot if there
 * is one, then every committed batch exactly once. What it throws ends the node: state that failed
 * to apply a committed record is wrong for good.
 */
public interface RaftListener {
  /** Committed batches that follow directly on what was heard before. Never empty. */
  void handleCommit(List<CommittedBatch> batches);

  /**
   * Replace the whole state by the snapshot's. Comes first after registration when there is a
   * snapshot, and later if this node fell so far behind that the leader no longer has the log.
   *
   * <p>The snapshot {@link OffsetAndEpoch#BOOTSTRAP} holds only what {@code format} wrote. Its
   * records are not committed: a controller that becomes active over an empty log appends them; an
   * image must ignore them.
   */
  void handleLoadSnapshot(Snapshot snapshot);

  /**
   * The leader or the epoch changed. A node hears of its own leadership only after every batch that
   * was committed before its epoch, and the start of its epoch, have been through {@link
   * #handleCommit}: it may decide at once. The loss of leadership comes as a new epoch or as leader
   * -1 of the same epoch.
   */
  void handleLeaderChange(LeaderAndEpoch leader);

  /** No more calls follow. */
  default void beginShutdown() {}
}
