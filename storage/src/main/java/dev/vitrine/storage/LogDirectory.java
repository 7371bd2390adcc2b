package dev.vitrine.storage;

import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.seam.Disk;
import dev.vitrine.seam.Shard;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One of {@code log.dirs}: its lock, its {@code meta.properties}, its logs and what is kept of them
 * in checkpoints. The logs belong to different shards; this object is shared by all: its table is
 * concurrent, the offsets it reads are volatile, and a checkpoint is written by one thread at a
 * time, none of which is on the way of a record.
 *
 * <pre>
 *   LogDirectory open(Disk, Path)                   takes the lock
 *   void load(Shard, Placement, done)               all logs but __cluster_metadata, several at once
 *   Log  openOrCreate(TopicPartition, Uuid, LogConfig, Shard)      on the owning shard
 *   void delete(Log)                                on the owning shard
 *   void checkpoint...()                            blocking: on a disk worker
 *   void close(brokerEpoch)                         blocking, after all logs are closed: marks it clean
 * </pre>
 */
public final class LogDirectory implements LogContext.RecoveryPoints {
  private static final Logger LOG = LoggerFactory.getLogger(LogDirectory.class);
  private static final String LOCK = ".lock";

  /** Never loaded with the others: it belongs to the quorum. */
  public static final TopicPartition METADATA = new TopicPartition("__cluster_metadata", 0);

  /** Who shall own a log that was found, and how it is configured. Called by disk workers too. */
  public interface Placement {
    Shard shard(TopicPartition partition);

    LogConfig config(TopicPartition partition);
  }

  /**
   * What loading has found.
   *
   * @param failed why logs could not be loaded, by their folder
   */
  public record Loaded(List<Log> logs, Map<Path, Throwable> failed) {}

  private final Disk disk;
  private final Path root;
  private final AutoCloseable lock;
  private final MetaProperties meta;
  private final boolean clean;
  private final OptionalLong lastBrokerEpoch;
  private final OffsetCheckpoint recoveryPoints;
  private final OffsetCheckpoint startOffsets;
  private final HighWatermarkFile highWatermarks;
  private final Map<TopicPartition, Long> recoveryPointsBefore;
  private final Map<TopicPartition, Long> startOffsetsBefore;
  private final ConcurrentSkipListMap<TopicPartition, Log> logs = new ConcurrentSkipListMap<>();
  private final FutureLogs futures;

  /** What the files of the checkpoints say now. */
  private volatile Map<TopicPartition, Long> writtenRecoveryPoints;

  private volatile Map<TopicPartition, Long> writtenStartOffsets;

  private volatile Throwable failure;
  private volatile Consumer<Throwable> onFailure = why -> {};

  private LogDirectory(Disk disk, Path root, AutoCloseable lock) {
    this.disk = disk;
    this.root = root;
    this.lock = lock;
    this.futures = new FutureLogs(this, disk);
    this.meta = MetaProperties.read(disk, root);
    this.clean = CleanShutdownMarker.exists(disk, root);
    this.lastBrokerEpoch = CleanShutdownMarker.brokerEpoch(disk, root);
    this.recoveryPoints =
        new OffsetCheckpoint(disk, root.resolve("recovery-point-offset-checkpoint"));
    this.startOffsets = new OffsetCheckpoint(disk, root.resolve("log-start-offset-checkpoint"));
    this.highWatermarks =
        new HighWatermarkFile(
            new OffsetCheckpoint(disk, root.resolve("replication-offset-checkpoint")));
    this.recoveryPointsBefore = readOrNothing(recoveryPoints);
    this.startOffsetsBefore = readOrNothing(startOffsets);
    this.writtenRecoveryPoints = recoveryPointsBefore;
    this.writtenStartOffsets = startOffsetsBefore;
  }

  /** Without these, more is read at the start, and a log starts with its first segment. */
  private static Map<TopicPartition, Long> readOrNothing(OffsetCheckpoint checkpoint) {
    try {
      return checkpoint.read();
    } catch (UncheckedIOException e) {
      LOG.warn("{} can't be used: it counts as empty", checkpoint.path(), e);
      return new TreeMap<>();
    }
  }

  /**
   * Makes the directory if there is none, and takes its lock. The mark of a clean stop is gone when
   * this returns.
   *
   * @throws IllegalStateException if another process has it
   * @throws UncheckedIOException if it can't be used; the message says why
   */
  public static LogDirectory open(Disk disk, Path root) {
    if (!disk.exists(root)) {
      disk.createDirectories(root);
      disk.syncDirectory(root.toAbsolutePath().getParent());
    }
    AutoCloseable lock = disk.tryLock(root.resolve(LOCK));
    if (lock == null) {
      throw new IllegalStateException(
          "Failed to acquire lock on file .lock in "
              + root
              + ". A Kafka instance in another process or thread is using this directory.");
    }
    try {
      LogDirectory d = new LogDirectory(disk, root, lock);
      CleanShutdownMarker.delete(disk, root);
      return d;
    } catch (RuntimeException e) {
      release(lock);
      throw e;
    }
  }

