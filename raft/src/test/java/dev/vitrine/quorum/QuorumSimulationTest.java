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
 * A thousand quorums under faults. {@code -Dseeds=N} runs other than 1000, {@code -Dseed=K} one
 * alone with its log.
 */
class QuorumSimulationTest {
  private static final long ONE = Long.getLong("seed", -1);
  private static final int SEEDS = Integer.getInteger("seeds", 1000);

  @Test
  void keepsItsPromises() {
    level(ONE >= 0 ? Level.DEBUG : Level.OFF);
    if (ONE >= 0) {
      new QuorumSim(ONE).run();
      return;
    }
    LongAdder elections = new LongAdder();
    LongAdder commits = new LongAdder();
    LongStream.range(0, SEEDS)
        .parallel()
        .forEach(
            seed -> {
              QuorumSim sim = new QuorumSim(seed);
              sim.run();
              elections.add(sim.elections());
              commits.add(sim.commits());
            });
    System.out.println(
        SEEDS + " seeds: " + elections + " elections, " + commits + " committed batches");
    assertTrue(elections.sum() > 2L * SEEDS && commits.sum() > 5L * SEEDS, "nothing happens");
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
      pattern.setPattern("%msg%n");
      pattern.start();
      ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
      console.setContext(logger.getLoggerContext());
      console.setEncoder(pattern);
      console.start();
      logger.addAppender(console);
    }
  }
}
