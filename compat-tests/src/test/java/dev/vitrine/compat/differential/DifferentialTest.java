package dev.vitrine.compat.differential;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.vitrine.compat.LocalCluster;
import dev.vitrine.compat.Target;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The same bytes to a cluster of Vitrine and to one of Apache Kafka 4.4.0, and the same answers,
 * but for the exceptions that are listed. With {@code -Dtarget=kafka} Kafka is compared with
 * itself, which shows that the rules forgive what must be forgiven. {@code -Dscript=NAME} plays one
 * script alone ({@code *} is anything), {@code -Dshow=true} prints all that is said.
 */
class DifferentialTest {
  private static final Path SCRIPTS = Path.of("src", "test", "differential");

  /** Nothing happens by the clock, and nothing that scripts wait for waits itself. */
  private static final Map<String, String> CONFIG =
      Map.of(
          "log.retention.ms", "-1",
          "auto.leader.rebalance.enable", "false",
          "group.min.session.timeout.ms", "1000",
          "fetch.purgatory.purge.interval.requests", "1");

  @Test
  @Tag("smoke")
  void shortScriptsAreAnsweredAlike() throws Exception {
    play(false);
  }

  @Test
  @Tag("full")
  void longScriptsAreAnsweredAlike() throws Exception {
    play(true);
  }

  private static void play(boolean full) throws Exception {
    Run run = new Run(SCRIPTS);
    String wanted = System.getProperty("script", "*");
    List<Script> scripts =
        run.scripts().stream()
            .filter(s -> s.full() == full && Rules.glob(wanted).matcher(s.name()).matches())
            .toList();
    if (scripts.isEmpty() && (full || !wanted.equals("*"))) {
      return; // there need not be long ones
    }
    assertFalse(scripts.isEmpty());
    try (Side ours = side("subject", Target.chosen());
        Side kafkas = side("oracle", Target.kafka())) {
      for (Script script : scripts) {
        run.play(script, ours, kafkas);
      }
    }
    run.failures().forEach(System.out::println);
    System.out.println(run);
    assertEquals(0, run.failures().size(), "differences; they are printed above");
  }

  private static Side side(String name, Target target) throws Exception {
    return new Side(LocalCluster.start(target, "differential-" + name, 1, CONFIG));
  }
}
