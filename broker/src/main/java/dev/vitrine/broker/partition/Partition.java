package dev.vitrine.broker.partition;

import dev.vitrine.broker.partition.ReadOutcome.Bounds;
import dev.vitrine.broker.partition.ReadOutcome.LeaderAndEpoch;
import dev.vitrine.broker.partition.ReadOutcome.PreferredReplica;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.record.Records;
import dev.vitrine.protocol.record.Validation;
import dev.vitrine.storage.AbortedTransaction;
import dev.vitrine.storage.EpochEnd;
import dev.vitrine.storage.Log;
import dev.vitrine.storage.LogSlice;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One replica of a partition on this broker: its log, its part in the replication, and who waits
 * for it. Belongs to one shard with all it holds; every method is called there. It never touches
 * the network: followers' fetches, producers' appends and the controller's decisions come in as
 * calls, and proposals for the in-sync set go out through {@link IsrProposals}.
 *
 * <pre>
 *   apply(leader = me)     ┌────────┐   apply(leader = other)
 *          ┌──────────────►│ leader ├───────────────┐
 *          │               └────────┘               ▼
 *      (created)                ▲             ┌──────────┐
 *          └────────────────────┼────────────►│ follower │
 *                               └─────────────┴──────────┘
 * </pre>
 */
public final class Partition {
  private static final Logger LOG = LoggerFactory.getLogger(Partition.class);

  /** What a client says that knows none; any other that is not the leader's is wrong. */
  private static final int NO_EPOCH = -1;

  private final PartitionContext context;
  private final Uuid topicId;
  private final TopicPartition name;
  private final PendingAppends pending;
  private final PendingDeletions deletions;
  private final ReadWaiters readers = new ReadWaiters();
  private final Incoming incoming;
  private final Following following;
  private final IntPredicate eligible;
  private final IsrChanges changes;

  private Log log;
  private TopicSettings settings;
  private Assignment assignment;
  private LeaderRole leader;
  private long highWatermark;
  private boolean closed;

  /**
   * @param checkpointed the high watermark as it was last written down; the log's bounds are put
   *     around it
   */
  public Partition(
      PartitionContext context,
      Uuid topicId,
      TopicPartition name,
      Log log,
      TopicSettings settings,
      long checkpointed) {
    this.context = context;
    this.topicId = topicId;
    this.name = name;
    this.log = log;
    this.settings = settings;
    this.pending = new PendingAppends(context.shard());
    this.incoming = new Incoming(context, name);
    this.following = new Following(this, context);
    this.deletions = new PendingDeletions(context.shard());
    this.changes = new IsrChanges(context, topicId, name, this::advanceHighWatermark);
    this.eligible = id -> context.brokers().isEligible(id) && hasReplica(id);
    this.highWatermark = Math.max(log.logStartOffset(), Math.min(checkpointed, log.logEndOffset()));
    log.highWatermarkAdvanced(highWatermark);
  }

  // ---- who leads

  /** Takes over what the metadata says of this partition. Older or equal news changes nothing. */
  public void apply(Assignment next) {
    if (!next.isNewerThan(assignment)) {
      return;
    }
    boolean sameLeadership = assignment != null && next.leaderEpoch() == assignment.leaderEpoch();
    assignment = next;
    if (next.leader() == context.brokerId()) {
      lead(sameLeadership && leader != null);
    } else {
      follow(sameLeadership && leader == null);
    }
  }

