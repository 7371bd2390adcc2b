package dev.vitrine.broker.replication;

import dev.vitrine.broker.partition.Partition;
import dev.vitrine.broker.partition.ReplicationQuota;
import dev.vitrine.protocol.record.Records;
import dev.vitrine.seam.Shard;
import dev.vitrine.storage.AppendResult;
import dev.vitrine.storage.EpochEnd;
import dev.vitrine.storage.Log;
import dev.vitrine.storage.LogDirectory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.UncheckedIOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One replica on its way to another of {@code log.dirs}, while it leads or follows as ever
 * (KIP-113). Belongs to the replica's shard; disk workers read for it.
 *
 * <pre>
 *   copying ──► has all, synced ──► the controller is told ──► the metadata says so ──► the logs are swapped
 *      ▲            │
 *      └────────────┘ more was appended, or truncated
 * </pre>
 *
 * The controller knows where the replica will be before it is there (KIP-858): if the old directory
 * fails in between, or the process dies, what was on its way has all and takes its place. So the
 * folder of the old log is gone before the new one gets its name, and a start in between completes
 * it ({@link LogStore#open}), Apache Kafka's too.
 */
final class LogMove {
  private static final Logger LOG = LoggerFactory.getLogger(LogMove.class);
  private static final int CHUNK = 1024 * 1024;

  /** What may be copied on the shard itself, so that the last bytes of a busy log come along. */
  private static final int LAST_CHUNK = 64 * 1024;

  private static final int LAST_CHUNKS = 8;
  private static final long WAIT_MS = 50;
  private static final long THROTTLED_MS = 100;

  private final Partition partition;
  private final LogStore store;
  private final LogDirectory to;
  private final Log future;
  private final Shard shard;
  private final ReplicationQuota quota;
  private final Runnable hasAll;
  private int truncations;
  private boolean telling;
  private boolean told;
  private boolean assigned;
  private boolean ended;

  /**
   * @param hasAll tells the controller where the replica will be; run once
   */
  LogMove(Partition partition, LogStore store, LogDirectory to, Shared shared, Runnable hasAll) {
    this.partition = partition;
    this.store = store;
    this.to = to;
    this.future = to.futures().get(partition.name());
    this.shard = shared.shard;
    this.quota = shared.quota;
    this.hasAll = hasAll;
  }

  /**
   * What all moves of a shard share.
   *
   * @param quota {@code replica.alter.log.dirs.io.max.bytes.per.second}
   */
  record Shared(Shard shard, ReplicationQuota quota) {}

  LogDirectory to() {
    return to;
  }

  Log future() {
    return future;
  }

  /** Whether the controller is told, or was before, that the replica is where it goes. */
  boolean isTold() {
    return told;
  }

  boolean hasEnded() {
    return ended;
  }

  void start() {
    LOG.info("{} moves from {} to {}", partition.name(), partition.log().dir(), future.dir());
    agree();
    shard.execute(this::copy);
  }

  /** The metadata have the replica where it goes. */
  void assigned() {
    telling = true;
    told = true;
    assigned = true;
  }

  /** Nothing more is copied. What was stays as it is. */
  void end() {
    ended = true;
  }

  private boolean isUseless() {
    return ended || future.failure() != null || partition.log().failure() != null;
  }

  // ---- copying

  private void copy() {
    if (isUseless()) {
      return;
    }
    try {
      Log source = partition.log();
      keepUp(source);
      if (future.logEndOffset() >= source.logEndOffset()) {
        hasAll();
      } else if (quota.isExceeded(shard.ticks())) {
        shard.schedule(THROTTLED_MS, this::copy);
      } else {
        copyChunk(source);
      }
    } catch (UncheckedIOException e) {
      failed(e);
    }
  }

  private void copyChunk(Log source) {
    Records records =
        source.read(future.logEndOffset(), CHUNK, source.logEndOffset(), true).records();
    int then = source.truncations();
    shard.offload(
        () -> bytes(records),
        (bytes, problem) -> {
          if (isUseless()) {
            return;
          }
          if (problem != null) {
            LOG.warn("{} cannot be read for its move", source, problem);
            shard.schedule(THROTTLED_MS, this::copy);
          } else if (then != source.truncations()) {
            copy();
          } else {
            appendChunk(bytes);
          }
        });
  }

  private static ByteBuf bytes(Records records) {
    try {
      ByteBuf bytes = Unpooled.buffer(records.sizeInBytes());
      records.writeTo(bytes);
      return bytes;
    } finally {
      records.release();
    }
  }

  private void appendChunk(ByteBuf bytes) {
    try {
      append(bytes);
      copy();
    } catch (UncheckedIOException e) {
      failed(e);
    }
  }

  private void append(ByteBuf bytes) {
    quota.record(bytes.readableBytes(), shard.ticks());
    long before = future.logEndOffset();
    AppendResult result = future.appendAsFollower(bytes, Integer.MAX_VALUE);
    if (!result.isOk() || future.logEndOffset() == before) {
      LOG.error("{} cannot be moved: at offset {} {}", partition.name(), before, result.message());
      ended = true;
    }
  }

  private void failed(UncheckedIOException e) {
    LOG.error("{} cannot be written", future, e);
    future.fail(e);
  }

  // ---- agreeing with what is copied

  private void keepUp(Log source) {
    if (truncations != source.truncations()) {
      agree();
    }
    future.config(source.config());
    if (source.logStartOffset() > future.logEndOffset()) {
      future.truncateFullyAndStartAt(source.logStartOffset());
    } else if (future.advanceLogStartOffset(source.logStartOffset())) {
      future.deleteOldSegments(Math.min(partition.highWatermark(), future.logEndOffset()));
    }
  }

  /** Cuts what the source does not have, as a follower does with its leader. */
  private void agree() {
    Log source = partition.log();
    truncations = source.truncations();
    while (future.latestEpoch() >= 0 && future.logEndOffset() > future.logStartOffset()) {
      EpochEnd end = source.endOffsetForEpoch(future.latestEpoch());
      if (end.leaderEpoch() < 0) {
        future.truncateFullyAndStartAt(source.logStartOffset());
        return;
      }
      long upTo = future.endOfAgreement(end);
      int epoch = future.latestEpoch();
      boolean cuts = upTo < future.logEndOffset();
      future.truncateTo(upTo);
      if (!cuts && end.leaderEpoch() == epoch) {
        break;
      }
      if (!cuts && future.latestEpoch() == epoch) {
        future.truncateFullyAndStartAt(source.logStartOffset());
        return;
      }
    }
    if (future.logEndOffset() > source.logEndOffset()) {
      future.truncateTo(source.logEndOffset());
    }
  }

  // ---- the end of it

  private void hasAll() {
    if (!assigned) {
      tell();
      shard.schedule(WAIT_MS, this::copy);
      return;
    }
    // What was synced of the old log is to be synced of the new one.
    future.flush(
        problem -> {
          if (!isUseless() && problem == null) {
            swap();
          }
        });
  }

  /** From then on what was copied may have to stand for all. */
  private void tell() {
    if (telling) {
      return;
    }
    telling = true;
    future.flush(
        problem -> {
          if (!isUseless() && problem == null) {
            told = true;
            hasAll.run();
          }
        });
  }

  private void swap() {
    Log source = partition.log();
    try {
      keepUp(source);
      for (int i = 0; i < LAST_CHUNKS && future.logEndOffset() < source.logEndOffset(); i++) {
        append(
            bytes(
                source
                    .read(future.logEndOffset(), LAST_CHUNK, source.logEndOffset(), true)
                    .records()));
      }
    } catch (UncheckedIOException e) {
      failed(e);
      return;
    }
    boolean complete =
        future.logEndOffset() == source.logEndOffset()
            && future.recoveryPoint() >= source.recoveryPoint();
    if (ended || !complete) {
      copy();
      return;
    }
    if (source.latestEpoch() > future.latestEpoch()) {
      future.assignEpoch(source.latestEpoch(), source.logEndOffset());
    }
    future.highWatermarkAdvanced(partition.highWatermark());
    ended = true;
    LogDirectory from = store.directoryOf(partition.name());
    partition.replaceLog(future);
    store.replace(from, future, to, shard);
    LOG.info("{} has moved from {} to {}", partition.name(), from.path(), to.path());
  }
}
