package dev.vitrine.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/**
 * The controller alone, against brokers and clients that do right and wrong. {@code -Dseed=K} runs
 * one seed alone, {@code -Dseeds=N} so many.
 */
class ControllerSimulationTest {
  private static final long ONE = Long.getLong("seed", -1);
  private static final long SEEDS = Long.getLong("seeds", 200);

  /** Seeds that failed once; they stay. */
  private static final long[] FAILED = {};

  @Test
  void whatMustHoldHoldsOnEverySeed() {
    if (ONE >= 0) {
      run(ONE);
      return;
    }
    for (long seed : FAILED) {
      run(seed);
    }
    for (long seed = 1; seed <= SEEDS; seed++) {
      run(seed);
    }
  }

  private static ControllerSimulation run(long seed) {
    try {
      ControllerSimulation simulation = new ControllerSimulation(seed);
      simulation.run(400);
      return simulation;
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
    }
  }

  @Test
  void sameSeedMakesTheSameLog() {
    for (long seed = 1; seed <= 5; seed++) {
      assertEquals(run(seed).records(), run(seed).records());
    }
  }
}