  private void lead(boolean already) {
    long ticks = context.shard().ticks();
    if (already && assignment.partitionEpoch() <= leader.isr().partitionEpoch()) {
      leader.assign(
          assignment.replicas(), ticks); // the controller's answer was here before the record
      return;
    }
    IsrState isr = new IsrState(assignment.isr(), null, assignment.partitionEpoch());
    changes.forget();
    if (!already) {
      leader =
          new LeaderRole(
              context.brokerId(),
              context.maxLagMs(),
              assignment.leaderEpoch(),
              log.logEndOffset(),
              isr);
      log.assignEpoch(assignment.leaderEpoch(), log.logEndOffset());
      LOG.info(
          "{} leads in epoch {} from offset {}, high watermark {}, replicas {}, in-sync replicas {}",
          name,
          assignment.leaderEpoch(),
          log.logEndOffset(),
          highWatermark,
          assignment.replicas(),
          assignment.isr());
    }
    leader.isr(isr);
    leader.assign(assignment.replicas(), ticks);
    if (!already) {
      readers.wakeAll();
    }
    advanceHighWatermark();
    checkDeletions();
  }

  private void follow(boolean already) {
    changes.forget();
    leader = null;
    if (!already) {
      following.begin();
      LOG.info(
          "{} follows {} in epoch {}, log end {}, high watermark {}",
          name,
          assignment.leader(),
          assignment.leaderEpoch(),
          log.logEndOffset(),
          highWatermark);
      pending.failAll(AppendOutcome.failed(Errors.NOT_LEADER_OR_FOLLOWER));
      deletions.failAll(Errors.NOT_LEADER_OR_FOLLOWER);
      readers.wakeAll();
    }
  }

  public void settings(TopicSettings next) {
    settings = next;
    log.config(next.log());
    advanceHighWatermark();
  }

  // ---- appends

  /**
   * Appends one produced batch.
   *
   * @param records the batch as it came; the offsets are assigned in place. Not used after {@code
   *     done} is called
   * @param produceVersion of the request: decides which codecs it may use
   * @param acks 0, 1 or -1 (all)
   * @param deadline in the shard's ticks, for {@code acks = -1}
   * @param done called once, perhaps within this call
   */
  public void append(
      ByteBuf records,
      short produceVersion,
      short acks,
      long deadline,
      Consumer<AppendOutcome> done) {
    AppendOutcome refused = refusalToAppend(acks);
    if (refused != null) {
      done.accept(refused);
      return;
    }
    int bytes = records == null ? 0 : records.readableBytes();
    incoming.add(
        records,
        produceVersion,
        settings.rules(),
        validation -> append(validation, bytes, acks, deadline, done));
  }

  private AppendOutcome refusalToAppend(short acks) {
    if (leader == null || closed) {
      return AppendOutcome.failed(Errors.NOT_LEADER_OR_FOLLOWER);
    }
    if (acks == -1 && leader.isr().committed().size() < minInSync()) {
      return AppendOutcome.failed(
          Errors.NOT_ENOUGH_REPLICAS,
          "The size of the current ISR : "
              + leader.isr().committed().size()
              + " is insufficient to satisfy the min.isr requirement of "
              + minInSync()
              + " for partition "
              + name
              + ", live replica(s) broker.id are : "
              + leader.isr().committed());
    }
    return null;
  }

  private void append(
      Validation validation, int bytes, short acks, long deadline, Consumer<AppendOutcome> done) {
    // Again: the leadership may have gone while a disk worker looked at the batch.
    AppendOutcome refused = refusalToAppend(acks);
    if (refused != null) {
      BatchAppender.release(validation);
      done.accept(refused);
      return;
    }
    AppendOutcome outcome =
        context.appender().appendProduced(log, validation, bytes, leader.leaderEpoch);
    if (outcome.error() != Errors.NONE) {
      done.accept(outcome);
      return;
    }
    if (acks == -1) {
      pending.add(outcome.lastOffset() + 1, deadline, outcome, done);
    }
    readers.advanced(ReadLimit.LOG_END, log.logEndOffset());
    advanceHighWatermark();
    if (acks != -1) {
      done.accept(outcome);
    }
  }

