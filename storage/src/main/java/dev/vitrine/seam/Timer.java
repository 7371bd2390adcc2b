package dev.vitrine.seam;

/** A task that waits for its time. Belongs to the shard that scheduled it. */
public interface Timer {
  /** After this the task does not run, unless it runs already. May be called again. */
  void cancel();
}
