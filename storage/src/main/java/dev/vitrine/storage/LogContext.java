package dev.vitrine.storage;

import dev.vitrine.seam.Disk;
import dev.vitrine.seam.Shard;

/**
 * What a log stands on.
 *
 * @param shard the log's owner: the only thread that may call the log once it is loaded
 * @param recoveryPoints is told before a log cuts off what counts as synced
 */
public record LogContext(Disk disk, Shard shard, RecoveryPoints recoveryPoints) {
  /** Where recovery points are kept. */
  public interface RecoveryPoints {
    /** For a log whose recovery point nobody keeps: it is scanned from its start. */
    RecoveryPoints NOT_KEPT = log -> {};

    /**
     * The log's recovery point or its start offset has gone back. Returns when that is durable;
     * only then does the log truncate, or a power cut could leave bytes that were written anew and
     * never synced below a recovery point from before.
     */
    void lowered(Log log);

    /**
     * All from this offset on is about to be cut off. Returns when nothing durable says any more
     * that it is committed, or a crash could make that count for what is written there next.
     */
    default void cutting(Log log, long offset) {}

    /** The log has failed: what lies in the same directory can't be trusted any more. */
    default void failed(Log log, Throwable why) {}

    /** Why all that is kept here is out of use; null while it is not. Any thread. */
    default Throwable failure() {
      return null;
    }
  }
}
