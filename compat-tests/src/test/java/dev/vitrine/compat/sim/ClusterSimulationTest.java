package dev.vitrine.compat.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whole clusters under faults. {@code -Dseeds=N} runs so many, {@code -Dfirst=K} from that seed on,
 * {@code -Dseconds=S} as many as begin within that time, {@code -Dseed=K} one alone with its log.
 * Seeds that once failed are in {@code past-failing-seeds.txt} and run first, unless {@code
 * -Dpast=false}. Each core runs a world of its own.
 */
@Tag("simulation")
class ClusterSimulationTest {
  private static final long ONE = Long.getLong("seed", -1);
  private static final long SECONDS = Long.getLong("seconds", -1);
  private static final long SEEDS = Long.getLong("seeds", SECONDS > 0 ? Long.MAX_VALUE : 60);
  private static final boolean PAST = !"false".equals(System.getProperty("past"));
  private static final long FIRST = Long.getLong("first", 0);

  private final Totals totals = new Totals();

  // As long as -Dseconds may ask for.
  @Timeout(value = 3, unit = TimeUnit.HOURS)
  @Test
  void keepsItsPromises() throws Exception {
    if (ONE >= 0) {
      totals.add(run(ONE, true));
      System.out.println(totals);
      return;
    }
    long begin = System.nanoTime();
    List<Long> past = PAST ? pastFailing() : List.of();
    AtomicLong turn = new AtomicLong(-past.size());
    int cores = Runtime.getRuntime().availableProcessors();
    ExecutorService threads = Executors.newFixedThreadPool(cores);
    List<Future<?>> running = new ArrayList<>();
    AtomicLong failed = new AtomicLong(Long.MAX_VALUE);
    for (int i = 0; i < cores; i++) {
      running.add(threads.submit(() -> runMany(past, turn, failed, begin)));
    }
    threads.shutdown();
    try {
      for (Future<?> f : running) {
        f.get();
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AssertionError broken) {
        throw broken;
      }
      throw e;
    } finally {
      // Else the others would go on beside the tests that follow.
      failed.set(Long.MIN_VALUE);
    }
    double minutes = (System.nanoTime() - begin) / 60e9;
    System.out.println(totals);
    if (System.getProperty("seeds") != null || SECONDS > 0) {
      System.out.printf(
          "%.0f runs a minute on %d cores, %.0f a minute of processor time%n",
          totals.runs() / minutes, cores, totals.runs() / processorMinutes());
    }
    assertTrue(
        totals.records() > 20L * totals.runs() && totals.leaderships() > totals.runs(),
        "nothing happens");
  }

  private static double processorMinutes() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO).toMillis()
        / 60e3;
  }

  /** The next of the past ones, then of the fresh, until all are done or one has failed. */
  private void runMany(List<Long> past, AtomicLong turn, AtomicLong failed, long begin) {
    while (true) {
      long n = turn.getAndIncrement();
      boolean late = SECONDS > 0 && System.nanoTime() - begin > SECONDS * 1_000_000_000L;
      if (n >= SEEDS || n >= failed.get() || late) {
        return;
      }
      try {
        totals.add(run(n < 0 ? past.get((int) n + past.size()) : FIRST + n, false));
      } catch (AssertionError e) {
        failed.accumulateAndGet(n, Math::min);
        System.out.println("failed after " + totals);
        throw e;
      }
    }
  }

  @Test
  void theSameSeedIsTheSameHistory() {
    for (long seed = FIRST; seed < FIRST + 3; seed++) {
      long first = new ClusterSim(seed, false).run();
      assertEquals(first, new ClusterSim(seed, false).run(), "seed " + seed);
    }
  }

  private static ClusterSim run(long seed, boolean print) {
    ClusterSim sim = new ClusterSim(seed, print);
    sim.run();
    return sim;
  }

  private static List<Long> pastFailing() throws IOException {
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(
                ClusterSimulationTest.class.getResourceAsStream("past-failing-seeds.txt"),
                StandardCharsets.UTF_8))) {
      return in.lines()
          .map(line -> line.replaceFirst("#.*", "").strip())
          .filter(line -> !line.isEmpty())
          .map(Long::valueOf)
          .toList();
    }
  }
}
