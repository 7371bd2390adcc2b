package dev.vitrine.broker.api;

/**
 * Counts the answers of partitions that a request still waits for. Begins with one that stands for
 * the asking itself. Belongs to the connection's shard.
 */
final class OpenAnswers {
  private final Runnable complete;
  private int open = 1;

  /**
   * @param complete called once, with the last answer
   */
  OpenAnswers(Runnable complete) {
    this.complete = complete;
  }

  void expectOne() {
    open++;
  }

  /** One has come, or all have been asked for. */
  void oneDone() {
    if (--open == 0) {
      complete.run();
    }
  }
}
