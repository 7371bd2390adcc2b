package dev.vitrine.broker.group;

import dev.vitrine.broker.partition.AppendOutcome;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.record.BatchBuilder;
import dev.vitrine.protocol.record.Compression;
import dev.vitrine.protocol.record.Records;
import dev.vitrine.seam.Shard;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The coordinator of the groups that live on one partition of {@code __consumer_offsets}, for one
 * epoch in which this broker leads it: loads what the log says, then appends and waits until it is
 * committed. Belongs to the partition's shard. A new epoch gets a new object; this one is closed
 * and forgets everything, so what was not committed needs no undoing.
 *
 * <pre>
 *   loading ──► active ──► closed        (a log that cannot be read: loading ──► failed)
 * </pre>
 *
 * Everything that touches its groups runs within {@link #run}; what becomes of an append is told
 * after that, never in the middle of it.
 */
final class PartitionCoordinator {
  private static final Logger LOG = LoggerFactory.getLogger(PartitionCoordinator.class);

  /** Bytes of the log that a disk worker turns into records at once. */
  private static final int LOAD_BYTES = 1 << 20;

  private enum State {
    LOADING,
    ACTIVE,
    FAILED,
    CLOSED
  }

  /** What was appended and is not committed yet, in the order of the offsets. */
  private static final class Pending {
    final long endOffset;
    final long deadline;
    final GroupImage image;

    /** Null when the time was up before the records were committed. */
    Consumer<Errors> done;

    Pending(long endOffset, long deadline, GroupImage image, Consumer<Errors> done) {
      this.endOffset = endOffset;
      this.deadline = deadline;
      this.image = image;
      this.done = done;
    }
  }

  private final CoordinatorContext context;
  private final Shard shard;
  private final CoordinatorLog log;
  private final int leaderEpoch;
  private final LiveGroups groups;
  private final Deadline timeout;

  private State state = State.LOADING;
  private GroupImage tip = GroupImage.EMPTY;
  private GroupImage committed = GroupImage.EMPTY;
  private final ArrayDeque<Pending> pending = new ArrayDeque<>();
  private final List<Runnable> refused = new ArrayList<>();
  private long loadedEnd;
  private int depth;

  /** What became of an append that was refused within the outermost {@link #run}. */
  private Errors lastRefusal = Errors.NONE;

  PartitionCoordinator(CoordinatorContext context, CoordinatorLog log, int leaderEpoch) {
    this.context = context;
    this.shard = context.shard();
    this.log = log;
    this.leaderEpoch = leaderEpoch;
    this.groups = new LiveGroups(this);
    this.timeout = new Deadline(shard);
  }

  CoordinatorContext context() {
    return context;
  }

  CoordinatorLog log() {
    return log;
  }

  int leaderEpoch() {
    return leaderEpoch;
  }

  LiveGroups groups() {
    return groups;
  }

  /** As of the last append. */
  GroupImage tip() {
    return tip;
  }

  /** As of the high watermark: what may be told. */
  GroupImage committed() {
    return committed;
  }

  /**
   * Whether {@link #committed} has all that the coordinator before this one may have acknowledged:
   * its high watermark may have been above the one that this leader began with.
   */
  boolean knowsCommitted() {
    return log.highWatermark() >= loadedEnd;
  }

  boolean isActive() {
    return state == State.ACTIVE;
  }

  /** NONE, or why it cannot serve. */
  Errors availability() {
    return switch (state) {
      case ACTIVE -> Errors.NONE;
      case LOADING -> Errors.COORDINATOR_LOAD_IN_PROGRESS;
      case FAILED, CLOSED -> Errors.NOT_COORDINATOR;
    };
  }

  // ---- loading

  void load() {
    LOG.info(
        "Loading groups and offsets from {} in epoch {}, offsets {} to {}",
        log.name(),
        leaderEpoch,
        log.logStartOffset(),
        log.logEndOffset());
    load(LogReplay.from(log.logStartOffset()), shard.ticks());
  }

  private void load(LogReplay replay, long since) {
    if (state != State.LOADING) {
      return;
    }
    if (replay.nextOffset() >= log.logEndOffset()) {
      loaded(replay, since);
      return;
    }
    Records bytes;
    try {
      bytes = log.read(replay.nextOffset(), LOAD_BYTES).records();
    } catch (RuntimeException e) {
      failed(e);
      return;
    }
    if (bytes.sizeInBytes() == 0) {
      loaded(replay, since); // compaction has left nothing behind the last batch
      return;
    }
    long highWatermark = log.highWatermark();
    shard.offload(
        () -> replay.with(bytes, highWatermark),
        (next, failure) -> {
          if (failure != null) {
            failed(failure);
          } else {
            load(next, since);
          }
        });
  }

  private void failed(Throwable failure) {
    if (state == State.LOADING) {
      LOG.error("Cannot load groups and offsets from {}", log.name(), failure);
      state = State.FAILED;
    }
  }

  private void loaded(LogReplay replay, long since) {
    replay
        .unknown()
        .forEach(
            (type, count) ->
                LOG.warn(
                    "{}: {} records of type {} are left alone: no such groups are served here",
                    log.name(),
                    count,
                    type));
    tip = replay.image();
    committed = replay.committed();
    pending.add(new Pending(replay.nextOffset(), Long.MAX_VALUE, tip, null));
    loadedEnd = replay.nextOffset();
    state = State.ACTIVE;
    LOG.info(
        "Loaded {} records from {} in {} ms: {} groups",
        replay.records(),
        log.name(),
        shard.ticks() - since,
        groups.load(tip));
    run(groups::start);
  }

  /** Another leads now, or this broker does in a new epoch, or the partition is gone. */
  void close() {
    if (state == State.CLOSED) {
      return;
    }
    boolean served = state == State.ACTIVE;
    state = State.CLOSED;
    timeout.cancel();
    List<Pending> waiting = new ArrayList<>(pending);
    pending.clear();
    for (Pending p : waiting) {
      if (p.done != null) {
        p.done.accept(Errors.NOT_COORDINATOR);
      }
    }
    groups.close(Errors.NOT_COORDINATOR);
    if (served) {
      LOG.info("Unloaded groups and offsets of {} of epoch {}", log.name(), leaderEpoch);
    }
  }

  // ---- appends

  /** Runs what may append; whoever waits for an append that is through hears of it afterwards. */
  void run(Runnable operation) {
    if (depth == 0) {
      lastRefusal = Errors.NONE;
    }
    depth++;
    try {
      operation.run();
    } finally {
      depth--;
    }
    settle();
  }

  /**
   * Appends the records as one batch and takes them over. {@code done} hears NONE when they are
   * committed, otherwise the error for the client; not within this call.
   *
   * @return whether they were taken over
   */
  boolean append(List<CoordinatorRecord> records, Consumer<Errors> done) {
    if (records.isEmpty()) {
      afterWrites(done);
      return true;
    }
    if (state != State.ACTIVE) {
      refuse(Errors.NOT_COORDINATOR, done);
      return false;
    }
    ByteBuf batch = batch(records);
    AppendOutcome outcome;
    try {
      outcome = log.append(batch, leaderEpoch);
    } finally {
      batch.release();
    }
    if (outcome.error() != Errors.NONE) {
      LOG.info("{}: cannot append {} records: {}", log.name(), records.size(), outcome.error());
      refuse(forClient(outcome.error()), done);
      return false;
    }
    for (CoordinatorRecord r : records) {
      tip = tip.with(r);
      groups.replayed(r);
    }
    park(outcome.lastOffset() + 1, done);
    return true;
  }

  private void refuse(Errors error, Consumer<Errors> done) {
    lastRefusal = error;
    refused.add(() -> done.accept(error));
  }

  /**
   * {@code done} hears when all that was appended so far is committed, or will not be in time; or
   * the error of what could not even be appended within this {@link #run}.
   */
  void afterWrites(Consumer<Errors> done) {
    Pending last = pending.peekLast();
    if (last == null || lastRefusal != Errors.NONE) {
      Errors error = lastRefusal;
      refused.add(() -> done.accept(error));
    } else {
      park(last.endOffset, done);
    }
  }

  private void park(long endOffset, Consumer<Errors> done) {
    int wait = context.settings().offsets().commitTimeoutMs();
    pending.add(new Pending(endOffset, shard.ticks() + wait, tip, done));
    if (!timeout.isSet()) {
      timeout.set(wait, () -> run(this::expire));
    }
  }

  private ByteBuf batch(List<CoordinatorRecord> records) {
    ByteBuf out = Unpooled.buffer(512);
    long now = shard.now();
    Compression codec = Compression.forId(context.settings().offsets().compressionCodec());
    try (BatchBuilder builder = new BatchBuilder(out).compression(codec)) {
      for (CoordinatorRecord r : records) {
        builder.append(now, r.keyBytes(), r.valueBytes(), List.of());
      }
      builder.build();
    }
    return out;
  }

  /** The high watermark may have moved. */
  void highWatermarkMoved() {
    if (state == State.ACTIVE && depth == 0) {
      settle();
    }
  }

  private void settle() {
    if (depth > 0) {
      return;
    }
    depth++;
    try {
      while (state == State.ACTIVE && settleOne()) {}
      while (!refused.isEmpty()) {
        refused.remove(0).run();
      }
    } finally {
      depth--;
    }
    if (!refused.isEmpty() || isHeadCommitted()) {
      settle(); // what was told has led to new appends
    }
  }

  private boolean isHeadCommitted() {
    return state == State.ACTIVE
        && !pending.isEmpty()
        && pending.peek().endOffset <= log.highWatermark();
  }

  private boolean settleOne() {
    if (!isHeadCommitted()) {
      return false;
    }
    Pending p = pending.poll();
    committed = p.image;
    if (p.done != null) {
      p.done.accept(Errors.NONE);
    }
    return true;
  }

  private void expire() {
    long now = shard.ticks();
    for (Pending p : List.copyOf(pending)) {
      if (p.done == null) {
        continue;
      }
      if (p.deadline > now) {
        timeout.set(p.deadline - now, () -> run(this::expire));
        return;
      }
      Consumer<Errors> done = p.done;
      p.done = null;
      LOG.info("{}: offset {} is not committed in time", log.name(), p.endOffset);
      done.accept(forClient(Errors.REQUEST_TIMED_OUT));
    }
  }

  /** What a client is told of a failed append: whether to look for another coordinator or wait. */
  static Errors forClient(Errors error) {
    return switch (error) {
      case UNKNOWN_TOPIC_OR_PARTITION,
          NOT_ENOUGH_REPLICAS,
          NOT_ENOUGH_REPLICAS_AFTER_APPEND,
          REQUEST_TIMED_OUT ->
          Errors.COORDINATOR_NOT_AVAILABLE;
      case NOT_LEADER_OR_FOLLOWER, KAFKA_STORAGE_ERROR -> Errors.NOT_COORDINATOR;
      case MESSAGE_TOO_LARGE, RECORD_LIST_TOO_LARGE, INVALID_FETCH_SIZE ->
          Errors.UNKNOWN_SERVER_ERROR;
      default -> error;
    };
  }
}
