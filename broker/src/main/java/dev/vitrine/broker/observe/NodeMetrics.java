package dev.vitrine.broker.observe;

import dev.vitrine.seam.Shard;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who on this node counts or knows something. Filled while the node is put together; any thread.
 */
public final class NodeMetrics {
  private static final Logger LOG = LoggerFactory.getLogger(NodeMetrics.class);

  private final Map<Shard, ShardMeters> meters = new LinkedHashMap<>();
  private final List<MetricSource> sources = new ArrayList<>();

  /** The counters of this shard, which alone may use them. */
  public synchronized ShardMeters on(Shard shard) {
    ShardMeters there = meters.get(shard);
    if (there == null) {
      there = new ShardMeters(Integer.toString(meters.size()));
      meters.put(shard, there);
      ShardMeters made = there;
      sources.add(source(shard, made::tell));
    }
    return there;
  }

  public synchronized void add(MetricSource source) {
    sources.add(source);
  }

  /** Something that tells all it knows at once. */
  public void add(Shard owner, Consumer<Sample> tell) {
    add(source(owner, tell));
  }

  /** Something that may be asked on any shard. */
  public void add(Consumer<Sample> tell) {
    add(source(null, tell));
  }

  private static MetricSource source(Shard owner, Consumer<Sample> tell) {
    return new MetricSource() {
      @Override
      public Shard owner() {
        return owner;
      }

      @Override
      public void tell(Sample into, Runnable done) {
        tell.accept(into);
        done.run();
      }
    };
  }

  synchronized List<MetricSource> sources() {
    return List.copyOf(sources);
  }

  /**
   * Asks all sources, each on its own shard.
   *
   * @param caller where {@code done} is called, once, with what they have told together
   */
  public void gather(Shard caller, Consumer<Sample> done) {
    List<MetricSource> all = sources();
    Sample together = new Sample();
    int[] open = {all.size()};
    if (all.isEmpty()) {
      done.accept(together);
    }
    for (MetricSource source : all) {
      Sample own = new Sample();
      Runnable told =
          () ->
              caller.execute(
                  () -> {
                    together.add(own);
                    if (--open[0] == 0) {
                      done.accept(together);
                    }
                  });
      Shard owner = source.owner() == null ? caller : source.owner();
      owner.execute(() -> tell(source, own, told));
    }
  }

  /** One that fails is a bug, and must not silence the others. */
  private static void tell(MetricSource source, Sample into, Runnable told) {
    try {
      source.tell(into, told);
    } catch (RuntimeException e) {
      LOG.error("A source of metrics has failed", e);
      told.run();
    }
  }
}
