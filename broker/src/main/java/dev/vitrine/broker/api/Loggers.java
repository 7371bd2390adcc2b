package dev.vitrine.broker.api;

import java.util.SortedMap;

/** What logs in this process, and from which level on. Any thread. */
public interface Loggers {
  /** The name of the logger that all others fall back to. */
  String ROOT = "root";

  /** The levels in force of all loggers that there are, by their names. */
  SortedMap<String, String> levels();

  /**
   * @param level as Kafka names them, TRACE to FATAL
   */
  void set(String name, String level);

  /** Back to the level of the logger above it. */
  void unset(String name);
}
