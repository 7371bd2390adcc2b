package dev.vitrine.storage;

import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.record.Batches;
import dev.vitrine.protocol.record.RecordBatch;
import dev.vitrine.seam.DiskFile;
import io.netty.buffer.ByteBuf;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of one partition: segments of record batches, from the log start offset to the log end
 * offset. Made by {@link LogDirectory}. Belongs to one shard, which alone calls it, without locks;
 * the offsets and the recovery point may be looked at by others. It knows nothing of the high
 * watermark, which it is given where it matters, and never blocks for a sync.
 *
 * <pre>
 *   AppendResult  appendAsLeader(ByteBuf validated, int leaderEpoch, AppendOrigin origin)
 *   AppendResult  appendAsFollower(ByteBuf fetched, int leaderEpoch)   offsets and epochs as given
 *   LogSlice      read(long offset, int maxBytes, long limitOffset, boolean minOneBatch)
 *   long          logStartOffset() / logEndOffset() / recoveryPoint()
 *   int           latestEpoch();  EpochEnd endOffsetForEpoch(int);  assignEpoch(int, long)
 *   boolean       truncateTo(long);  truncateFullyAndStartAt(long)
 *   boolean       advanceLogStartOffset(long);  int deleteOldSegments(long highWatermark)
 *   OffsetAndTimestamp offsetForTimestamp(long) / maxTimestamp() / earliest() / latest()
 *   void          writeBack()         now and then: sync in the background
 *   void          flush(done)         done when all that was appended before is durable
 *   void          close(done)         flush, snapshot of the producers, files closed
 *   long          lastStableOffset(long highWatermark);  abortedTransactions(from, to)
 * </pre>
 *
 * An I/O error is an {@link UncheckedIOException}: the log directory has failed, as in Kafka. A
 * failed sync is final; every later append and flush fails as it did.
 */
public final class Log {
  private static final Logger LOG = LoggerFactory.getLogger(Log.class);

  private final LogContext context;
  private final TopicPartition partition;
  private final SegmentList segments;
  private final LeaderEpochCache epochs;
  private final ProducerState producers;
  private final LogFlusher flusher;
  private final LogAppends appends = new LogAppends(this);
  private final LogReads reads = new LogReads(this);

  private Path dir;
  private LogConfig config;
  private Uuid topicId;
  private long rollJitterMs;
  private volatile int truncations;

  /** See {@link #surelyOwn}. */
  private long unsyncedCut = Long.MAX_VALUE;

  private boolean closed;
  private Throwable failure;
  private long lastFlushTicks;

  private volatile long logStartOffset;
  private volatile long logEndOffset;
  private volatile long recoveryPoint;

  /** With what {@link LogLoader} has found or made. */
  Log(LogContext context, LogLoader.Loaded loaded) {
    this.context = context;
    this.partition = loaded.partition();
    this.dir = loaded.dir();
    this.config = loaded.config();
    this.topicId = loaded.topicId();
    this.segments = loaded.segments();
    this.epochs = loaded.epochs();
    this.producers = loaded.producers();
    this.logStartOffset = loaded.logStartOffset();
    this.logEndOffset = loaded.logEndOffset();
    this.recoveryPoint = loaded.recoveryPoint();
    this.flusher = new LogFlusher(this, context);
    loaded.written().forEach(flusher::written);
    if (loaded.unsyncedNames()) {
      flusher.folderIsNew();
    }
  }

  // --- what it is ---

  public TopicPartition partition() {
    return partition;
  }

  public Path dir() {
    return dir;
  }

  /** Null if the log is from before there were topic ids. */
  public Uuid topicId() {
    return topicId;
  }

  /** Writes {@code partition.metadata}, for a log that has none. */
  public void assignTopicId(Uuid id) {
    if (topicId == null) {
      topicId = id;
      Path path = dir.resolve(LogFiles.PARTITION_METADATA);
      AtomicFile.writeUnsynced(context.disk(), path, PartitionMetadata.text(id));
      flusher.written(path);
    }
  }

