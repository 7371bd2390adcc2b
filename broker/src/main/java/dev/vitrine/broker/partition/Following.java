package dev.vitrine.broker.partition;

import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.seam.Shard;
import dev.vitrine.storage.AppendResult;
import dev.vitrine.storage.EpochEnd;
import dev.vitrine.storage.Log;
import io.netty.buffer.ByteBuf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a replica does while another leads: appends what its fetcher brings, and cuts its log where
 * the leader's history leaves it. Belongs to its partition's shard. It never asks anybody for
 * anything: that is the fetcher's.
 */
public final class Following {
  private static final Logger LOG = LoggerFactory.getLogger(Following.class);

  private final Partition partition;
  private final Shard shard;
  private final BatchAppender appender;

  /** Whether it had all that is committed when the leader last answered. */
  private boolean caughtUp;

  /** As the leader last said. */
  private long leadersHighWatermark;

  Following(Partition partition, PartitionContext context) {
    this.partition = partition;
    this.shard = context.shard();
    this.appender = context.appender();
  }

  /** There is a new leader. */
  void begin() {
    caughtUp = false;
    leadersHighWatermark = 0;
  }

  /** Records that are committed, as the leader has said, and not here yet. */
  public long lag() {
    return Math.max(0, leadersHighWatermark - log().logEndOffset());
  }

  private Log log() {
    return partition.log();
  }

  private TopicPartition name() {
    return partition.name();
  }

  /** Whether answers that a fetcher got from the leader of this epoch are still good. */
  public boolean isOf(int leaderEpoch) {
    Assignment assignment = partition.assignment();
    return !partition.isClosed()
        && !partition.isLeader()
        && assignment != null
        && assignment.leaderEpoch() == leaderEpoch;
  }

  /**
   * Appends what the leader sent: batches as they are in its log.
   *
   * @param records not used after this call returns; null or empty if there was nothing
   */
  public void append(ByteBuf records, long leaderHighWatermark, long leaderLogStart) {
    Log log = log();
    if (records != null && records.isReadable()) {
      partition
          .settings()
          .asFollower()
          .record(name().partition(), records.readableBytes(), shard.ticks());
      AppendResult result = appender.appendFetched(log, records, partition.leaderEpoch());
      if (!result.isOk()) {
        throw new IllegalStateException(result.error() + ": " + result.message());
      }
    }
    if (leaderLogStart > log.logStartOffset() && leaderLogStart <= log.logEndOffset()) {
      log.advanceLogStartOffset(leaderLogStart);
    }
    leadersHighWatermark = leaderHighWatermark;
    caughtUp = leaderHighWatermark <= log.logEndOffset();
    long next = Math.min(leaderHighWatermark, log.logEndOffset());
    if (next > partition.highWatermark()) {
      partition.moveHighWatermark(next);
    }
  }

  /** Whether the throttle of followers bids it not to fetch for now. */
  public boolean isHeldBack() {
    return !caughtUp
        && partition.settings().asFollower().isExceeded(name().partition(), shard.ticks());
  }

  /**
   * The leader's history ends its epoch there: ours is cut to agree. May need several rounds
   * (KIP-279).
   */
  public void truncateTo(EpochEnd leaderEnd) {
    truncateTo(log().endOfAgreement(leaderEnd));
  }

  public void truncateTo(long offset) {
    Log log = log();
    long before = log.logEndOffset();
    if (offset >= before) {
      // No records go, but perhaps an epoch in which this replica led and wrote nothing: kept, it
      // would be told of the same divergence for ever.
      log.truncateTo(before);
      return;
    }
    if (offset < partition.highWatermark()) {
      LOG.warn("{} is truncated below its high watermark {}", name(), partition.highWatermark());
    }
    log.truncateTo(offset);
    cutHighWatermark();
    LOG.info(
        "{} truncated from offset {} to offset {}, as leader {} has it in epoch {}",
        name(),
        before,
        log.logEndOffset(),
        partition.leaderId(),
        partition.leaderEpoch());
  }

  private void cutHighWatermark() {
    partition.cutHighWatermark(Math.min(partition.highWatermark(), log().logEndOffset()));
  }

  /**
   * Drops all above the high watermark as this replica knows it, as followers did before leader
   * epochs (KIP-101): what is dropped may have been acknowledged, and what is kept need not be what
   * the leader has. Only for {@code vitrine.truncation=high-watermark}.
   */
  public void truncateToHighWatermark() {
    Log log = log();
    long before = log.logEndOffset();
    if (partition.highWatermark() < before) {
      log.truncateTo(partition.highWatermark());
      cutHighWatermark();
      LOG.warn(
          "{} truncated from offset {} to offset {}, its high watermark, before it follows {} in"
              + " epoch {}: vitrine.truncation=high-watermark",
          name(),
          before,
          log.logEndOffset(),
          partition.leaderId(),
          partition.leaderEpoch());
    }
  }

  public void truncateFullyAndStartAt(long offset) {
    LOG.info(
        "{} truncated from offset {} and started again at offset {}",
        name(),
        log().logEndOffset(),
        offset);
    log().truncateFullyAndStartAt(offset);
    partition.cutHighWatermark(offset);
  }
}
