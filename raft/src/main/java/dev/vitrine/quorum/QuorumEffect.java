package dev.vitrine.quorum;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.message.FetchResponse;
import dev.vitrine.protocol.message.FetchSnapshotResponse;
import dev.vitrine.protocol.record.Records;
import dev.vitrine.seam.Endpoint;
import java.util.List;

/**
 * What a {@link QuorumCore} wants done, in order. The one rule of durability: whatever leaves the
 * node ({@link Send}, {@link Respond}) waits until each {@link Persist} before it is durable; all
 * else is done at once.
 */
sealed interface QuorumEffect {
  /** Write the {@code quorum-state} file, in the form of this kraft.version. */
  record Persist(ElectionState state, short kraftVersion) implements QuorumEffect {}

  /**
   * Remove all from this offset on, then say {@link QuorumEvent.LogChanged}. The core has checked
   * that nothing committed is among it.
   */
  record TruncateTo(long offset) implements QuorumEffect {}

  /** Append what the leader sent, then say {@link QuorumEvent.LogChanged}. */
  record AppendAsFollower(Records records, int leaderId, int epoch) implements QuorumEffect {}

  /**
   * Append what the quorum writes for itself as one batch, then say {@link QuorumEvent.LogChanged}.
   */
  record AppendControl(List<ControlRecords.Entry> records, int epoch) implements QuorumEffect {}

  /**
   * Make what is in the log durable, then say {@link QuorumEvent.Flushed}. Never overtaken by a
   * truncation: a replica fetches only when all is durable, and truncates only on the answer.
   */
  record Flush() implements QuorumEffect {}

  /**
   * @param nodeId below -1 for a bootstrap server, of which only the endpoint is known
   */
  record Send(long requestId, int nodeId, Endpoint to, ApiMessage message, int timeoutMs)
      implements QuorumEffect {}

  record Respond(long token, ApiMessage message) implements QuorumEffect {}

  /** As {@link Respond}, after setting the records to those from {@code offset} on. */
  record RespondWithRecords(long token, FetchResponse message, long offset, int maxBytes)
      implements QuorumEffect {}

  /** As {@link Respond}, after setting the records to these bytes of a snapshot. */
  record RespondWithSnapshot(
      long token, FetchSnapshotResponse message, OffsetAndEpoch id, long position, int maxBytes)
      implements QuorumEffect {}

  /**
   * Write what the leader sent of a snapshot; at position 0 that begins it. After the last part,
   * let the log go on behind it when it is whole and durable, then say {@link
   * QuorumEvent.SnapshotStored} or {@link QuorumEvent.SnapshotFailed}.
   */
  record StoreSnapshot(OffsetAndEpoch id, long position, Records records, boolean last)
      implements QuorumEffect {}

  /** All below this offset is committed. */
  record HighWatermark(long offset) implements QuorumEffect {}

  /**
   * @param epochStart for a leader where its epoch starts in the log; it may act once that is
   *     committed. 0 for others.
   */
  record LeaderChange(LeaderAndEpoch leader, long epochStart) implements QuorumEffect {}

  /** This node can do nothing more without breaking a promise. */
  record Fail(String why) implements QuorumEffect {}
}