  /**
   * Appends what a coordinator on this broker has written, as a leader does and as Kafka's
   * coordinators do with {@code acks=all}: not without enough in-sync replicas. It is committed
   * when {@link #highWatermark} is above the last offset of the outcome.
   *
   * @return NOT_LEADER_OR_FOLLOWER if this broker does not lead in {@code leaderEpoch}
   */
  public AppendOutcome appendInternal(ByteBuf batch, int leaderEpoch) {
    if (leader == null || closed || leader.leaderEpoch != leaderEpoch) {
      return AppendOutcome.failed(Errors.NOT_LEADER_OR_FOLLOWER);
    }
    if (leader.isr().committed().size() < minInSync()) {
      return AppendOutcome.failed(Errors.NOT_ENOUGH_REPLICAS);
    }
    AppendOutcome outcome = context.appender().appendOwn(log, settings.rules(), batch, leaderEpoch);
    if (outcome.error() == Errors.NONE) {
      readers.advanced(ReadLimit.LOG_END, log.logEndOffset());
      advanceHighWatermark();
    }
    return outcome;
  }

  private void advanceHighWatermark() {
    if (leader == null) {
      return;
    }
    long next =
        leader.highWatermark(
            highWatermark, log.logEndOffset(), minInSync(), context.shard().ticks(), eligible);
    if (next > highWatermark || !pending.isEmpty()) {
      moveHighWatermark(next);
    }
  }

  /** Up to where it is known to be committed, never back. */
  void moveHighWatermark(long next) {
    boolean moved = next > highWatermark;
    highWatermark = Math.max(highWatermark, next);
    pending.committedUpTo(highWatermark, this::acknowledge);
    if (moved) {
      log.highWatermarkAdvanced(highWatermark);
      readers.advanced(ReadLimit.HIGH_WATERMARK, highWatermark);
      readers.advanced(ReadLimit.LAST_STABLE_OFFSET, log.lastStableOffset(highWatermark));
      context.committed().accept(this);
    }
  }

  /** The in-sync set as the leader sees it; null where this replica does not lead. */
  IsrState inSync() {
    return leader == null ? null : leader.isr();
  }

  int minInSync() {
    return settings.minInSync(assignment.replicas().size());
  }

  private AppendOutcome acknowledge(AppendOutcome outcome) {
    boolean enough = leader != null && leader.isr().committed().size() >= minInSync();
    return enough ? outcome : outcome.with(Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND);
  }

  // ---- reads

  /** Reads for a consumer or a follower; a follower's fetch also tells how far it is. */
  public ReadOutcome read(ReadRequest request) {
    Errors refused = check(request.currentLeaderEpoch(), request.leaderOnly());
    if (refused != Errors.NONE) {
      return ReadOutcome.failed(refused, currentLeader());
    }
    FollowerProgress follower = null;
    if (request.isFollower()) {
      follower = leader.follower(request.replicaId());
      if (follower == null) {
        return ReadOutcome.failed(
            request.currentLeaderEpoch() != NO_EPOCH
                ? Errors.UNKNOWN_LEADER_EPOCH
                : Errors.NOT_LEADER_OR_FOLLOWER,
            currentLeader());
      }
    }
    long limit = limit(request.limit());
    if (request.lastFetchedEpoch() >= 0) {
      EpochEnd end = log.endOffsetForEpoch(request.lastFetchedEpoch());
      if (end.leaderEpoch() < 0
          || end.endOffset() < 0
          || request.fetchOffset() < log.logStartOffset()) {
        return ReadOutcome.failed(Errors.OFFSET_OUT_OF_RANGE);
      }
      if (end.leaderEpoch() < request.lastFetchedEpoch()
          || end.endOffset() < request.fetchOffset()) {
        return new ReadOutcome(Errors.NONE, bounds(), Records.EMPTY, limit, end, null, null);
      }
    }
    if (request.fetchOffset() < log.logStartOffset()
        || request.fetchOffset() > log.logEndOffset()) {
      return ReadOutcome.failed(Errors.OFFSET_OUT_OF_RANGE);
    }
    Records records = readRecords(request, limit);
    List<AbortedTransaction> aborted =
        request.limit() == ReadLimit.LAST_STABLE_OFFSET
            ? log.abortedTransactions(request.fetchOffset(), limit)
            : null;
    if (follower != null && !request.again()) {
      followerFetched(follower, request);
    }
    return new ReadOutcome(Errors.NONE, bounds(), records, limit, null, aborted, null);
  }