  public LogConfig config() {
    return config;
  }

  /** Later appends, rolls and retention go by these settings. */
  public void config(LogConfig config) {
    this.config = config;
    producers.expirationMs(config.producerIdExpirationMs());
  }

  /** Any thread. */
  public long logStartOffset() {
    return logStartOffset;
  }

  /** The offset of the next record. Any thread. */
  public long logEndOffset() {
    return logEndOffset;
  }

  /** Everything before it is synced. Any thread. */
  public long recoveryPoint() {
    return recoveryPoint;
  }

  /** Of all segments, in bytes, without indexes. */
  public long size() {
    return segments.size();
  }

  public int segmentCount() {
    return segments.count();
  }

  /** The base offset of the first segment: what was deleted by retention is before it. */
  public long firstSegmentOffset() {
    return segments.first().baseOffset();
  }

  /** The base offset of the segment that is written to: what is before it never changes again. */
  public long activeSegmentOffset() {
    return segments.active().baseOffset();
  }

  /** How often it was truncated: work done aside that began before is void. */
  public int truncations() {
    return truncations;
  }

  /** Why it, or its whole directory, is out of use; null while it is not. */
  public Throwable failure() {
    return failure != null ? failure : context.recoveryPoints().failure();
  }

  /** It can't be written, or synced, and neither can its directory be trusted any more. */
  public void fail(Throwable why) {
    if (failure == null) {
      failure = why;
      context.recoveryPoints().failed(this, why);
    }
  }

  @Override
  public String toString() {
    return partition + " in " + dir.getParent();
  }

  // --- appends ---

  /**
   * Appends a leader's batch that {@link dev.vitrine.protocol.record.BatchValidator} has passed:
   * gives it its offsets and epoch in place, checks the producer's sequence, writes it at once.
   *
   * @param records readable bytes: whole batches whose offsets start at 0; indices are not moved
   */
  public AppendResult appendAsLeader(ByteBuf records, int leaderEpoch, AppendOrigin origin) {
    checkUsable();
    return appends.asLeader(records, leaderEpoch, origin);
  }

  /**
   * Appends what a follower has fetched, or a quorum's leader has made: offsets and epochs are
   * taken as they are, and must ascend from the log end offset (gaps are allowed). A batch that is
   * cut at the end is left out, as are batches of a later epoch than the leader's, which the leader
   * cannot have written. If any batch is bad, nothing is appended.
   *
   * @return offsets from the log end offset before to the one after, less 1
   */
  public AppendResult appendAsFollower(ByteBuf records, int leaderEpoch) {
    checkUsable();
    return appends.asFollower(records, leaderEpoch);
  }

  /** Rolls if need be, writes, and lets everything that depends on batches know. */
  void append(ByteBuf records, int length, long first, long last, long maxTimestamp) {
    if (first < logEndOffset) {
      truncateFullyAndStartAt(first);
    }
    long now = context.shard().now();
    Segment.Roll limits =
        new Segment.Roll(
            length, last, maxTimestamp, now, config.segmentBytes(), maxSegmentMs() - rollJitterMs);
    if (segments.active().shouldRoll(limits)) {
      roll(first, now);
    }
    Segment active = segments.active();
    active.append(records, length);
    Batches walk = new Batches().reset(records, records.readerIndex(), length);
    while (walk.next()) {
      RecordBatch batch = walk.batch();
      epochs.assign(batch.partitionLeaderEpoch(), batch.baseOffset());
      SegmentRecovery.replay(active, batch, producers);
    }
    producers.endOffset(last + 1);
    logEndOffset = last + 1;
    if (isFlushDue() && !flusher.isRunning()) {
      flush(e -> {});
    }
  }

