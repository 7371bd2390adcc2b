package dev.vitrine.compat.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.compat.Target;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Stock clients write, read, commit and administer while nodes are broken at random from a seed;
 * then the checker goes over all that the clients were told. See {@link ChaosSettings} for the
 * properties that change it. With {@code -Dchaos.history=FILE} nothing runs: that history is
 * checked again.
 */
@Tag("smoke")
class ChaosTest {
  @Test
  @Timeout(7_200)
  void nothingAcknowledgedIsLostWhateverBreaks() throws Exception {
    String old = System.getProperty("chaos.history", "");
    if (!old.isEmpty()) {
      judge(RunHistory.read(Path.of(old)), false);
      return;
    }
    ChaosSettings settings = ChaosSettings.fromProperties();
    Path file =
        Path.of("target", "chaos", Target.chosen().name() + "-" + settings.seed(), "history");
    System.out.printf("chaos: seed %d, history in %s%n", settings.seed(), file.toAbsolutePath());
    Throwable failure = null;
    RunHistory history;
    try (Recorder recorder = new Recorder(file)) {
      try {
        new ChaosRun(settings, recorder).run();
      } catch (Throwable e) {
        failure = e;
      }
      history = recorder.history();
    }
    try {
      judge(history, settings.mayLose());
    } catch (AssertionError e) {
      if (failure != null) {
        e.addSuppressed(failure);
      }
      throw e;
    }
    if (failure != null) {
      throw new AssertionError("seed " + settings.seed(), failure);
    }
  }

  private static void judge(RunHistory history, boolean mayLose) {
    ChaosReport report = new ChaosReport(history);
    System.out.print(report.table());
    System.out.println(report.line());
    assertFalse(history.acknowledged().isEmpty(), "nothing was written");
    assertTrue(report.countFaults() > 0, "nothing was broken");
    assertEquals(List.of(), report.examples(mayLose));
  }
}
