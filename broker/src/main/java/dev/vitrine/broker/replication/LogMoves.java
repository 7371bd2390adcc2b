package dev.vitrine.broker.replication;

import dev.vitrine.broker.partition.Partition;
import dev.vitrine.broker.partition.ReplicationQuota;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.seam.Shard;
import dev.vitrine.storage.Log;
import dev.vitrine.storage.LogDirectory;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * In which directory the replicas of one shard lie and are to lie: begins, resumes and ends {@link
 * LogMove}s, and has the controller told. Belongs to the shard.
 */
public final class LogMoves {
  private static final Logger LOG = LoggerFactory.getLogger(LogMoves.class);

  private final LogStore logs;
  private final LogMove.Shared shared;
  private final LocalReplicas.Directories directories;
  private final Map<TopicPartition, LogMove> moves = new TreeMap<>();

  public LogMoves(
      Shard shard, LogStore logs, ReplicationQuota quota, LocalReplicas.Directories directories) {
    this.logs = logs;
    this.shared = new LogMove.Shared(shard, quota);
    this.directories = directories;
  }

  /**
   * The metadata have the replica in this directory. The controller is to know where it lies, or it
   * would not know when it is lost. A move that was under way when the process ended goes on.
   */
  void placed(Partition p, Uuid assigned) {
    LogMove move = moves.get(p.name());
    if (move == null || move.hasEnded()) {
      move = resume(p);
    }
    Uuid wanted = p.directoryId();
    if (move != null && move.to().meta().directoryId().equals(assigned)) {
      move.assigned();
    }
    if (move != null && move.isTold()) {
      wanted = move.to().meta().directoryId();
    }
    if (!wanted.equals(assigned)) {
      directories.placed(p.topicId(), p.name().partition(), wanted);
    }
  }

  private LogMove resume(Partition p) {
    moves.remove(p.name());
    LogDirectory to = logs.directoryOfFuture(p.name());
    if (to == null || to.failure() != null) {
      return null;
    }
    Log future = to.futures().get(p.name());
    if (!p.topicId().equals(future.topicId())) {
      to.futures().delete(future, shared.shard());
      return null;
    }
    return begin(p, to);
  }

  private LogMove begin(Partition p, LogDirectory to) {
    Uuid there = to.meta().directoryId();
    LogMove move =
        new LogMove(
            p,
            logs,
            to,
            shared,
            () -> directories.placed(p.topicId(), p.name().partition(), there));
    moves.put(p.name(), move);
    move.start();
    return move;
  }

  /** A client wants the replica there. */
  public Errors move(Partition p, LogDirectory to) {
    if (p.log().failure() != null || to.failure() != null) {
      return Errors.KAFKA_STORAGE_ERROR;
    }
    LogDirectory from = logs.directoryOf(p.name());
    LogDirectory other = logs.directoryOfFuture(p.name());
    if (other == to) {
      return Errors.NONE;
    }
    if (other != null) {
      cancel(p, from);
    }
    if (from == to) {
      return Errors.NONE;
    }
    try {
      to.futures().create(p.name(), p.topicId(), p.log().config(), shared.shard());
    } catch (RuntimeException e) {
      LOG.error("{} cannot be moved to {}", p.name(), to.path(), e);
      return Errors.KAFKA_STORAGE_ERROR;
    }
    begin(p, to);
    return Errors.NONE;
  }

  /** Drops what is on its way; the controller may have been told of it already. */
  private void cancel(Partition p, LogDirectory from) {
    LogMove move = moves.get(p.name());
    boolean told = move != null && move.isTold();
    drop(p.name());
    if (told && from != null) {
      directories.placed(p.topicId(), p.name().partition(), from.meta().directoryId());
    }
  }

  private void drop(TopicPartition name) {
    LogMove move = moves.remove(name);
    if (move != null) {
      move.end();
    }
    LogDirectory to = logs.directoryOfFuture(name);
    if (to != null && to.failure() == null) {
      Log future = to.futures().get(name);
      LOG.info("{} does not move to {} any more", name, to.path());
      to.futures().delete(future, shared.shard());
    }
  }

  /** The replica is gone. */
  void removed(Partition p) {
    drop(p.name());
  }

  /** The log that is on its way, or null. */
  public Log future(TopicPartition name) {
    LogDirectory to = logs.directoryOfFuture(name);
    return to == null ? null : to.futures().get(name);
  }

  /** Syncs what was copied, now and then. */
  void writeBack() {
    moves.values().removeIf(LogMove::hasEnded);
    moves.values().forEach(m -> m.future().writeBack());
  }

  void close() {
    moves.values().forEach(LogMove::end);
    moves.clear();
  }
}