  private long maxSegmentMs() {
    return config.compact() && config.maxCompactionLagMs() > 0
        ? Math.min(config.maxCompactionLagMs(), config.segmentMs())
        : config.segmentMs();
  }

  /** Closes the active segment and begins a new one, unless it is empty. */
  public void roll() {
    checkUsable();
    if (segments.active().size() > 0) {
      roll(logEndOffset, context.shard().now());
    }
  }

  private void roll(long baseOffset, long now) {
    Segment old = segments.active();
    if (old.baseOffset() >= baseOffset) {
      return;
    }
    old.seal();
    producers.endOffset(Math.max(baseOffset, logEndOffset));
    Path snapshot = producers.takeSnapshot();
    if (snapshot != null) {
      flusher.written(snapshot);
    }
    segments.add(Segment.create(context.disk(), dir, baseOffset, config, now));
    flusher.namesChanged();
    rollJitterMs =
        config.segmentJitterMs() == 0
            ? 0
            : context
                .shard()
                .random()
                .nextLong(Math.min(config.segmentJitterMs(), config.segmentMs()));
    LOG.debug("{}: rolled a new segment at offset {}", partition, baseOffset);
    // Later, so that it takes the first batch of the new segment too: the recovery point is then
    // within that, and recovery need not look at this one.
    context.shard().execute(this::writeBack);
  }

  private void checkUsable() {
    if (closed || failure() != null) {
      throw new IllegalStateException(
          "the log of " + partition + (closed ? " is closed" : " has failed"), failure());
    }
  }

  // --- reads ---

  /**
   * The batches from the one that holds {@code offset} on, out of one segment.
   *
   * @param limitOffset no batch that begins here or later: the high watermark, the last stable
   *     offset or the log end offset
   * @param minOneBatch the first batch is returned whole, whatever {@code maxBytes} says
   */
  public LogSlice read(long offset, int maxBytes, long limitOffset, boolean minOneBatch) {
    return reads.read(offset, maxBytes, limitOffset, minOneBatch);
  }

  /** The first record that is not earlier, within a batch too; NONE if there is none. */
  public OffsetAndTimestamp offsetForTimestamp(long timestamp) {
    return reads.offsetForTimestamp(timestamp);
  }

  /** The record with the latest time (KIP-734); the first of them. NONE if there is none. */
  public OffsetAndTimestamp maxTimestamp() {
    return reads.maxTimestamp();
  }

  /** The log start offset and its epoch; no timestamp. */
  public OffsetAndTimestamp earliest() {
    return new OffsetAndTimestamp(logStartOffset, -1, epochs.epochAt(logStartOffset));
  }

  /** The log end offset and the latest epoch; no timestamp. */
  public OffsetAndTimestamp latest() {
    return new OffsetAndTimestamp(logEndOffset, -1, latestEpoch());
  }

  // --- leader epochs ---

  /** The epoch of the last records, or the one assigned since; -1 if there is none. */
  public int latestEpoch() {
    return epochs.latestEpoch();
  }

  /** Records from this offset on will be of this epoch: a new leader's first act. */
  public void assignEpoch(int epoch, long startOffset) {
    epochs.assign(epoch, startOffset);
  }

  /** Where the records of this epoch end, and of the largest one before it if it has none. */
  public EpochEnd endOffsetForEpoch(int epoch) {
    return epochs.endOffsetFor(epoch, logEndOffset);
  }

  /**
   * Up to where this log and another one may agree, when the other one says of an epoch where it
   * ends there; to be asked again after a truncation, with what is the latest epoch then (KIP-279).
   */
  public long endOfAgreement(EpochEnd theirs) {
    EpochEnd own = endOffsetForEpoch(theirs.leaderEpoch());
    long end;
    if (own.leaderEpoch() < 0) {
      end = theirs.endOffset();
    } else if (own.leaderEpoch() != theirs.leaderEpoch()) {
      end = own.endOffset();
    } else {
      end = Math.min(theirs.endOffset(), own.endOffset());
    }
    return Math.min(end, logEndOffset);
  }

