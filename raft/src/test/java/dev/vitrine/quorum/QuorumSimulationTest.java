package dev.vitrine.quorum;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * A thousand quorums under faults. {@code -Dseeds=N} runs other than 1000, {@code -Dfirst=K} from
 * that seed on, {@code -Dseed=K} one alone with its log. Seeds that have failed once are in {@code
 * failed-quorum-seeds.txt} and run first, unless {@code -Dpast=false}.
 */
class QuorumSimulationTest {
  private static final long ONE = Long.getLong("seed", -1);
  private static final int SEEDS = Integer.getInteger("seeds", 1000);
  private static final boolean PAST = !"false".equals(System.getProperty("past"));
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
    LongAdder added = new LongAdder();
    LongAdder removed = new LongAdder();
    long start = System.nanoTime();
    if (PAST) {
      failedOnce().forEach(seed -> new QuorumSim(seed).run());
    }
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
              added.add(sim.voters.added);
              removed.add(sim.voters.removed);
            });
    double minutes = (System.nanoTime() - start) / 60e9;
    System.out.println(
        "%d seeds, %.0f a minute: %s elections, %s committed batches, %s fetches of snapshots, %s loaded in mid-life, %s voters added, %s removed"
            .formatted(
                SEEDS, SEEDS / minutes, elections, commits, downloads, loads, added, removed));
    assertTrue(elections.sum() > 2L * SEEDS && commits.sum() > 5L * SEEDS, "nothing happens");
    assertTrue(downloads.sum() > SEEDS / 2 && loads.sum() > SEEDS / 20, "no snapshots");
    assertTrue(added.sum() > SEEDS / 4 && removed.sum() > SEEDS / 4, "the voters stay");
  }

  private static List<Long> failedOnce() {
    try (InputStream in =
        QuorumSimulationTest.class.getResourceAsStream("/failed-quorum-seeds.txt")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(l -> !l.isBlank() && !l.startsWith("#"))
          .map(l -> Long.valueOf(l.split(" ")[0]))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
