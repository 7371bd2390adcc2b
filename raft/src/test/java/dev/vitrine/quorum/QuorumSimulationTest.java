package dev.vitrine.quorum;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * A thousand quorums under faults. {@code -Dseeds=N} runs other than 1000, {@code -Dfirst=K} from
 * that seed on, {@code -Dseed=K} one alone with its log.
 */
class QuorumSimulationTest {
  private static final long ONE = Long.getLong("seed", -1);
  private static final int SEEDS = Integer.getInteger("seeds", 1000);
  private static final long FIRST = Long.getLong("first", 0);

  @Test
  void keepsItsPromises() {
    level(ONE >= 0 ? Level.DEBUG : Level.OFF);
    if (ONE >= 0) {
      new QuorumSim(ONE).run();
      return;
    }
    LongAdder runs = new LongAdder();
    LongAdder elections = new LongAdder();
    LongAdder commits = new LongAdder();
    LongAdder downloads = new LongAdder();
    LongAdder loads = new LongAdder();
    LongStream.range(FIRST, FIRST + SEEDS)
        .parallel()
        .forEach(
            seed -> {
              QuorumSim sim = new QuorumSim(seed);
              try {
                sim.run();
              } catch (AssertionError e) {
                System.out.println("failed after " + runs + " seeds");
                throw e;
              }
              runs.increment();
              elections.add(sim.elections());
              commits.add(sim.commits());
              downloads.add(sim.downloads);
              loads.add(sim.loads);
            });
    System.out.println(
        "%d seeds: %s elections, %s committed batches, %s fetches of snapshots, %s loaded in mid-life"
            .formatted(SEEDS, elections, commits, downloads, loads));
    assertTrue(elections.sum() > 2L * SEEDS && commits.sum() > 5L * SEEDS, "nothing happens");
    assertTrue(downloads.sum() > SEEDS / 2 && loads.sum() > SEEDS / 20, "no snapshots");
  }

  @Test
  void theSameSeedIsTheSameHistory() {
    level(Level.OFF);
    for (long seed = 0; seed < 20; seed++) {
      assertEquals(new QuorumSim(seed).run(), new QuorumSim(seed).run(), "seed " + seed);
    }
  }

  private static void level(Level level) {
    Logger logger = (Logger) LoggerFactory.getLogger("dev.vitrine");
    logger.setLevel(level);
    logger.setAdditive(false);
    if (level != Level.OFF) {
      PatternLayoutEncoder pattern = new PatternLayoutEncoder();
      pattern.setContext(logger.getLoggerContext());
      pattern.setPattern("%logger{0} %msg%n");
      pattern.start();
      ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
      console.setContext(logger.getLoggerContext());
      console.setEncoder(pattern);
      console.start();
      logger.addAppender(console);
    }
  }
}