  private Bounds bounds() {
    return new Bounds(highWatermark, lastStableOffset(), log.logStartOffset());
  }

  /** Sends a consumer to another replica instead of reading for it. */
  public ReadOutcome redirect(int currentLeaderEpoch, int brokerId) {
    Errors refused = check(currentLeaderEpoch, false);
    return refused != Errors.NONE
        ? ReadOutcome.failed(refused, currentLeader())
        : new ReadOutcome(
            Errors.NONE, bounds(), Records.EMPTY, -1, null, null, new PreferredReplica(brokerId));
  }

  /**
   * The in-sync followers that have the record at this offset, as their leader knows them: from
   * them a consumer could read on. Empty if this is not the leader.
   */
  public List<ReplicaView> readable(long offset) {
    if (leader == null || closed) {
      return List.of();
    }
    List<ReplicaView> views = new ArrayList<>();
    for (FollowerProgress f : leader.followers()) {
      if (leader.isr().committed().contains(f.brokerId)
          && f.logEndOffset() >= offset
          && f.logStartOffset() <= offset) {
        views.add(new ReplicaView(f.brokerId, f.logEndOffset(), f.lastCaughtUpTicks()));
      }
    }
    return views;
  }

  /**
   * A follower as a place to read from.
   *
   * @param lastCaughtUpTicks when it last had all, in the shard's ticks
   */
  public record ReplicaView(int brokerId, long logEndOffset, long lastCaughtUpTicks) {}

  /** Nothing for a follower that has fallen behind and is throttled: it comes again in a while. */
  private Records readRecords(ReadRequest request, long limit) {
    if (!request.isFollower()) {
      return slice(request, limit);
    }
    long ticks = context.shard().ticks();
    if (!leader.isr().committed().contains(request.replicaId())
        && settings.asLeader().isExceeded(name.partition(), ticks)) {
      return Records.EMPTY;
    }
    Records records = slice(request, limit);
    settings.asLeader().record(name.partition(), records.sizeInBytes(), ticks);
    return records;
  }

  /** Whole batches and perhaps a part of one more; a part alone is of no use to anybody. */
  private Records slice(ReadRequest request, long limit) {
    LogSlice slice =
        log.read(request.fetchOffset(), request.maxBytes(), limit, request.firstBatchWhole());
    if (!slice.firstBatchCut()) {
      return slice.records();
    }
    slice.records().release();
    return Records.EMPTY;
  }

  /** Wakes once when there is more to see than {@code seen}, perhaps within this call. */
  public void await(ReadLimit limit, long seen, Runnable wake) {
    if (closed || limit(limit) > seen) {
      wake.run();
    } else {
      readers.add(limit, seen, wake);
    }
  }

  public void forget(Runnable wake) {
    readers.remove(wake);
  }

  private long limit(ReadLimit limit) {
    return switch (limit) {
      case LOG_END -> log.logEndOffset();
      case HIGH_WATERMARK -> highWatermark;
      case LAST_STABLE_OFFSET -> lastStableOffset();
    };
  }

  /** Kafka's order of checks: the epoch first, then the leadership. */
  private Errors check(int currentLeaderEpoch, boolean leaderOnly) {
    if (closed || assignment == null) {
      return Errors.NOT_LEADER_OR_FOLLOWER;
    }
    if (log.failure() != null) {
      return Errors.KAFKA_STORAGE_ERROR;
    }
    if (currentLeaderEpoch != NO_EPOCH && currentLeaderEpoch != assignment.leaderEpoch()) {
      return currentLeaderEpoch < assignment.leaderEpoch()
          ? Errors.FENCED_LEADER_EPOCH
          : Errors.UNKNOWN_LEADER_EPOCH;
    }
    return leaderOnly && leader == null ? Errors.NOT_LEADER_OR_FOLLOWER : Errors.NONE;
  }

