package dev.vitrine.compat.chaos;

import java.util.function.Consumer;

/** Searches a history for one kind of anomaly. Has no state, and never changes the history. */
public interface Check {
  /** The anomaly, as the report names it. */
  String anomaly();

  /** Whether it is an anomaly even where acknowledged records may have been lost. */
  default boolean isAlways() {
    return false;
  }

  /**
   * @param found takes a sentence for each case
   */
  void search(RunHistory history, Consumer<String> found);
}
