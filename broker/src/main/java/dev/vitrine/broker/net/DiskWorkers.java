package dev.vitrine.broker.net;

import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The few threads that may block, shared by all shards of a broker: they sync, delete, compact and
 * resolve names. An idle worker goes away. Any thread may hand in work; what the work returns is
 * handed back by {@link NettyShard#offload}.
 */
public final class DiskWorkers implements AutoCloseable {
  private final ThreadPoolExecutor pool;

  public DiskWorkers(int threads) {
    AtomicInteger made = new AtomicInteger();
    pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            work -> {
              Thread t = new FastThreadLocalThread(work, "vitrine-disk-" + made.getAndIncrement());
              t.setDaemon(true);
              return t;
            });
    pool.allowCoreThreadTimeOut(true);
  }

  void execute(Runnable work) {
    pool.execute(work);
  }

  /** Takes no more work, and waits until what was handed in is done, at most ten seconds. */
  @Override
  public void close() {
    pool.shutdown();
    try {
      if (!pool.awaitTermination(10, TimeUnit.SECONDS)) {
        pool.shutdownNow();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
