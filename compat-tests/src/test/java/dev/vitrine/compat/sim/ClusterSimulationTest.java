package dev.vitrine.compat.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Whole clusters under faults. {@code -Dseeds=N} runs so many, {@code -Dfirst=K} from that seed on,
 * {@code -Dseed=K} one alone with its log; each has {@code -DsimMs=N} of faults. Seeds that once
 * failed are in {@code past-failing-seeds.txt} and run first.
 */
@Tag("simulation")
class ClusterSimulationTest {
  private static final long ONE = Long.getLong("seed", -1);
  private static final int SEEDS = Integer.getInteger("seeds", 20);
  private static final long SAFETY_MS = Long.getLong("simMs", 4_000);
  private static final long PAST_SAFETY_MS = 12_000;
  private static final long FIRST = Long.getLong("first", 0);

  @Test
  void keepsItsPromises() throws IOException {
    if (ONE >= 0) {
      System.out.println(run(ONE, SAFETY_MS, true).summary());
      return;
    }
    for (long seed : pastFailing()) {
      run(seed, PAST_SAFETY_MS, false);
    }
    long records = 0;
    long leaderships = 0;
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      ClusterSim sim = run(seed, SAFETY_MS, false);
      records += sim.records();
      leaderships += sim.leaderships();
    }
    System.out.println(
        SEEDS + " seeds: " + records + " committed records, " + leaderships + " leaderships");
    assertTrue(records > 20L * SEEDS && leaderships > SEEDS, "nothing happens");
  }

  @Test
  void theSameSeedIsTheSameHistory() {
    for (long seed = 0; seed < 2; seed++) {
      long first = new ClusterSim(seed, SAFETY_MS, false).run();
      assertEquals(first, new ClusterSim(seed, SAFETY_MS, false).run(), "seed " + seed);
    }
  }

  private static ClusterSim run(long seed, long safetyMs, boolean print) {
    ClusterSim sim = new ClusterSim(seed, safetyMs, print);
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
