package dev.vitrine.broker.partition;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.record.Records;
import dev.vitrine.storage.AbortedTransaction;
import dev.vitrine.storage.EpochEnd;
import java.util.List;

/**
 * What a partition answers to a fetch. Whoever takes it owns {@code records} and must send or
 * release them.
 *
 * @param limitSeen the value of the reader's limit when it was read: pass it to {@link
 *     Partition#await} to be woken when there is more
 * @param divergingEpoch the end of the largest epoch not above the reader's last one, when the
 *     reader must truncate; else null
 * @param abortedTransactions for readers of committed records; null for the others
 * @param elsewhere whom to ask instead; null where there is nothing to say
 */
public record ReadOutcome(
    Errors error,
    Bounds bounds,
    Records records,
    long limitSeen,
    EpochEnd divergingEpoch,
    List<AbortedTransaction> abortedTransactions,
    Elsewhere elsewhere) {

  /** The partition's offsets at the time; -1 where an error leaves nothing to say. */
  public record Bounds(long highWatermark, long lastStableOffset, long logStartOffset) {
    static final Bounds UNKNOWN = new Bounds(-1, -1, -1);
  }

  /** Who else may have what was asked for. */
  public sealed interface Elsewhere {}

  /** With an error: the leader, as far as it is known here; -1 where nobody is. */
  public record LeaderAndEpoch(int leaderId, int leaderEpoch) implements Elsewhere {}

  /** Without one: a follower that is nearer to the reader (KIP-392). Nothing was read. */
  public record PreferredReplica(int brokerId) implements Elsewhere {}

  public static ReadOutcome failed(Errors error) {
    return failed(error, null);
  }

  public static ReadOutcome failed(Errors error, LeaderAndEpoch currentLeader) {
    return new ReadOutcome(error, Bounds.UNKNOWN, Records.EMPTY, -1, null, null, currentLeader);
  }

  /** The same without the records, which have been released. */
  public ReadOutcome without() {
    return new ReadOutcome(
        error, bounds, Records.EMPTY, limitSeen, divergingEpoch, abortedTransactions, elsewhere);
  }

  public long highWatermark() {
    return bounds.highWatermark;
  }

  public long lastStableOffset() {
    return bounds.lastStableOffset;
  }

  public long logStartOffset() {
    return bounds.logStartOffset;
  }

  /** The leader that an error came with; null if none did. */
  public LeaderAndEpoch currentLeader() {
    return elsewhere instanceof LeaderAndEpoch leader ? leader : null;
  }

  /** The replica to read from, or -1 for this one. */
  public int preferredReplica() {
    return elsewhere instanceof PreferredReplica replica ? replica.brokerId : -1;
  }
}
