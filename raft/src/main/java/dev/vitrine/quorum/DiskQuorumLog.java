package dev.vitrine.quorum;

import dev.vitrine.protocol.record.Records;
import dev.vitrine.storage.AppendResult;
import dev.vitrine.storage.EpochEnd;
import dev.vitrine.storage.Log;
import dev.vitrine.storage.LogSlice;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metadata log on a real {@link Log}, beside the snapshots that may stand for its beginning.
 */
final class DiskQuorumLog implements QuorumLog {
  private static final Logger LOG = LoggerFactory.getLogger(DiskQuorumLog.class);

  private static final int READ_BYTES = 1 << 20;

  private final Log log;
  private final SnapshotFiles snapshots;
  private final VoterHistory voters = new VoterHistory();

  DiskQuorumLog(Log log, SnapshotFiles snapshots) {
    this.log = log;
    this.snapshots = snapshots;
    Snapshot latest = snapshots.initial();
    if (latest != null) {
      continueBehind(latest);
    }
    startAtSnapshot();
    readVoters(latest);
  }

  private void readVoters(Snapshot latest) {
    long at = log.logStartOffset();
    if (latest != null) {
      voters.startAt(latest);
      at = Math.max(at, latest.id().offset());
    }
    while (at < log.logEndOffset()) {
      Records records = read(at, READ_BYTES, Long.MAX_VALUE);
      ByteBuf bytes = Unpooled.buffer(records.sizeInBytes());
      records.writeTo(bytes);
      records.release();
      at = voters.appended(bytes, log.logEndOffset());
    }
  }

  /**
   * A log that does not start at 0 starts where a snapshot ends, also after a crash or in Kafka.
   */
  private void startAtSnapshot() {
    if (log.logStartOffset() == 0) {
      return;
    }
    OffsetAndEpoch latest = snapshots.latest();
    if (latest == null || latest.offset() < log.logStartOffset()) {
      throw new IllegalStateException(
          "%s starts at offset %d, and the latest snapshot is %s"
              .formatted(log, log.logStartOffset(), latest));
    }
    snapshots.delete(snapshots.dropBefore(log.logStartOffset()));
    log.advanceLogStartOffset(snapshots.earliest().offset());
  }

  @Override
  public void continueBehind(Snapshot snapshot) {
    OffsetAndEpoch id = snapshot.id();
    if (!leadsTo(id)) {
      LOG.info("{} goes on behind the snapshot {}", log, id);
      log.truncateFullyAndStartAt(id.offset());
      snapshots.delete(snapshots.dropBefore(id.offset()));
      voters.startAt(snapshot);
    }
  }

  /** What of a snapshot is not in the log, or is something else there, was never committed. */
  private boolean leadsTo(OffsetAndEpoch snapshot) {
    long offset = snapshot.offset();
    return offset <= log.logStartOffset()
        || offset <= log.logEndOffset() && log.epochAt(offset - 1) == snapshot.epoch();
  }

  @Override
  public List<Path> trim(long nowMs) {
    List<Path> dropped = new ArrayList<>();
    OffsetAndEpoch next;
    while ((next = snapshots.second()) != null && isTooMuch(nowMs)) {
      LOG.info("{} starts at the snapshot {} now", log, next);
      log.advanceLogStartOffset(next.offset());
      log.deleteOldSegments(next.offset());
      dropped.addAll(snapshots.dropBefore(next.offset()));
      voters.forgetBefore(next.offset() - 1);
    }
    return dropped;
  }

  private boolean isTooMuch(long nowMs) {
    long bytes = log.config().retentionBytes();
    long ms = log.config().retentionMs();
    return bytes >= 0 && log.size() + snapshots.totalSize() > bytes
        || ms >= 0 && nowMs - snapshots.earliestMadeMs() > ms;
  }

  @Override
  public void appendAsLeader(ByteBuf batches, int epoch) {
    append(batches, epoch);
  }

  @Override
  public void appendAsFollower(ByteBuf batches, int epoch) {
    append(batches, epoch);
  }

  private void append(ByteBuf batches, int epoch) {
    AppendResult r = log.appendAsFollower(batches, epoch);
    if (!r.isOk()) {
      throw new IllegalArgumentException(r.message());
    }
    voters.appended(batches, log.logEndOffset());
  }

  @Override
  public Records read(long offset, int maxBytes, long maxOffset) {
    LogSlice slice = log.read(offset, maxBytes, Math.min(maxOffset, log.logEndOffset()), true);
    if (slice.outOfRange()) {
      throw new IllegalStateException("offset " + offset + " is not in " + log);
    }
    return slice.records();
  }

  @Override
  public void truncateTo(long offset) {
    log.truncateTo(offset);
    voters.truncateTo(offset);
  }

  @Override
  public VoterHistory voters() {
    return voters;
  }

  @Override
  public void flush(Consumer<Throwable> done) {
    log.flush(done);
  }

  @Override
  public void close(Runnable done) {
    log.close(
        failure -> {
          if (failure != null) {
            LOG.error("The metadata log was not closed cleanly", failure);
          }
          done.run();
        });
  }

  @Override
  public long startOffset() {
    return log.logStartOffset();
  }

  @Override
  public long endOffset() {
    return log.logEndOffset();
  }

  @Override
  public int lastEpoch() {
    if (!isEmpty()) {
      return log.latestEpoch();
    }
    OffsetAndEpoch snapshot = snapshots.latest();
    return snapshot == null ? 0 : snapshot.epoch();
  }

  /** What the epochs' file says then may be about records that a snapshot has replaced. */
  private boolean isEmpty() {
    return log.logStartOffset() == log.logEndOffset() || log.latestEpoch() < 0;
  }

  @Override
  public OffsetAndEpoch endOffsetForEpoch(int epoch) {
    if (isEmpty()) {
      return new OffsetAndEpoch(startOffset(), lastEpoch());
    }
    EpochEnd end = log.endOffsetForEpoch(epoch);
    return end.equals(EpochEnd.UNKNOWN)
        ? end()
        : new OffsetAndEpoch(end.endOffset(), end.leaderEpoch());
  }

  @Override
  public OffsetAndEpoch latestSnapshotId() {
    return snapshots.latest();
  }

  @Override
  public OffsetAndEpoch earliestSnapshotId() {
    return snapshots.earliest();
  }

  @Override
  public long snapshotSize(OffsetAndEpoch id) {
    return snapshots.size(id);
  }
}
