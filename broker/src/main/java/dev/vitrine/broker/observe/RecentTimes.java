package dev.vitrine.broker.observe;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;

/**
 * Histograms count from the start of the process on; quantiles of so long a time tell nothing about
 * now. Keeps a few samples of the last minutes, taken as somebody asks, and subtracts. Belongs to
 * the page.
 */
final class RecentTimes {
  private static final long WINDOW_MS = 5 * 60_000;
  private static final long APART_MS = 60_000;

  private record Kept(long ticks, Sample sample) {}

  private final ArrayDeque<Kept> kept = new ArrayDeque<>();

  /** The sample is kept, if the last one that was is not too young. */
  void keep(Sample sample, long ticks) {
    if (kept.isEmpty() || ticks - kept.peekLast().ticks >= APART_MS) {
      kept.add(new Kept(ticks, sample));
    }
    while (kept.size() > 2 && ticks - kept.peekFirst().ticks > WINDOW_MS) {
      kept.removeFirst();
    }
  }

  /**
   * What was recorded since the oldest sample that is kept; all of it if there was nothing then.
   */
  Histogram recent(Metric metric, List<String> labels, Histogram now) {
    Sample first = kept.isEmpty() ? new Sample() : kept.peekFirst().sample;
    Histogram then = first.histograms().getOrDefault(metric, Map.of()).get(labels);
    return then == null || then == now ? now : now.since(then);
  }
}