  /** The epoch of the record at this offset, or -1. */
  public int epochAt(long offset) {
    return epochs.epochAt(offset);
  }

  // --- truncation and deletion ---

  /**
   * Drops everything from this offset on; a batch that holds it goes as a whole. The recovery point
   * is lowered durably first, if that is below it: only then does this block for a sync.
   *
   * @return false if there was nothing to drop
   */
  public boolean truncateTo(long offset) {
    checkUsable();
    if (offset >= logEndOffset) {
      epochs.truncateFromEnd(offset);
      return false;
    }
    if (offset < segments.first().baseOffset()) {
      truncateFullyAndStartAt(offset);
      return true;
    }
    long before = logEndOffset;
    beginTruncation(offset);
    int keep = segments.floor(offset);
    List<Segment> dropped = segments.removeFromEnd(keep + 1);
    retire(dropped);
    long end = segments.active().truncateTo(offset, context.shard().now());
    logEndOffset = end;
    // A batch went as a whole, which began before the offset.
    lower(end);
    epochs.truncateFromEnd(end);
    reloadProducers();
    // Its owner knows why, and says so where everybody reads it.
    LOG.debug(
        "{}: truncated from offset {} to {} ({} whole segments)",
        partition,
        before,
        end,
        dropped.size());
    return true;
  }

  /** Drops everything; the next record gets this offset. */
  public void truncateFullyAndStartAt(long offset) {
    checkUsable();
    long before = logEndOffset;
    beginTruncation(offset);
    retire(segments.removeFromEnd(0));
    segments.add(Segment.create(context.disk(), dir, offset, config, context.shard().now()));
    epochs.clear();
    producers.startAt(offset);
    logEndOffset = offset;
    logStartOffset = offset;
    LOG.debug("{}: truncated fully; from offset {} it starts at {}", partition, before, offset);
  }

  private void beginTruncation(long offset) {
    if (offset < 0) {
      throw new IllegalArgumentException("offset " + offset);
    }
    truncations = truncations + 1; // only by its owner
    unsyncedCut = Math.min(unsyncedCut, offset);
    lower(offset);
  }

  /**
   * From this offset on a power cut may bring back what was cut off: no sync has covered the cut,
   * whether or not new records lie there. {@link Long#MAX_VALUE} if there is no such cut.
   */
  long surelyOwn() {
    return unsyncedCut;
  }

  /**
   * Before this process there was one that stopped uncleanly, and may have cut the log just then:
   * only what was synced is surely its own.
   */
  void foundAfterUncleanStop() {
    unsyncedCut = recoveryPoint;
    markUnsyncedDirty();
  }

  /** Before anything is cut off: what is kept of this log elsewhere must not claim it. */
  private void lower(long offset) {
    if (offset < recoveryPoint || offset < logStartOffset) {
      recoveryPoint = Math.min(recoveryPoint, offset);
      logStartOffset = Math.min(logStartOffset, offset);
      context.recoveryPoints().lowered(this);
    }
    context.recoveryPoints().cutting(this, offset);
  }

  private void reloadProducers() {
    producers.reload(logStartOffset, logEndOffset, context.shard().now());
    ProducerTail.complete(segments, producers);
    LogLoader.replayProducers(segments, producers, logEndOffset);
    producers.takeSnapshot();
  }

  /**
   * Records before this offset no longer count (DeleteRecords, or the leader's log starts there).
   *
   * @param offset not above the high watermark
   * @return false if the log starts there or later already
   */
  public boolean advanceLogStartOffset(long offset) {
    checkUsable();
    if (offset <= logStartOffset) {
      return false;
    }
    if (offset > logEndOffset) {
      throw new IllegalArgumentException("start offset " + offset + " of " + this);
    }
    logStartOffset = offset;
    epochs.truncateFromStart(offset);
    producers.logStartOffset(offset);
    LOG.debug("{}: starts at offset {} now", partition, offset);
    return true;
  }

