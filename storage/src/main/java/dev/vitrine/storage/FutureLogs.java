package dev.vitrine.storage;

import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.seam.Disk;
import dev.vitrine.seam.Shard;
import java.nio.file.Path;
import java.util.Collection;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The logs of one directory that are on their way there from another (KIP-113), in folders {@code
 * <topic>-<partition>.<id>-future}. They are logs like others and in the same checkpoints, but
 * nobody reads them; when such a log has all, its folder gets the partition's name. Shared as
 * {@link LogDirectory} is.
 */
public final class FutureLogs {
  private static final Logger LOG = LoggerFactory.getLogger(FutureLogs.class);
  private static final int ID_LENGTH = 32;
  private static final int LONGEST_NAME = 255;

  private final LogDirectory directory;
  private final Disk disk;
  private final ConcurrentSkipListMap<TopicPartition, Log> logs = new ConcurrentSkipListMap<>();

  FutureLogs(LogDirectory directory, Disk disk) {
    this.directory = directory;
    this.disk = disk;
  }

  /** Whether the name of a folder for it would be longer than a file system allows. */
  public static boolean isNameTooLong(TopicPartition tp) {
    return tp.toString().length() + 1 + ID_LENGTH + LogFiles.FUTURE_DIR.length() > LONGEST_NAME;
  }

  /** The partition that such a folder is for; null if its name says none. */
  static TopicPartition partitionOf(Path dir) {
    String name = dir.getFileName().toString();
    int dot = name.lastIndexOf('.');
    return dot < 0 || !name.endsWith(LogFiles.FUTURE_DIR)
        ? null
        : LogDirectory.partitionOf(name.substring(0, dot));
  }

  /** Null if none is on its way here. Any thread. */
  public Log get(TopicPartition tp) {
    return logs.get(tp);
  }

  /** Any thread. */
  public Collection<Log> all() {
    return logs.values();
  }

  /** What loading has found. */
  void found(Log log) {
    Log other = logs.putIfAbsent(log.partition(), log);
    if (other != null) {
      LOG.warn("{} is left alone: {} is for the same partition", log.dir(), other.dir());
      log.abandon();
    }
  }

  /** Makes an empty one. On the owning shard. */
  public Log create(TopicPartition tp, Uuid topicId, LogConfig config, Shard shard) {
    String id = "%016x%016x".formatted(shard.random().nextLong(), shard.random().nextLong());
    Path dir = directory.path().resolve(tp + "." + id + LogFiles.FUTURE_DIR);
    LogLoader.Loaded parts = LogLoader.create(disk, tp, dir, config, topicId, shard.now());
    Log log = new Log(new LogContext(disk, shard, directory), parts);
    logs.put(tp, log);
    directory.forgetOffsets(log);
    return log;
  }

  /** Gives it up: its folder is renamed away and deleted later. On the owning shard. */
  public void delete(Log log, Shard shard) {
    logs.remove(log.partition(), log);
    directory.delete(log, shard);
  }

  /**
   * Makes it the log of its partition at once, and gives its folder the name as soon as no flush is
   * under way, when this has been durable: {@code others}. On the owning shard.
   *
   * @param before runs on a disk worker before the folder is renamed; null if nothing must
   */
  public void promote(Log log, Shard shard, Runnable before) {
    logs.remove(log.partition(), log);
    directory.adopt(log);
    if (before == null) {
      rename(log);
      return;
    }
    shard.offload(
        () -> {
          before.run();
          return null;
        },
        (nothing, problem) -> {
          if (problem != null) {
            LOG.warn("{}: what was before it may come back", log.partition(), problem);
          }
          rename(log);
        });
  }

  private void rename(Log log) {
    Path to = directory.path().resolve(log.partition().toString());
    Consumer<Throwable> done =
        problem -> {
          if (problem == null) {
            LOG.info("{} is now {}", log.partition(), to);
          } else {
            LOG.error("{}: {} cannot be renamed", log.partition(), log.dir(), problem);
          }
        };
    log.rename(to, done);
  }
}
