package dev.vitrine.compat.chaos;

/** What can be done to the lines between nodes. Of one thread. */
interface LineFaults {
  /** From now on neither hears the other; nothing is closed or refused. */
  void cut(int one, int other) throws Exception;

  void heal(int one, int other) throws Exception;

  void slow(int node, int delayMs) throws Exception;

  void fast(int node) throws Exception;
}
