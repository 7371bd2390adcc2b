package dev.vitrine.broker.partition;

import dev.vitrine.seam.Shard;
import dev.vitrine.seam.Timer;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The appends of one partition that wait for the high watermark ({@code acks=all}). Belongs to the
 * shard of the partition. Keeps one timer for all of them; a timer that fires early is armed again,
 * since time-outs are rare and appends are not.
 */
final class PendingAppends {
  private record Waiting(
      long requiredOffset, long deadline, AppendOutcome outcome, Consumer<AppendOutcome> done)
      implements Comparable<Waiting> {
    @Override
    public int compareTo(Waiting o) {
      return Long.compare(requiredOffset, o.requiredOffset);
    }
  }

  private final Shard shard;
  private final PriorityQueue<Waiting> waiting = new PriorityQueue<>();
  private Timer timer;
  private long armedFor = Long.MAX_VALUE;

  PendingAppends(Shard shard) {
    this.shard = shard;
  }

  /**
   * Parks an append until {@code requiredOffset} is below the high watermark.
   *
   * @param deadline in {@link Shard#ticks}
   */
  void add(
      long requiredOffset, long deadline, AppendOutcome outcome, Consumer<AppendOutcome> done) {
    waiting.add(new Waiting(requiredOffset, deadline, outcome, done));
    arm(deadline);
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  int size() {
    return waiting.size();
  }

  /** Completes all whose records are now committed. */
  void committedUpTo(long highWatermark, Function<AppendOutcome, AppendOutcome> verdict) {
    Waiting head;
    while ((head = waiting.peek()) != null && head.requiredOffset <= highWatermark) {
      waiting.poll();
      head.done.accept(verdict.apply(head.outcome));
    }
  }

  /**
   * Completes all with the same failure: the partition has lost its leadership, or is going away.
   */
  void failAll(AppendOutcome failure) {
    Waiting head;
    while ((head = waiting.poll()) != null) {
      head.done.accept(failure);
    }
  }

  private void arm(long deadline) {
    if (deadline < armedFor) {
      if (timer != null) {
        timer.cancel();
      }
      armedFor = deadline;
      timer = shard.schedule(Math.max(0, deadline - shard.ticks()), this::expire);
    }
  }

  private void expire() {
    timer = null;
    armedFor = Long.MAX_VALUE;
    long now = shard.ticks();
    long next = Long.MAX_VALUE;
    for (Waiting w : waiting.toArray(new Waiting[0])) {
      if (w.deadline <= now) {
        waiting.remove(w);
        w.done.accept(w.outcome.timedOut());
      } else {
        next = Math.min(next, w.deadline);
      }
    }
    if (next != Long.MAX_VALUE) {
      arm(next);
    }
  }
}