  /**
   * Drops whole segments below the high watermark: those before the log start offset and, if
   * cleanup.policy says so, by size and time. The files go after file.delete.delay.ms.
   *
   * @return how many segments
   */
  public int deleteOldSegments(long highWatermark) {
    checkUsable();
    return new Retention(this, highWatermark, context.shard().now()).run();
  }

  void dropOldest(int n) {
    if (n == segments.count()) {
      roll(logEndOffset, context.shard().now());
    }
    List<Segment> dropped = segments.removeFromStart(n);
    advanceLogStartOffset(segments.first().baseOffset());
    retire(dropped);
  }

  /** Renames the files now, deletes them later. */
  private void retire(List<Segment> dropped) {
    List<Path> files = new ArrayList<>();
    flusher.namesChanged();
    for (Segment s : dropped) {
      files.addAll(s.retire());
      if (producers.forgetSnapshot(s.baseOffset())) {
        Path from = LogFiles.path(dir, s.baseOffset(), LogFiles.SNAPSHOT);
        Path to = from.resolveSibling(from.getFileName() + LogFiles.DELETED);
        context.disk().rename(from, to);
        files.add(to);
      }
    }
    if (!files.isEmpty()) {
      deleteLater(files);
    }
  }

  private void deleteLater(List<Path> files) {
    context
        .shard()
        .schedule(
            config.fileDeleteDelayMs(),
            () ->
                context
                    .shard()
                    .offload(
                        () -> {
                          files.forEach(context.disk()::delete);
                          return null;
                        },
                        (nothing, e) -> {
                          if (e != null) {
                            LOG.warn("{}: could not delete {}", partition, files, e);
                          }
                        }));
  }

  // --- producers and transactions ---

  /** Ends of transactions below the high watermark are decided. Call it when that advances. */
  public void highWatermarkAdvanced(long highWatermark) {
    producers.highWatermark(highWatermark);
  }

  /** Up to where a reader of committed records may read. */
  public long lastStableOffset(long highWatermark) {
    long unstable = producers.firstUnstableOffset();
    return unstable < 0 ? highWatermark : Math.min(unstable, highWatermark);
  }

  /** Aborted transactions with records at {@code from} or later and below {@code to}. */
  public List<AbortedTransaction> abortedTransactions(long from, long to) {
    List<AbortedTransaction> out = new ArrayList<>();
    for (int i = Math.max(0, segments.floor(from)); i < segments.count(); i++) {
      for (AbortedTransaction t : segments.get(i).transactionIndex().all()) {
        if (t.lastOffset() >= from && t.firstOffset() < to) {
          out.add(t);
        }
        if (t.lastStableOffset() >= to) {
          // Whatever ended later began at or after this.
          return out;
        }
      }
    }
    return out;
  }

  /** What is known of this log's idempotent producers: for DescribeProducers. */
  public Collection<ProducerEntry> producers() {
    return producers.producers();
  }

  /** Forgets producers that were silent for producer.id.expiration.ms. */
  public void removeExpiredProducers() {
    producers.removeExpired(context.shard().now());
  }

  // --- durability ---

  /**
   * Calls {@code done} on the shard, with null when everything that was appended before is durable,
   * or with the failure. Never from within this call unless the log has failed.
   */
  public void flush(Consumer<Throwable> done) {
    flusher.flush(done);
  }

  /** Flushes on this thread: for who may block. */
  public void flushNow() {
    flusher.flushNow();
  }

  /**
   * To be called now and then ({@code vitrine.writeback.ms}): syncs what is dirty, in the
   * background; a log that is not dirty gives its file back until the next append.
   */
  public void writeBack() {
    if (closed || failure() != null) {
      return;
    }
    if (isDirty()) {
      flush(e -> {});
    } else {
      segments.all().forEach(Segment::rest);
    }
  }

