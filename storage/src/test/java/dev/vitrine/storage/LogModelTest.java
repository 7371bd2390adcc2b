package dev.vitrine.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/**
 * A log does what a list would do, whatever comes, and after a power cut what was synced is there
 * and nothing that was never written.
 */
class LogModelTest {
  @Property(tries = 200, shrinking = ShrinkingMode.OFF)
  void behavesLikeAList(@ForAll long seed) {
    new LogModel(seed).run(150);
  }

  @Example
  void theSameSeedGivesTheSameHistory() {
    assertEquals(new LogModel(42).run(300), new LogModel(42).run(300));
  }

  /** {@code -Dtest.jvm="-Dseed=N -Dtrace=true"}: one history, step by step. */
  @Example
  void oneSeed() {
    new LogModel(Long.getLong("seed", 4)).run(400);
  }

  /** Seeds that have failed once. */
  @Example
  void pastFailures() {
    for (long seed :
        new long[] {1, 2, 42, 605, 6162008, -3761, 8, 1671, 1501, -1023, 133, -1446, -47299}) {
      new LogModel(seed).run(400);
    }
  }
}
