package dev.vitrine.broker.partition;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A broker's rate of copying throttled replicas, and what it may be (KIP-73): one for what it sends
 * as a leader, one for what it fetches. Shards share it, so it is made of counters that need no
 * lock; it never makes anybody wait. What has passed is counted in windows of time; a window that
 * two shards begin at once may lose the first few bytes, which a rate does not mind.
 *
 * <p>Times are the shards' ticks, which all shards of a process count alike.
 */
public final class ReplicationQuota {
  public static final long UNLIMITED = Long.MAX_VALUE;

  private record Window(long index, long startTicks, AtomicLong bytes) {}

  private final AtomicReferenceArray<Window> windows;
  private final long windowMs;
  private volatile long bytesPerSecond = UNLIMITED;

  /**
   * @param windows how many are looked at, the current one included
   * @param windowMs the length of each in milliseconds
   */
  public ReplicationQuota(int windows, long windowMs) {
    this.windows = new AtomicReferenceArray<>(windows);
    this.windowMs = windowMs;
  }

  public void limit(long newBytesPerSecond) {
    bytesPerSecond = newBytesPerSecond;
  }

  public void record(long bytes, long ticks) {
    long index = ticks / windowMs;
    int slot = (int) (index % windows.length());
    Window w = windows.get(slot);
    if (w == null || w.index != index) {
      Window fresh = new Window(index, ticks, new AtomicLong());
      w = windows.compareAndSet(slot, w, fresh) ? fresh : windows.get(slot);
    }
    w.bytes.addAndGet(bytes);
  }

  public boolean isExceeded(long ticks) {
    long limit = bytesPerSecond;
    return limit != UNLIMITED && bytesPerSecond(ticks) > limit;
  }

  /** Over the windows that count; never over less than one, or the first bytes would look fast. */
  private double bytesPerSecond(long ticks) {
    long current = ticks / windowMs;
    long oldest = ticks;
    long bytes = 0;
    for (int i = 0; i < windows.length(); i++) {
      Window w = windows.get(i);
      if (w != null && w.index > current - windows.length()) {
        bytes += w.bytes.get();
        oldest = Math.min(oldest, w.startTicks);
      }
    }
    return bytes * 1000.0 / Math.max(ticks - oldest, windowMs);
  }
}