  /** Whether anything of it is not synced, or not known to be. */
  public boolean isDirty() {
    return recoveryPoint < logEndOffset
        || flusher.isPending()
        || segments.all().stream().anyMatch(Segment::isDirty);
  }

  /**
   * Whether flush.messages or flush.ms ask for a flush now: then an append starts one. Kafka lets
   * the append wait for it; whoever wants that here waits with {@link #flush}.
   */
  public boolean isFlushDue() {
    return logEndOffset - recoveryPoint >= config.flushMessages()
        || config.flushMs() != Long.MAX_VALUE
            && logEndOffset > recoveryPoint
            && context.shard().ticks() - lastFlushTicks >= config.flushMs();
  }

  /** Lists what the next flush must sync. */
  void takeDirty(List<DiskFile> files, List<Path> paths) {
    for (Segment s : segments.all()) {
      if (s.isDirty()) {
        s.takeDirty(files, paths);
      }
    }
  }

  void markUnsyncedDirty() {
    for (int i = Math.max(0, segments.floor(recoveryPoint - 1)); i < segments.count(); i++) {
      segments.get(i).markDirty();
    }
  }

  /** A flush has ended. */
  void flushed(long upTo, int truncationsThen, Throwable problem) {
    if (closed) {
      return;
    }
    if (problem != null) {
      LOG.error("{}: a sync has failed; the log is out of use", this, problem);
      fail(problem);
      return;
    }
    lastFlushTicks = context.shard().ticks();
    if (truncationsThen == truncations && upTo > recoveryPoint) {
      recoveryPoint = upTo;
    }
    if (truncationsThen == truncations) {
      unsyncedCut = Long.MAX_VALUE;
    }
    for (int i = 0; i < segments.count() - 1; i++) {
      segments.get(i).rest();
    }
  }

  // --- its end ---

  /**
   * Completes the files as a clean stop leaves them, syncs them and closes them; {@code done} as
   * with {@link #flush}, also if the disk takes no more: who stops waits for it. No other call
   * afterwards.
   */
  public void close(Consumer<Throwable> done) {
    Throwable incomplete = failure() == null ? complete() : null;
    flush(
        e -> {
          abandon();
          done.accept(incomplete != null ? incomplete : e);
        });
  }

  /** Returns why it can't be done; null if it is. */
  private Throwable complete() {
    try {
      segments.active().seal();
      Path snapshot = producers.takeSnapshot();
      if (snapshot != null) {
        flusher.written(snapshot);
      }
      return null;
    } catch (UncheckedIOException e) {
      return e;
    }
  }

  /** Whether its files are nobody's business any more: they may be gone. */
  boolean isAbandoned() {
    return closed;
  }

  /** Gives its files back as they are: the log is deleted, or its directory has failed. */
  void abandon() {
    closed = true;
    segments.all().forEach(Segment::close);
  }

  /**
   * Renames the folder when no flush is under way, which would look for files there; {@code done}
   * is called on the shard. The name is durable with the next flush.
   */
  void rename(Path to, Consumer<Throwable> done) {
    flusher.flush(
        problem -> {
          if (problem != null || closed) {
            done.accept(problem);
          } else if (flusher.isRunning()) {
            rename(to, done);
          } else {
            try {
              context.disk().rename(dir, to);
              moved(to);
              flusher.folderIsNew();
              done.accept(null);
              writeBack();
            } catch (UncheckedIOException e) {
              fail(e);
              done.accept(e);
            }
          }
        });
  }

  /** Whether a flush is under way. */
  public boolean isFlushing() {
    return flusher.isRunning();
  }

  /** The folder was renamed. */
  void moved(Path to) {
    dir = to;
    segments.all().forEach(s -> s.moved(to));
  }

  SegmentList segments() {
    return segments;
  }

  LeaderEpochCache epochs() {
    return epochs;
  }

  ProducerState producerState() {
    return producers;
  }
}
