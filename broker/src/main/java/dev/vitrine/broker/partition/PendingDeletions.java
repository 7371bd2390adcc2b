package dev.vitrine.broker.partition;

import dev.vitrine.protocol.Errors;
import dev.vitrine.seam.Shard;
import dev.vitrine.seam.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The deletions of one partition that wait until every live replica's log starts there. Belongs to
 * the shard of the partition. They are few, so each has its own timer and all are looked at.
 */
final class PendingDeletions {
  private static final class Waiting {
    final long offset;
    final long firstLowWatermark;
    final Consumer<DeleteOutcome> done;
    Timer timer;

    Waiting(long offset, long firstLowWatermark, Consumer<DeleteOutcome> done) {
      this.offset = offset;
      this.firstLowWatermark = firstLowWatermark;
      this.done = done;
    }
  }

  private final Shard shard;
  private final List<Waiting> waiting = new ArrayList<>();

  PendingDeletions(Shard shard) {
    this.shard = shard;
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /**
   * Answers when the low watermark, now {@code lowWatermark}, has come to {@code offset}, perhaps
   * within this call; or with REQUEST_TIMED_OUT and, as Kafka does, the low watermark of now.
   *
   * @param deadline in {@link Shard#ticks}
   */
  void add(long offset, long lowWatermark, long deadline, Consumer<DeleteOutcome> done) {
    if (lowWatermark >= offset) {
      done.accept(new DeleteOutcome(Errors.NONE, lowWatermark));
      return;
    }
    Waiting w = new Waiting(offset, lowWatermark, done);
    waiting.add(w);
    w.timer = shard.schedule(Math.max(0, deadline - shard.ticks()), () -> expire(w));
  }

  private void expire(Waiting w) {
    if (waiting.remove(w)) {
      w.done.accept(new DeleteOutcome(Errors.REQUEST_TIMED_OUT, w.firstLowWatermark));
    }
  }

  /** Answers all whose offset is reached. */
  void deletedUpTo(long lowWatermark) {
    for (Waiting w : List.copyOf(waiting)) {
      if (w.offset <= lowWatermark) {
        end(w, new DeleteOutcome(Errors.NONE, lowWatermark));
      }
    }
  }

  /** The partition has lost its leadership, or is going away. */
  void failAll(Errors error) {
    List.copyOf(waiting).forEach(w -> end(w, DeleteOutcome.failed(error)));
  }

  private void end(Waiting w, DeleteOutcome outcome) {
    if (waiting.remove(w)) {
      w.timer.cancel();
      w.done.accept(outcome);
    }
  }
}
