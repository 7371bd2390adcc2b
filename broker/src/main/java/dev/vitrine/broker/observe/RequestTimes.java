package dev.vitrine.broker.observe;

/**
 * When one request passed which stage, in nanoseconds of its shard's clock. Belongs to the shard of
 * the connection; the request itself extends it, so that it costs no object.
 */
public abstract class RequestTimes {
  private long received;
  private long started;
  private long handled;
  private long answered;
  private int throttleMs;

  /** All of it has been read; its turn has come. */
  public final void started(long receivedNanos, long nanos) {
    received = receivedNanos;
    started = nanos;
  }

  /** The handler has returned, perhaps without an answer yet. */
  public final void handled(long nanos) {
    handled = nanos;
  }

  /** The answer is there, and may have to wait for those before it. */
  public final void answered(long nanos) {
    answered = nanos;
  }

  /** For so long its client is not heard afterwards. */
  public final void throttled(int ms) {
    throttleMs = ms;
  }

  public final int throttleMs() {
    return throttleMs;
  }

  /** Waited for the requests before it. */
  long queued() {
    return started - received;
  }

  /** Until the handler had returned, or had answered. */
  long local() {
    return (handled == 0 ? answered : Math.min(handled, answered)) - started;
  }

  /** Waited for other shards, replicas, more records or the controller. */
  long remote() {
    return handled == 0 ? 0 : Math.max(0, answered - handled);
  }

  long waitedToBeSent(long sentNanos) {
    return sentNanos - answered;
  }

  long total(long sentNanos) {
    return sentNanos - received;
  }
}
