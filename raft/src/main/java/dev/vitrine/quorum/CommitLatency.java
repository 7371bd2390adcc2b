package dev.vitrine.quorum;

import java.util.ArrayDeque;

/**
 * How long what this node appends as leader takes until it is committed. Remembers what is open and
 * what was committed in the last minute. Belongs to the quorum's shard; it measures, and decides
 * nothing.
 */
final class CommitLatency {
  private static final long WINDOW_MS = 60_000;
  private static final int MOST = 1_000;

  private record Open(long endOffset, long ticks) {}

  private record Done(long ticks, long latencyMs) {}

  private final ArrayDeque<Open> open = new ArrayDeque<>();
  private final ArrayDeque<Done> done = new ArrayDeque<>();

  void appended(long endOffset, long ticks) {
    if (open.size() < MOST) {
      open.add(new Open(endOffset, ticks));
    }
  }

  void committed(long highWatermark, long ticks) {
    while (!open.isEmpty() && open.peek().endOffset <= highWatermark) {
      done.add(new Done(ticks, ticks - open.poll().ticks));
      if (done.size() > MOST) {
        done.remove();
      }
    }
  }

  /** This node leads no more: it will not see the end of them. */
  void forgetOpen() {
    open.clear();
  }

  /** Not a number if nothing was committed lately. */
  double averageMs(long ticks) {
    drop(ticks);
    return done.stream().mapToLong(Done::latencyMs).average().orElse(Double.NaN);
  }

  /** As above. */
  double maxMs(long ticks) {
    drop(ticks);
    return done.isEmpty() ? Double.NaN : done.stream().mapToLong(Done::latencyMs).max().getAsLong();
  }

  private void drop(long ticks) {
    while (!done.isEmpty() && ticks - done.peek().ticks > WINDOW_MS) {
      done.remove();
    }
  }
}
