package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.Phase;
import dev.vitrine.compat.chaos.Event.Stuck;
import java.util.function.Consumer;

/** The faults have ended and something does not go on; or the run itself did not end. */
public final class StuckLiveness implements Check {
  /** The last phase of a run that has come to its end. */
  public static final String END = "end";

  StuckLiveness() {}

  @Override
  public String anomaly() {
    return "stuck after the faults";
  }

  @Override
  public boolean isAlways() {
    return true;
  }

  @Override
  public void search(RunHistory history, Consumer<String> found) {
    for (Stuck stuck : history.all(Stuck.class)) {
      found.accept("%s: not within %d ms".formatted(stuck.what(), stuck.ms()));
    }
    if (history.all(Phase.class).stream().noneMatch(phase -> phase.name().equals(END))) {
      found.accept("the run has not come to its end");
    }
  }
}
