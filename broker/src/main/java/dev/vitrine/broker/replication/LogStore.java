package dev.vitrine.broker.replication;

import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.seam.Shard;
import dev.vitrine.storage.HighWatermark;
import dev.vitrine.storage.Log;
import dev.vitrine.storage.LogConfig;
import dev.vitrine.storage.LogDirectory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * All {@code log.dirs} of the broker as one place for logs: finds a log where it lies, and puts a
 * new one where there are the fewest. Any thread, as {@link LogDirectory}.
 */
public final class LogStore {
  private final List<LogDirectory> directories;

  public LogStore(List<LogDirectory> directories) {
    this.directories = List.copyOf(directories);
  }

  /** On the shard that will own the log. A log of another topic of that name is set aside. */
  public Log open(TopicPartition name, Uuid topicId, LogConfig config, Shard shard) {
    LogDirectory where = directoryOf(name);
    if (where != null) {
      Log there = where.log(name);
      if (there.failure() != null) {
        throw new IllegalStateException(where.path() + " has failed", there.failure());
      }
      if (there.topicId() == null || there.topicId().equals(topicId)) {
        there.config(config);
        there.assignTopicId(topicId);
        return there;
      }
      where.stray(there, shard);
    }
    return emptiest().openOrCreate(name, topicId, config, shard);
  }

  private LogDirectory directoryOf(TopicPartition name) {
    for (LogDirectory d : directories) {
      if (d.log(name) != null) {
        return d;
      }
    }
    return null;
  }

  private LogDirectory emptiest() {
    LogDirectory best = null;
    for (LogDirectory d : directories) {
      if (d.failure() == null && (best == null || d.logs().size() < best.logs().size())) {
        best = d;
      }
    }
    if (best == null) {
      throw new IllegalStateException("all log directories have failed");
    }
    return best;
  }

  public void delete(Log log, Shard shard) {
    LogDirectory where = directoryOf(log.partition());
    if (where != null) {
      where.delete(log, shard);
    }
  }

  /** Sets aside what the cluster no longer places on this broker. On the log's shard. */
  public void stray(Log log, Shard shard) {
    LogDirectory where = directoryOf(log.partition());
    if (where != null) {
      where.stray(log, shard);
    }
  }

  /** As it was checkpointed before the start; 0 if it was not. */
  public long highWatermarkBefore(TopicPartition name) {
    long highest = 0;
    for (LogDirectory d : directories) {
      highest = Math.max(highest, d.highWatermarkBefore(name));
    }
    return highest;
  }

  public Collection<Log> logs() {
    List<Log> all = new ArrayList<>();
    directories.forEach(d -> all.addAll(d.logs()));
    return all;
  }

  public List<LogDirectory> directories() {
    return directories;
  }

  /**
   * Blocks: on a disk worker.
   *
   * @return false if there was something to leave out, as logs have changed meanwhile
   */
  public boolean checkpointHighWatermarks(Map<TopicPartition, HighWatermark> offsets) {
    boolean complete = true;
    for (LogDirectory d : directories) {
      if (d.failure() != null) {
        continue;
      }
      List<HighWatermark> own = new ArrayList<>();
      for (Log log : d.logs()) {
        HighWatermark said = offsets.get(log.partition());
        if (said != null) {
          own.add(said);
        }
      }
      complete &= d.checkpointHighWatermarks(own);
    }
    return complete;
  }
}
