package dev.vitrine.quorum;

import dev.vitrine.protocol.record.Records;
import dev.vitrine.storage.AppendResult;
import dev.vitrine.storage.EpochEnd;
import dev.vitrine.storage.Log;
import dev.vitrine.storage.LogSlice;
import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metadata log on a real {@link Log}, beside the snapshots that may stand for its beginning.
 */
final class DiskQuorumLog implements QuorumLog {
  private static final Logger LOG = LoggerFactory.getLogger(DiskQuorumLog.class);

  private final Log log;
  private final OffsetAndEpoch snapshotId;

  /**
   * @param snapshotId the latest snapshot, or null
   */
  DiskQuorumLog(Log log, OffsetAndEpoch snapshotId) {
    this.log = log;
    this.snapshotId = snapshotId;
    if (snapshotId != null && log.logEndOffset() < snapshotId.offset()) {
      // What the snapshot stands for is not in the log, which goes on behind it.
      log.truncateFullyAndStartAt(snapshotId.offset());
    }
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
    int latest = log.latestEpoch();
    if (latest >= 0) {
      return latest;
    }
    return snapshotId == null ? 0 : snapshotId.epoch();
  }

  @Override
  public OffsetAndEpoch endOffsetForEpoch(int epoch) {
    if (log.latestEpoch() < 0) {
      return new OffsetAndEpoch(startOffset(), lastEpoch());
    }
    EpochEnd end = log.endOffsetForEpoch(epoch);
    return end.equals(EpochEnd.UNKNOWN)
        ? end()
        : new OffsetAndEpoch(end.endOffset(), end.leaderEpoch());
  }

  @Override
  public OffsetAndEpoch latestSnapshotId() {
    return snapshotId;
  }
}