  private LeaderAndEpoch currentLeader() {
    return assignment == null
        ? null
        : new LeaderAndEpoch(assignment.leader(), assignment.leaderEpoch());
  }

  // ---- deletion from the front

  /**
   * Lets the log start at {@code offset}, or at the high watermark if that is -1.
   *
   * @param deadline in the shard's ticks
   * @param done called once, perhaps within this call: with no error when every live replica has
   *     told of a log start that is not lower
   */
  public void deleteRecords(long offset, long deadline, Consumer<DeleteOutcome> done) {
    long upTo = offset == -1 ? highWatermark : offset;
    Errors refused = refusalToDelete(upTo);
    if (refused != Errors.NONE) {
      done.accept(DeleteOutcome.failed(refused));
      return;
    }
    if (log.advanceLogStartOffset(upTo)) {
      LOG.info("{} starts at offset {}: a client has deleted what was before", name, upTo);
      deletions.deletedUpTo(lowWatermark());
    }
    deletions.add(upTo, lowWatermark(), deadline, done);
  }

  private Errors refusalToDelete(long upTo) {
    if (leader == null || closed) {
      return Errors.NOT_LEADER_OR_FOLLOWER;
    }
    if (log.failure() != null) {
      return Errors.KAFKA_STORAGE_ERROR;
    }
    if (settings.log().compact() && !settings.log().delete()) {
      return Errors.POLICY_VIOLATION;
    }
    return upTo < 0 || upTo > highWatermark ? Errors.OFFSET_OUT_OF_RANGE : Errors.NONE;
  }

  private long lowWatermark() {
    return leader.lowWatermark(log.logStartOffset(), eligible);
  }

  private void checkDeletions() {
    if (!deletions.isEmpty()) {
      deletions.deletedUpTo(lowWatermark());
    }
  }

  // ---- offsets for those who ask

  /** The answer to OffsetForLeaderEpoch. */
  public EpochAnswer endOffsetForEpoch(int currentLeaderEpoch, int epoch) {
    Errors refused = check(currentLeaderEpoch, true);
    return refused == Errors.NONE
        ? new EpochAnswer(Errors.NONE, log.endOffsetForEpoch(epoch))
        : EpochAnswer.failed(refused);
  }

  /** Where an epoch ends, or why this is not for us to say. */
  public record EpochAnswer(Errors error, EpochEnd end) {
    public static EpochAnswer failed(Errors error) {
      return new EpochAnswer(error, EpochEnd.UNKNOWN);
    }
  }

  /** The answer to ListOffsets. */
  public OffsetLookup lookUp(
      int currentLeaderEpoch, boolean leaderOnly, ReadLimit limit, long timestamp) {
    Errors refused = check(currentLeaderEpoch, leaderOnly);
    if (refused != Errors.NONE) {
      return OffsetLookup.failed(refused);
    }
    long end = limit(limit);
    // The leader before may have committed more than we know of (KIP-207).
    boolean unsure = limit != ReadLimit.LOG_END && leader != null && end < leader.startOffset;
    return OffsetLookup.of(log, end, unsure, timestamp, leaderEpoch());
  }

  // ---- the in-sync set

  private void followerFetched(FollowerProgress follower, ReadRequest request) {
    follower.fetched(
        request.fetchOffset(),
        request.logStartOffset(),
        request.replicaEpoch(),
        log.logEndOffset(),
        context.shard().ticks());
    letIn(follower);
    advanceHighWatermark();
    checkDeletions();
  }

  private void letIn(FollowerProgress follower) {
    if (leader.mayJoin(
        follower,
        highWatermark,
        id -> context.brokers().isEligible(id, follower.brokerEpoch()) && hasReplica(id))) {
      changes.propose(
          leader, leader.with(follower.brokerId), "caught up: broker " + follower.brokerId);
    }
  }

