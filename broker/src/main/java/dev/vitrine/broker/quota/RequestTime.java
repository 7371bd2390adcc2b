package dev.vitrine.broker.quota;

import dev.vitrine.seam.Shard;

/**
 * How long one request has kept its shard busy so far, for {@code request_percentage} (KIP-124).
 * What other shards do for it is not in it, nor what is done after it was parked: as in Kafka,
 * where that is another thread's. Belongs to the shard.
 */
public final class RequestTime {
  private long nanos;
  private long begun;
  private boolean running;

  public void start(Shard shard) {
    begun = shard.nanos();
    running = true;
  }

  public void stop(Shard shard) {
    nanos = soFar(shard);
    running = false;
  }

  /** What it was, and then begins at nothing. */
  public long take() {
    long was = nanos;
    nanos = 0;
    return was;
  }

  public long soFar(Shard shard) {
    return running ? nanos + shard.nanos() - begun : nanos;
  }
}
