package dev.vitrine.broker.replication;

import dev.vitrine.broker.partition.Partition;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.seam.Shard;
import dev.vitrine.storage.HighWatermark;
import dev.vitrine.storage.Log;
import dev.vitrine.storage.LogDirectory;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What must be done now and then for the replicas of a broker: laggards leave the in-sync set, old
 * segments go, dirty files are synced, checkpoints are written. Each shard looks after its own
 * logs; the checkpoints, one file for all, are put together on the first shard. Blocking work is
 * offloaded.
 */
public final class Housekeeping {
  private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);

  /**
   * All in milliseconds.
   *
   * @param laggardsMs half of {@code replica.lag.time.max.ms}
   * @param firstRetentionMs {@code log.initial.task.delay.ms}: what had expired while the broker
   *     was down is not there for as long as an interval more
   * @param retentionMs {@code log.retention.check.interval.ms}
   * @param writebackMs {@code vitrine.writeback.ms}; 0 for never
   * @param highWatermarksMs {@code replica.high.watermark.checkpoint.interval.ms}
   * @param recoveryPointsMs {@code log.flush.offset.checkpoint.interval.ms}
   */
  public record Intervals(
      long laggardsMs,
      long firstRetentionMs,
      long retentionMs,
      long writebackMs,
      long highWatermarksMs,
      long recoveryPointsMs) {}

  private final Replicas replicas;
  private final LogStore logs;
  private final Intervals intervals;
  private volatile boolean stopped;
  private Map<TopicPartition, HighWatermark> written = Map.of();

  public Housekeeping(Replicas replicas, LogStore logs, Intervals intervals) {
    this.replicas = replicas;
    this.logs = logs;
    this.intervals = intervals;
  }

  public void start() {
    for (LocalReplicas shard : replicas.shards()) {
      every(
          shard.shard(), intervals.laggardsMs, () -> shard.all().forEach(Partition::checkLaggards));
      every(
          shard.shard(),
          intervals.firstRetentionMs,
          intervals.retentionMs,
          () -> shard.all().forEach(Housekeeping::retain));
      if (intervals.writebackMs > 0) {
        every(
            shard.shard(),
            intervals.writebackMs,
            () -> {
              shard.all().forEach(Housekeeping::sync);
              shard.moves().writeBack();
            });
      }
    }
    Shard first = replicas.shards().get(0).shard();
    every(first, intervals.highWatermarksMs, () -> checkpointHighWatermarks(() -> {}));
    every(first, intervals.recoveryPointsMs, this::checkpointLogs);
  }

  public void stop() {
    stopped = true;
  }

  private void every(Shard shard, long ms, Runnable task) {
    every(shard, ms, ms, task);
  }

  private void every(Shard shard, long firstMs, long ms, Runnable task) {
    shard.execute(() -> after(shard, firstMs, ms, task));
  }

  private void after(Shard shard, long nextMs, long ms, Runnable task) {
    shard.schedule(
        nextMs,
        () -> {
          if (!stopped) {
            task.run();
            after(shard, ms, ms, task);
          }
        });
  }

  private static void retain(Partition p) {
    Log log = p.log();
    if (log.failure() == null) {
      log.removeExpiredProducers();
      log.deleteOldSegments(p.highWatermark());
    }
  }

  /** Of a log that has nothing to sync, the files are closed until it is written to again. */
  private static void sync(Partition p) {
    p.log().writeBack();
  }

  /**
   * Gathers from every shard; {@code done} runs on the first one when the file is written, or has
   * failed to be.
   */
  public void checkpointHighWatermarks(Runnable done) {
    Shard first = replicas.shards().get(0).shard();
    Map<TopicPartition, HighWatermark> all = new TreeMap<>();
    int[] left = {replicas.shards().size()};
    for (LocalReplicas shard : replicas.shards()) {
      shard
          .shard()
          .execute(
              () -> {
                Map<TopicPartition, HighWatermark> own = new TreeMap<>();
                shard
                    .all()
                    .forEach(p -> own.put(p.name(), HighWatermark.of(p.log(), p.highWatermark())));
                first.execute(
                    () -> {
                      all.putAll(own);
                      if (--left[0] == 0) {
                        write(first, all, done);
                      }
                    });
              });
    }
  }

  private void write(Shard first, Map<TopicPartition, HighWatermark> all, Runnable done) {
    if (all.equals(written)) {
      done.run();
      return;
    }
    first.offload(
        () -> logs.checkpointHighWatermarks(all),
        (complete, problem) -> {
          if (problem == null) {
            written = complete ? all : Map.of();
          } else {
            LOG.error("The high watermarks cannot be written", problem);
          }
          done.run();
        });
  }

  private void checkpointLogs() {
    Shard first = replicas.shards().get(0).shard();
    for (LogDirectory d : logs.directories()) {
      if (d.failure() == null) {
        first.offload(
            () -> {
              d.checkpointRecoveryPoints();
              d.checkpointLogStartOffsets();
              return null;
            },
            (nothing, problem) -> {
              if (problem != null) {
                LOG.error("The recovery points of {} cannot be written", d.path(), problem);
              }
            });
      }
    }
  }
}
