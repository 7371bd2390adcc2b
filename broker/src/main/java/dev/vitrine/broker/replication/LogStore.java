package dev.vitrine.broker.replication;

import dev.vitrine.metadata.Directories;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.seam.Shard;
import dev.vitrine.storage.HighWatermark;
import dev.vitrine.storage.Log;
import dev.vitrine.storage.LogConfig;
import dev.vitrine.storage.LogDirectory;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All {@code log.dirs} of the broker as one place for logs: finds a log where it lies, and puts a
 * new one where it was asked to be, or where there are the fewest. Any thread, as {@link
 * LogDirectory}.
 */
public final class LogStore {
  private static final Logger LOG = LoggerFactory.getLogger(LogStore.class);

  private final List<LogDirectory> directories;
  private final Set<Path> offline;

  /** Where logs that are not there yet shall be made. */
  private final Map<TopicPartition, LogDirectory> preferred = new ConcurrentHashMap<>();

  /**
   * @param offline those that could not be opened at the start
   */
  public LogStore(List<LogDirectory> directories, Set<Path> offline) {
    this.directories = List.copyOf(directories);
    this.offline = Set.copyOf(offline);
  }

  public LogStore(List<LogDirectory> directories) {
    this(directories, Set.of());
  }

  /**
   * On the shard that will own the log. A log of another topic of that name is set aside; one that
   * was on its way to where the cluster has it by now has arrived.
   *
   * @param assigned the id of the directory that the cluster has the replica in, if it knows
   */
  public Log open(TopicPartition name, Uuid topicId, Uuid assigned, LogConfig config, Shard shard) {
    arrive(name, topicId, assigned, shard);
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
    LogDirectory place = place(name, assigned);
    preferred.remove(name);
    return place.openOrCreate(name, topicId, config, shard);
  }

  /**
   * The process ended after the cluster was told of a move and before that was done (KIP-858). The
   * log that was on its way had everything; unless the one that it comes from is here and has more,
   * for then it only has to go on.
   */
  private void arrive(TopicPartition name, Uuid topicId, Uuid assigned, Shard shard) {
    LogDirectory to = directoryOfFuture(name);
    if (to == null || !to.meta().directoryId().equals(assigned)) {
      return;
    }
    Log future = to.futures().get(name);
    if (!topicId.equals(future.topicId())) {
      to.futures().delete(future, shard);
      return;
    }
    LogDirectory from = directoryOf(name);
    Log source = from == null ? null : from.log(name);
    if (source == null || source.failure() != null || hasAllOf(source, future)) {
      LOG.warn("{}: its move to {} is completed", name, to.path());
      replace(source == null || source.failure() != null ? null : from, future, to, shard);
    }
  }

  private static boolean hasAllOf(Log source, Log future) {
    return future.latestEpoch() >= source.latestEpoch()
        && future.logEndOffset() >= source.logEndOffset();
  }

  /** Makes {@code future} the log of its partition, in place of that in {@code from}. */
  void replace(LogDirectory from, Log future, LogDirectory to, Shard shard) {
    Log source = from == null ? null : from.log(future.partition());
    Runnable before = null;
    try {
      before = source == null ? null : from.replaced(source, shard);
    } catch (UncheckedIOException e) {
      LOG.error("{} cannot be renamed", source, e);
      source.fail(e);
    }
    to.futures().promote(future, shard, before);
  }

  private LogDirectory place(TopicPartition name, Uuid assigned) {
    LogDirectory asked = preferred.get(name);
    if (asked != null && asked.failure() == null) {
      return asked;
    }
    for (LogDirectory d : directories) {
      if (d.meta().directoryId().equals(assigned) && d.failure() == null) {
        return d;
      }
    }
    if (!offline.isEmpty() && Directories.isKnown(assigned)) {
      throw new IllegalStateException("it lies in a directory that is offline");
    }
    return emptiest();
  }

  /** The directory that a client names; null if it is none of ours, or offline. */
  public LogDirectory directory(String path) {
    for (LogDirectory d : directories) {
      if (d.path().toAbsolutePath().toString().equals(path)) {
        return d;
      }
    }
    return null;
  }

  public Set<Path> offline() {
    return offline;
  }

  /** A log that is not here yet shall be made there. */
  public void prefer(TopicPartition name, LogDirectory directory) {
    if (directory.log(name) == null && directory.futures().get(name) == null) {
      preferred.put(name, directory);
    }
  }

  /** The directory that a log is on its way to, if it works; null if none is. */
  public LogDirectory directoryOfFuture(TopicPartition name) {
    for (LogDirectory d : directories) {
      if (d.failure() == null && d.futures().get(name) != null) {
        return d;
      }
    }
    return null;
  }

  /** Where the log of the partition is; null if it is nowhere. */
  public LogDirectory directoryOf(TopicPartition name) {
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
      if (d.failure() == null && (best == null || count(d) < count(best))) {
        best = d;
      }
    }
    if (best == null) {
      throw new IllegalStateException("all log directories have failed");
    }
    return best;
  }

  private static int count(LogDirectory d) {
    return d.logs().size() + d.futures().all().size();
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

  /** Of a log on its way whose replica is not placed on this broker. On the log's shard. */
  void deleteFuture(Log future, Shard shard) {
    LogDirectory to = directoryOfFuture(future.partition());
    if (to != null && to.futures().get(future.partition()) == future) {
      to.futures().delete(future, shard);
    }
  }

  /**
   * As it was checkpointed before the start, where the log is now; 0 if it was not. What another
   * directory says is of another log, or of this one before it moved.
   */
  public long highWatermarkBefore(TopicPartition name) {
    LogDirectory d = directoryOf(name);
    return d == null ? 0 : d.highWatermarkBefore(name);
  }

  public Collection<Log> logs() {
    List<Log> all = new ArrayList<>();
    directories.forEach(d -> all.addAll(d.logs()));
    return all;
  }

  /** Those that are on their way from one directory to another. */
  public Collection<Log> futures() {
    List<Log> all = new ArrayList<>();
    directories.forEach(d -> all.addAll(d.futures().all()));
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
      try {
        complete &= d.checkpointHighWatermarks(own);
      } catch (UncheckedIOException e) {
        LOG.error("The high watermarks of {} cannot be written", d.path(), e);
        complete = false;
      }
    }
    return complete;
  }
}
