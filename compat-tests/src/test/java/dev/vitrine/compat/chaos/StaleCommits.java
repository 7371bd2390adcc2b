package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.CommitAsked;
import dev.vitrine.compat.chaos.Event.CommitTold;
import dev.vitrine.compat.chaos.Event.FaultBegun;
import dev.vitrine.compat.chaos.Event.FaultEnded;
import java.util.function.Consumer;

/**
 * A member was told an offset of its group before one whose commit had been acknowledged before it
 * asked. Not counted while a node was paused or cut off: a coordinator that falls silent in the
 * middle of a rebalance and wakes up again can't know at once that it is no longer one.
 */
final class StaleCommits implements Check {
  @Override
  public String anomaly() {
    return "stale commits";
  }

  @Override
  public void search(RunHistory history, Consumer<String> found) {
    Commits commits = new Commits();
    long lastSilence = -1;
    int silent = 0;
    for (long number = 0; number < history.events().size(); number++) {
      Event event = history.event(number);
      if (event instanceof FaultBegun begun && isSilence(begun.kind())) {
        silent++;
      } else if (event instanceof FaultEnded ended && isSilence(ended.kind())) {
        silent--;
        lastSilence = number;
      } else if (event instanceof CommitTold told
          && history.event(told.call()) instanceof CommitAsked asked
          && told.offset() < commits.whenAsked(told.call())
          && silent == 0
          && lastSilence < told.call()) {
        found.accept(
            "%s of group %s was told %s offset %d after %d had been committed"
                .formatted(
                    asked.client(),
                    asked.group(),
                    asked.partition(),
                    told.offset(),
                    commits.whenAsked(told.call())));
      }
      commits.take(history, number);
    }
  }

  private static boolean isSilence(String kind) {
    return FaultKind.named(kind).filter(FaultKind::isSilence).isPresent();
  }
}
