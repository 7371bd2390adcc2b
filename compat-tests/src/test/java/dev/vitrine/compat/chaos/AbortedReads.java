package dev.vitrine.compat.chaos;

import java.util.function.Consumer;

/** A record is there although its producer was told that it will never be. */
final class AbortedReads implements Check {
  @Override
  public String anomaly() {
    return "aborted reads";
  }

  @Override
  public void search(RunHistory history, Consumer<String> found) {
    for (RunHistory.Read read : history.reads()) {
      RunHistory.Write write = history.written(read.value());
      if (write != null && write.outcome() == RunHistory.Outcome.FAILED) {
        found.accept(
            "%s read %s at %s offset %d, which had been refused"
                .formatted(read.client(), read.value(), read.partition(), read.offset()));
      }
    }
  }
}