  public Path path() {
    return root;
  }

  /** Null if the directory was never formatted. */
  public MetaProperties meta() {
    return meta;
  }

  /** Whether the last stop was clean. */
  public boolean wasClean() {
    return clean;
  }

  /** The broker's epoch at the last stop, if that was clean. */
  public OptionalLong lastBrokerEpoch() {
    return lastBrokerEpoch;
  }

  /** The high watermark as it was checkpointed before the start; 0 if it was not. */
  public long highWatermarkBefore(TopicPartition partition) {
    return highWatermarks.before(partition);
  }

  /** Those that are open. Any thread. */
  public Collection<Log> logs() {
    return logs.values();
  }

  /** Those that are on their way here. */
  public FutureLogs futures() {
    return futures;
  }

  /** Null if it is not open here. Any thread. */
  public Log log(TopicPartition partition) {
    return logs.get(partition);
  }

  // --- loading ---

  /**
   * Loads all logs, each on a disk worker; then calls {@code done} on {@code shard}. Folders that
   * were to be deleted are deleted.
   */
  public void load(Shard shard, Placement placement, Consumer<Loaded> done) {
    List<Path> dirs = new ArrayList<>();
    for (Path dir : disk.list(root)) {
      String name = dir.getFileName().toString();
      if (!disk.isDirectory(dir)) {
        continue;
      }
      if (name.endsWith(LogFiles.DELETE_DIR)) {
        shard.offload(() -> deleteFolder(dir), (n, e) -> warn(e, "could not delete " + dir));
      } else if (name.endsWith(LogFiles.STRAY_DIR)) {
        LOG.warn("Left alone: {}", dir);
      } else if (FutureLogs.partitionOf(dir) != null) {
        dirs.add(dir);
      } else if (partitionOf(dir) == null) {
        LOG.warn("Not a log's folder, left alone: {}", dir);
      } else if (!partitionOf(dir).equals(METADATA)) {
        dirs.add(dir);
      }
    }
    new Loading(shard, placement, done, dirs.size()).start(dirs);
  }

  /** The load under way: counts on its shard. */
  private final class Loading {
    private final Shard shard;
    private final Placement placement;
    private final Consumer<Loaded> done;
    private final Loaded result = new Loaded(new ArrayList<>(), new TreeMap<>());
    private int left;

    private Loading(Shard shard, Placement placement, Consumer<Loaded> done, int left) {
      this.shard = shard;
      this.placement = placement;
      this.done = done;
      this.left = left;
    }

    private void start(List<Path> dirs) {
      if (dirs.isEmpty()) {
        shard.execute(() -> done.accept(result));
      }
      long now = shard.now();
      for (Path dir : dirs) {
        shard.offload(() -> load(dir, now), (log, e) -> loaded(dir, log, e));
      }
    }

    private Log load(Path dir, long now) {
      TopicPartition future = FutureLogs.partitionOf(dir);
      TopicPartition tp = future == null ? partitionOf(dir) : future;
      LogLoader.Loaded parts =
          new LogLoader(disk, tp, dir, placement.config(tp), before(tp, now)).load();
      return found(new Log(new LogContext(disk, placement.shard(tp), LogDirectory.this), parts));
    }

    private void loaded(Path dir, Log log, Throwable failure) {
      if (failure == null && FutureLogs.partitionOf(dir) != null) {
        futures.found(log);
        result.logs.add(log);
      } else if (failure == null) {
        logs.put(log.partition(), log);
        result.logs.add(log);
      } else {
        LOG.error("Could not load {}", dir, failure);
        result.failed.put(dir, failure);
      }
      if (--left == 0) {
        finish();
      }
    }

    private void finish() {
      if (result.logs.stream().noneMatch(LogDirectory.this::endsBeforeWhatIsSaidOfIt)) {
        done.accept(result);
        return;
      }
      shard.offload(
          () -> {
            checkpointRecoveryPoints();
            result.logs.forEach(log -> cutting(log, log.logEndOffset()));
            return null;
          },
          (nothing, e) -> {
            warn(e, "could not write the checkpoints of " + root);
            done.accept(result);
          });
    }
  }

  private LogLoader.Before before(TopicPartition tp, long now) {
    return new LogLoader.Before(
        // Kafka's mark does not speak for the quorum's log.
        clean && !tp.equals(METADATA),
        recoveryPointsBefore.getOrDefault(tp, 0L),
        startOffsetsBefore.getOrDefault(tp, 0L),
        now);
  }

