package dev.vitrine.broker.net;

import dev.vitrine.seam.Shard;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/** Real shards and a real network for tests. */
public final class Loops implements AutoCloseable {
  static {
    // A buffer that buffersInUse() counts is then also logged, with who touched it last.
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
  }

  public final DiskWorkers workers = new DiskWorkers(2);
  public final List<NettyShard> shards;
  public final NettyNetwork network;

  public Loops(int count) {
    shards =
        IntStream.range(0, count)
            .mapToObj(i -> new NettyShard("vitrine-shard-" + i, workers))
            .toList();
    network = new NettyNetwork(count);
  }

  /** Buffers that nobody has released yet. */
  public long buffersInUse() {
    return ((PooledByteBufAllocator) network.allocator())
        .metric().directArenas().stream().mapToLong(a -> a.numActiveAllocations()).sum();
  }

  /** What the pool has taken from the system. */
  public long bytesHeld() {
    return ((PooledByteBufAllocator) network.allocator()).metric().usedDirectMemory();
  }

  public static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + 30_000_000_000L;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("waited in vain for: " + what);
      }
      try {
        Thread.sleep(1);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  public static void on(Shard shard, Runnable task) {
    java.util.concurrent.CompletableFuture<Void> done =
        new java.util.concurrent.CompletableFuture<>();
    shard.execute(
        () -> {
          try {
            task.run();
            done.complete(null);
          } catch (Throwable e) {
            done.completeExceptionally(e);
          }
        });
    done.join();
  }

  @Override
  public void close() {
    shards.forEach(NettyShard::close);
    workers.close();
  }
}
