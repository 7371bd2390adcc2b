package dev.vitrine.broker.observe;

import dev.vitrine.seam.Shard;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;

/**
 * How busy the shards' threads are, by the processor time that the system gave them since it was
 * last asked for. It costs the shards nothing. Belongs to the loop of HTTP.
 */
public final class ShardLoad implements Consumer<Sample> {
  private static final double NANOS_IN_MILLI = 1_000_000;

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final Shard loop;

  /** Of each shard's thread; 0 until it has told. */
  private final AtomicLongArray ids;

  private long cpuNanos = -1;
  private long ticks;
  private double idle = 1;

  /**
   * @param loop on which it is asked
   */
  public ShardLoad(Shard loop, List<? extends Shard> shards) {
    this.loop = loop;
    this.ids = new AtomicLongArray(shards.size());
    for (int i = 0; i < shards.size(); i++) {
      int at = i;
      shards.get(i).execute(() -> ids.set(at, Thread.currentThread().getId()));
    }
  }

  @Override
  public void accept(Sample into) {
    long cpu = cpuNanos();
    long now = loop.ticks();
    if (cpuNanos >= 0 && now > ticks) {
      double share = (cpu - cpuNanos) / NANOS_IN_MILLI / (now - ticks) / ids.length();
      idle = Math.max(0, Math.min(1, 1 - share));
    }
    if (cpuNanos < 0 || now > ticks) {
      cpuNanos = cpu;
      ticks = now;
    }
    into.add(Metric.HANDLER_IDLE, idle);
    into.add(Metric.PROCESSOR_IDLE, idle);
  }

  private long cpuNanos() {
    long all = 0;
    for (int i = 0; i < ids.length(); i++) {
      long id = ids.get(i);
      all += id == 0 ? 0 : Math.max(0, threads.getThreadCpuTime(id));
    }
    return all;
  }
}