  /**
   * Opens one log, or makes it. On the owning shard; a log that is there is read on this thread.
   *
   * @param topicId null if the topic has none
   */
  public Log openOrCreate(TopicPartition tp, Uuid topicId, LogConfig config, Shard shard) {
    Log open = logs.get(tp);
    if (open != null) {
      return open;
    }
    Path dir = root.resolve(tp.toString());
    boolean isNew = !disk.exists(dir);
    LogLoader.Loaded parts =
        isNew
            ? LogLoader.create(disk, tp, dir, config, topicId, shard.now())
            : new LogLoader(disk, tp, dir, config, before(tp, shard.now())).load();
    Log log = new Log(new LogContext(disk, shard, this), parts);
    if (topicId != null) {
      log.assignTopicId(topicId);
    }
    logs.put(tp, log);
    if (isNew) {
      forgetOffsets(log);
      return log;
    }
    cutting(log, log.logEndOffset());
    if (endsBeforeItsRecoveryPoint(log)) {
      lowered(log);
    }
    return found(log);
  }

  private Log found(Log log) {
    if (!clean || log.partition().equals(METADATA)) {
      log.foundAfterUncleanStop();
    }
    return log;
  }

  /** After a crash, what a checkpoint says of a log before this one would be believed. */
  void forgetOffsets(Log log) {
    cutting(log, log.logEndOffset());
    TopicPartition tp = log.partition();
    if (writtenRecoveryPoints.containsKey(tp) || writtenStartOffsets.containsKey(tp)) {
      lowered(log);
    }
  }

  /** A log that was on its way here is the partition's now. */
  void adopt(Log log) {
    logs.put(log.partition(), log);
  }

  /** What is appended to it is neither synced nor committed, whatever the checkpoints say. */
  private boolean endsBeforeWhatIsSaidOfIt(Log log) {
    return endsBeforeItsRecoveryPoint(log)
        || log.logEndOffset() < highWatermarks.before(log.partition());
  }

  private boolean endsBeforeItsRecoveryPoint(Log log) {
    return log.recoveryPoint() < writtenRecoveryPoints.getOrDefault(log.partition(), 0L);
  }

  /** The partition that a folder's name says; null if it says none. */
  private static TopicPartition partitionOf(Path dir) {
    return partitionOf(dir.getFileName().toString());
  }

  static TopicPartition partitionOf(String name) {
    int dash = name.lastIndexOf('-');
    if (dash <= 0 || !name.substring(dash + 1).matches("\\d{1,9}")) {
      return null;
    }
    return new TopicPartition(name.substring(0, dash), Integer.parseInt(name.substring(dash + 1)));
  }

  // --- deleting ---

  /** Renames the log's folder away, and deletes it after file.delete.delay.ms. */
  public void delete(Log log, Shard shard) {
    moveAway(log, shard, LogFiles.DELETE_DIR);
    deleteLater(log, shard);
  }

  /**
   * The same of a log that another directory has taken over.
   *
   * @return makes sure that it does not come back: blocks
   */
  public Runnable replaced(Log log, Shard shard) {
    moveAway(log, shard, LogFiles.DELETE_DIR);
    deleteLater(log, shard);
    return () -> disk.syncDirectory(root);
  }

  private void deleteLater(Log log, Shard shard) {
    Path dir = log.dir();
    shard.schedule(
        log.config().fileDeleteDelayMs(),
        () -> shard.offload(() -> deleteFolder(dir), (n, e) -> warn(e, "could not delete " + dir)));
  }

  /** Sets aside a log that the cluster does not place here; nothing is deleted. */
  public void stray(Log log, Shard shard) {
    moveAway(log, shard, LogFiles.STRAY_DIR);
  }

  private void moveAway(Log log, Shard shard, String suffix) {
    logs.remove(log.partition(), log);
    log.abandon();
    Path from = log.dir();
    String unique = "%016x%016x".formatted(shard.random().nextLong(), shard.random().nextLong());
    String end = "." + unique + suffix;
    String name = from.getFileName().toString();
    // A file name has at most 255 characters.
    name = name.substring(0, Math.min(name.length(), 255 - end.length()));
    Path to = root.resolve(name + end);
    disk.rename(from, to);
    log.moved(to);
    LOG.info("{} is renamed to {}", from, to.getFileName());
    shard.offload(
        () -> {
          disk.syncDirectory(root);
          checkpointRecoveryPoints();
          checkpointLogStartOffsets();
          return null;
        },
        (n, e) -> warn(e, "could not sync " + root));
  }

  private Void deleteFolder(Path dir) {
    if (disk.exists(dir)) {
      disk.list(dir).forEach(disk::delete);
      disk.delete(dir);
    }
    return null;
  }

