package dev.vitrine.compat.chaos;

import java.util.function.Consumer;

/** A reader was given what nobody sent, or sent to another partition. */
final class InventedValues implements Check {
  @Override
  public String anomaly() {
    return "invented values";
  }

  @Override
  public void search(RunHistory history, Consumer<String> found) {
    for (RunHistory.Read read : history.reads()) {
      RunHistory.Write write = history.written(read.value());
      if (write == null || !write.partition().equals(read.partition())) {
        found.accept(
            "%s read %s at %s offset %d, %s"
                .formatted(
                    read.client(),
                    read.value(),
                    read.partition(),
                    read.offset(),
                    write == null ? "which nobody sent" : "sent to " + write.partition()));
      }
    }
  }
}
