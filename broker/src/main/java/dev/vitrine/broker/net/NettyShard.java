package dev.vitrine.broker.net;

import dev.vitrine.seam.Shard;
import dev.vitrine.seam.Timer;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.Future;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A shard on one Netty event loop: the thread waits for its sockets, its timers and its tasks at
 * once, and sleeps when there is none. {@link #execute} and {@link #close} may be called from any
 * thread, the rest from the loop's own. Never run anything on it that blocks.
 */
public final class NettyShard implements Shard, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NettyShard.class);

  private final String name;
  private final DiskWorkers workers;
  private final MultiThreadIoEventLoopGroup group;
  private final EventLoop loop;
  private final RandomGenerator random = new SplittableRandom();
  private long connections;

  /**
   * @param name of its thread, such as {@code vitrine-shard-0}
   */
  public NettyShard(String name, DiskWorkers workers) {
    this.name = name;
    this.workers = workers;
    group =
        new MultiThreadIoEventLoopGroup(
            1,
            (Runnable work) -> new FastThreadLocalThread(work, name),
            Transport.CURRENT.ioHandlers());
    loop = group.next();
  }

  EventLoop loop() {
    return loop;
  }

  /** The last part of a connection's id, so that no two of a shard are ever the same. */
  long nextConnectionNumber() {
    return connections++;
  }

  @Override
  public void execute(Runnable task) {
    loop.execute(task);
  }

  @Override
  public Timer schedule(long delayMs, Runnable task) {
    // Netty keeps what a scheduled task throws in a future that nobody looks at.
    Future<?> future =
        loop.schedule(
            () -> {
              try {
                task.run();
              } catch (Throwable e) {
                LOG.error("A timer's task failed on {}", name, e);
              }
            },
            delayMs,
            TimeUnit.MILLISECONDS);
    return () -> future.cancel(false);
  }

  @Override
  public long now() {
    return System.currentTimeMillis();
  }

  @Override
  public long ticks() {
    return System.nanoTime() / 1_000_000;
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public boolean isCurrent() {
    return loop.inEventLoop();
  }

  @Override
  public <T> void offload(Callable<T> work, BiConsumer<T, Throwable> done) {
    workers.execute(
        () -> {
          T result = null;
          Throwable failure = null;
          try {
            result = work.call();
          } catch (Throwable e) {
            failure = e;
          }
          T r = result;
          Throwable f = failure;
          try {
            loop.execute(() -> done.accept(r, f));
          } catch (RejectedExecutionException e) {
            LOG.debug("{} has ended before its disk worker was done", name);
          }
        });
  }

  /**
   * Ends the loop: tasks handed in before still run, connections that are open are closed. Waits
   * for that, but not on the loop's own thread.
   */
  @Override
  public void close() {
    Future<?> ended = group.shutdownGracefully(0, 5, TimeUnit.SECONDS);
    if (!loop.inEventLoop()) {
      ended.awaitUninterruptibly(10, TimeUnit.SECONDS);
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
