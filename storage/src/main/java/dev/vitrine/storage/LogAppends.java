package dev.vitrine.storage;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.record.Batches;
import dev.vitrine.protocol.record.RecordBatch;
import dev.vitrine.protocol.record.TimestampType;
import io.netty.buffer.ByteBuf;

/**
 * What is checked and set on the way into a {@link Log}: a leader's batches get their offsets and
 * pass the producers' sequences, a follower's must be whole and in order. Writes nothing itself.
 * Belongs to its log's owner.
 */
final class LogAppends {
  private final Log log;
  private final Batches batches = new Batches();

  LogAppends(Log log) {
    this.log = log;
  }

  AppendResult asLeader(ByteBuf records, int leaderEpoch, AppendOrigin origin) {
    int length = records.readableBytes();
    if (length > log.config().segmentBytes()) {
      return AppendResult.refused(
          log.logStartOffset(),
          Errors.RECORD_LIST_TOO_LARGE,
          "Message batch size is "
              + length
              + " bytes in append to partition "
              + log.partition()
              + ", which exceeds the maximum configured segment size of "
              + log.config().segmentBytes()
              + ".");
    }
    long next = log.logEndOffset();
    long maxTimestamp = RecordBatch.NO_TIMESTAMP;
    long appendTime = -1;
    batches.reset(records, records.readerIndex(), length);
    while (batches.next()) {
      RecordBatch batch = batches.batch();
      batch.setBaseOffset(next);
      batch.setPartitionLeaderEpoch(leaderEpoch);
      if (batch.hasProducerId()) {
        AppendResult known = checkProducer(batch, origin);
        if (known != null) {
          return known;
        }
      }
      next = batch.nextOffset();
      maxTimestamp = Math.max(maxTimestamp, batch.maxTimestamp());
      if (batch.timestampType() == TimestampType.LOG_APPEND_TIME) {
        appendTime = batch.maxTimestamp();
      }
    }
    if (batches.end() != Batches.End.COMPLETE) {
      return AppendResult.refused(log.logStartOffset(), Errors.CORRUPT_MESSAGE, batches.problem());
    }
    long first = log.logEndOffset();
    if (next > first) {
      log.append(records, length, first, next - 1, maxTimestamp);
    }
    return new AppendResult(
        first, next - 1, appendTime, log.logStartOffset(), false, Errors.NONE, null);
  }

  /** The answer for a batch that is not to be appended; null for one that is. */
  private AppendResult checkProducer(RecordBatch batch, AppendOrigin origin) {
    if (origin == AppendOrigin.CLIENT) {
      ProducerEntry.Batch known = log.producerState().duplicateOf(batch);
      if (known != null) {
        return new AppendResult(
            known.firstOffset(),
            known.lastOffset(),
            known.timestamp(),
            log.logStartOffset(),
            true,
            Errors.NONE,
            null);
      }
    }
    ProducerState.Refusal refusal = log.producerState().check(batch, origin, log.partition());
    return refusal == null
        ? null
        : AppendResult.refused(log.logStartOffset(), refusal.error(), refusal.message());
  }

  AppendResult asFollower(ByteBuf records, int leaderEpoch) {
    int start = records.readerIndex();
    long next = log.logEndOffset();
    int length = 0;
    batches.reset(records, start, records.readableBytes());
    while (batches.next()) {
      RecordBatch batch = batches.batch();
      if (batch.partitionLeaderEpoch() > leaderEpoch) {
        break;
      }
      String problem = problemOf(batch, next, length == 0);
      if (problem != null) {
        return AppendResult.refused(log.logStartOffset(), Errors.CORRUPT_MESSAGE, problem);
      }
      next = batch.nextOffset();
      length += batch.sizeInBytes();
    }
    if (batches.end() == Batches.End.CORRUPT || batches.end() == Batches.End.OLD_MAGIC) {
      return AppendResult.refused(log.logStartOffset(), Errors.CORRUPT_MESSAGE, batches.problem());
    }
    long first = log.logEndOffset();
    appendPieces(records, start, length);
    return new AppendResult(
        first, log.logEndOffset() - 1, -1, log.logStartOffset(), false, Errors.NONE, null);
  }

  private String problemOf(RecordBatch batch, long next, boolean isFirst) {
    if (!batch.isValid()) {
      return "Record is corrupt (stored crc = " + batch.crc() + ") in " + log.partition();
    }
    if (batch.lastOffsetDelta() < 0) {
      return "a batch ends before it begins: " + batch;
    }
    // The leader's log may begin within a batch: an empty log begins with that whole batch.
    boolean mayOverlap = isFirst && log.logStartOffset() == next && batch.lastOffset() >= next;
    if (batch.baseOffset() < next && !mayOverlap) {
      return "Unexpected offset in append to %s: first offset %d is less than the next offset %d"
          .formatted(log.partition(), batch.baseOffset(), next);
    }
    return null;
  }

  /** In as few writes as the size of a segment allows. */
  private void appendPieces(ByteBuf records, int start, int length) {
    int from = start;
    int to = start;
    long first = -1;
    long last = -1;
    long maxTimestamp = RecordBatch.NO_TIMESTAMP;
    Batches walk = new Batches().reset(records, start, length);
    while (walk.next()) {
      RecordBatch batch = walk.batch();
      if (to > from && to - from + batch.sizeInBytes() > log.config().segmentBytes()) {
        log.append(records.slice(from, to - from), to - from, first, last, maxTimestamp);
        from = to;
        maxTimestamp = RecordBatch.NO_TIMESTAMP;
      }
      if (to == from) {
        first = batch.baseOffset();
      }
      last = batch.lastOffset();
      maxTimestamp = Math.max(maxTimestamp, batch.maxTimestamp());
      to += batch.sizeInBytes();
    }
    if (to > from) {
      log.append(records.slice(from, to - from), to - from, first, last, maxTimestamp);
    }
  }
}