  private static void warn(Throwable e, String what) {
    if (e != null) {
      LOG.warn("{}", what, e);
    }
  }

  // --- checkpoints ---

  /** Writes what is synced of each log. Blocks: on a disk worker. */
  public synchronized void checkpointRecoveryPoints() {
    Map<TopicPartition, Long> points = notOpen(recoveryPointsBefore);
    both().forEach(log -> points.put(log.partition(), log.recoveryPoint()));
    write(recoveryPoints, points);
    writtenRecoveryPoints = points;
  }

  /** Writes where logs start, where that is within a segment. Blocks: on a disk worker. */
  public synchronized void checkpointLogStartOffsets() {
    Map<TopicPartition, Long> starts = notOpen(startOffsetsBefore);
    both()
        .forEach(
            log -> {
              if (log.logStartOffset() > 0) {
                starts.put(log.partition(), log.logStartOffset());
              }
            });
    write(startOffsets, starts);
    writtenStartOffsets = starts;
  }

  /** What was known of logs that are still there but not open, such as the quorum's. */
  private Map<TopicPartition, Long> notOpen(Map<TopicPartition, Long> before) {
    Map<TopicPartition, Long> out = new TreeMap<>(before);
    out.keySet().removeIf(tp -> logs.containsKey(tp) || !disk.exists(root.resolve(tp.toString())));
    return out;
  }

  /**
   * Writes the high watermarks of logs of this directory, which their owners know. Blocks: on a
   * disk worker.
   *
   * @return false if some are of logs that have been cut or replaced since: they are left out
   */
  public boolean checkpointHighWatermarks(Collection<HighWatermark> offsets) {
    List<HighWatermark> here =
        offsets.stream().filter(h -> logs.get(h.log().partition()) == h.log()).toList();
    try {
      return highWatermarks.write(here) && here.size() == offsets.size();
    } catch (UncheckedIOException e) {
      fail(e);
      throw e;
    }
  }

  @Override
  public void cutting(Log log, long offset) {
    try {
      highWatermarks.lower(log.partition(), offset);
    } catch (UncheckedIOException e) {
      fail(e);
      throw e;
    }
  }

  /** A directory in which a checkpoint can't be written is of no use any more, as in Kafka. */
  private void write(OffsetCheckpoint checkpoint, Map<TopicPartition, Long> offsets) {
    try {
      checkpoint.write(offsets);
    } catch (UncheckedIOException e) {
      fail(e);
      throw e;
    }
  }

  @Override
  public void lowered(Log log) {
    checkpointRecoveryPoints();
    if (writtenStartOffsets.getOrDefault(log.partition(), 0L) > log.logStartOffset()) {
      checkpointLogStartOffsets();
    }
  }

  /** The logs and those that are on their way here: of a partition there is only one. */
  private List<Log> both() {
    List<Log> all = new ArrayList<>(futures.all());
    all.addAll(logs.values());
    return all;
  }

  // --- its failure ---

  /** Hears once, on any thread, why nothing in this directory can be used any more (KIP-858). */
  public void onFailure(Consumer<Throwable> hears) {
    onFailure = hears;
  }

  @Override
  public Throwable failure() {
    return failure;
  }

  @Override
  public void failed(Log log, Throwable why) {
    fail(why);
  }

  private void fail(Throwable why) {
    synchronized (this) {
      if (failure != null) {
        return;
      }
      failure = why;
    }
    LOG.error("Log directory {} has failed, with {} logs in it", root, logs.size(), why);
    onFailure.accept(why);
  }

  // --- its end ---

  /**
   * Ends a clean stop, after every log was closed with success and the high watermarks were
   * written: the next start will scan nothing. Blocks.
   */
  public void close(long brokerEpoch) {
    checkpointRecoveryPoints();
    checkpointLogStartOffsets();
    CleanShutdownMarker.write(disk, root, brokerEpoch);
    release(lock);
  }

  /**
   * Ends a stop that came before the logs were in use: a directory that was closed cleanly before
   * is so still, and says so again, with the same epoch, as in Kafka. Blocks.
   */
  public void leaveAsFound() {
    both().forEach(Log::abandon);
    if (clean) {
      CleanShutdownMarker.write(disk, root, lastBrokerEpoch.orElse(-1));
    }
    release(lock);
  }

  /** Gives the directory up as it is: as after {@code kill -9}, the next start will recover. */
  public void abandon() {
    both().forEach(Log::abandon);
    release(lock);
  }

  private static void release(AutoCloseable lock) {
    try {
      lock.close();
    } catch (Exception e) {
      LOG.warn("Could not release the lock of a log directory", e);
    }
  }
}
