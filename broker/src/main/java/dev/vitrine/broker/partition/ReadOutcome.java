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
 */
public record ReadOutcome(
    Errors error,
    long highWatermark,
    long lastStableOffset,
    long logStartOffset,
    Records records,
    long limitSeen,
    EpochEnd divergingEpoch,
    List<AbortedTransaction> abortedTransactions,
    LeaderAndEpoch currentLeader) {

  /** Whom to ask instead; -1 where nobody is known. */
  public record LeaderAndEpoch(int leaderId, int leaderEpoch) {}

  public static ReadOutcome failed(Errors error) {
    return failed(error, null);
  }

  public static ReadOutcome failed(Errors error, LeaderAndEpoch currentLeader) {
    return new ReadOutcome(error, -1, -1, -1, Records.EMPTY, -1, null, null, currentLeader);
  }

  /** The same without the records, which have been released. */
  public ReadOutcome without() {
    return new ReadOutcome(
        error,
        highWatermark,
        lastStableOffset,
        logStartOffset,
        Records.EMPTY,
        limitSeen,
        divergingEpoch,
        abortedTransactions,
        currentLeader);
  }
}