  /**
   * What is known of this broker has changed. One that starts catches up before it is unfenced: it
   * is let in now, and not only when its next fetch comes.
   */
  public void brokerChanged(int brokerId) {
    FollowerProgress follower = leader == null || closed ? null : leader.follower(brokerId);
    // Without an epoch, its progress may be that of the process before it.
    if (follower != null && follower.brokerEpoch() >= 0) {
      letIn(follower);
    }
  }

  /**
   * Called now and then: those that have not caught up for {@code replica.lag.time.max.ms} leave
   * the in-sync set.
   */
  public void checkLaggards() {
    if (leader == null || closed || log.failure() != null) {
      return;
    }
    List<Integer> rest = leader.withoutLaggards(log.logEndOffset(), context.shard().ticks());
    if (rest != null) {
      changes.propose(
          leader,
          rest,
          "no longer caught up: brokers "
              + leader.isr().committed().stream().filter(id -> !rest.contains(id)).toList());
    }
    advanceHighWatermark();
    checkDeletions();
  }

  /** The log has failed: who waits for it hears so now, and nobody is proposed any more. */
  public void storageFailed() {
    changes.forget();
    pending.failAll(AppendOutcome.failed(Errors.KAFKA_STORAGE_ERROR));
    deletions.failAll(Errors.KAFKA_STORAGE_ERROR);
    readers.wakeAll();
  }

  private boolean hasReplica(int brokerId) {
    return context.brokers().hasReplica(topicId, name.partition(), brokerId);
  }

  // ---- for its following

  /** What it does while another leads. */
  public Following following() {
    return following;
  }

  Assignment assignment() {
    return assignment;
  }

  TopicSettings settings() {
    return settings;
  }

  boolean isClosed() {
    return closed;
  }

  /** Records above it are gone. */
  void cutHighWatermark(long to) {
    highWatermark = to;
  }

  // ---- the end, and what others may see

  /**
   * Nobody reads or appends any more; those who wait hear that this is not the place. The log is
   * the caller's to close.
   */
  public void close() {
    closed = true;
    changes.forget();
    leader = null;
    pending.failAll(AppendOutcome.failed(Errors.NOT_LEADER_OR_FOLLOWER));
    deletions.failAll(Errors.NOT_LEADER_OR_FOLLOWER);
    readers.wakeAll();
  }

  public Uuid topicId() {
    return topicId;
  }

  public TopicPartition name() {
    return name;
  }

  public Log log() {
    return log;
  }

  /** The same records are in another directory now: nobody who waits need know. */
  public void replaceLog(Log same) {
    log = same;
  }

  public boolean isLeader() {
    return leader != null && !closed;
  }

  /** The broker that leads, or -1. */
  public int leaderId() {
    return assignment == null ? -1 : assignment.leader();
  }

  public int leaderEpoch() {
    return assignment == null ? -1 : assignment.leaderEpoch();
  }

  public long highWatermark() {
    return highWatermark;
  }

  /** How the replication stands, as the leader sees it; null if this is not the leader. */
  public Health health() {
    if (!isLeader()) {
      return null;
    }
    return new Health(assignment.replicas().size(), leader.isr().committed().size(), minInSync());
  }

  /**
   * @param minInSync no more than there are replicas
   */
  public record Health(int replicas, int inSync, int minInSync) {}

  /** Appends that wait for the high watermark. */
  public int pendingAppends() {
    return pending.size();
  }

  /** Fetches that wait for more. */
  public int waitingReads() {
    return readers.size();
  }

  public long lastStableOffset() {
    return log.lastStableOffset(highWatermark);
  }

  public long logStartOffset() {
    return log.logStartOffset();
  }

  public long logEndOffset() {
    return log.logEndOffset();
  }

  /** The id of the log directory that holds it. */
  public Uuid directoryId() {
    return context.directories().apply(log);
  }

  public int latestEpoch() {
    return log.latestEpoch();
  }
}
