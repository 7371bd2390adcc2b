package dev.vitrine.broker.partition;

import dev.vitrine.broker.observe.TopicMeter;
import dev.vitrine.broker.observe.TopicMeters;
import dev.vitrine.broker.partition.AppendOutcome.RecordError;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.record.AppendRules;
import dev.vitrine.protocol.record.BatchValidator;
import dev.vitrine.protocol.record.TimestampType;
import dev.vitrine.protocol.record.Validation;
import dev.vitrine.protocol.record.Validation.Accepted;
import dev.vitrine.protocol.record.Validation.Rejected;
import dev.vitrine.seam.Shard;
import dev.vitrine.storage.AppendOrigin;
import dev.vitrine.storage.AppendResult;
import dev.vitrine.storage.Log;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of a batch into a log: checked, stamped, appended, counted. One for each shard, used by
 * its thread only; keeps nothing else between calls.
 */
public final class BatchAppender {
  private static final Logger LOG = LoggerFactory.getLogger(BatchAppender.class);

  private final Shard shard;
  private final ByteBufAllocator allocator;
  private final BatchValidator brief;
  private final BatchValidator patient;
  private final TopicMeters meters;

  public BatchAppender(Shard shard, ByteBufAllocator allocator, TopicMeters meters) {
    this.shard = shard;
    this.meters = meters;
    this.allocator = allocator;
    this.brief = BatchValidator.brief(allocator);
    this.patient = new BatchValidator(allocator);
  }

  /** Nobody will ask what was counted. */
  public BatchAppender(Shard shard, ByteBufAllocator allocator) {
    this(shard, allocator, new TopicMeters());
  }

  /** Checks a produced batch as far as the shard's time allows. */
  Validation validateBriefly(
      TopicPartition partition, AppendRules rules, ByteBuf records, short produceVersion) {
    return brief.validateProduced(partition, records, produceVersion, rules, shard.now());
  }

  /** The same to the end, for a disk worker: it uses nothing that the shard uses. */
  Callable<Validation> validation(
      TopicPartition partition, AppendRules rules, ByteBuf records, short produceVersion) {
    long now = shard.now();
    return () ->
        new BatchValidator(allocator)
            .validateProduced(partition, records, produceVersion, rules, now);
  }

  /**
   * @param bytes of the batch as it came
   */
  AppendOutcome appendProduced(Log log, Validation validation, int bytes, int leaderEpoch) {
    return count(log, bytes, append(log, validation, leaderEpoch, AppendOrigin.CLIENT));
  }

  /** Of a batch that is not going to be appended. */
  static void release(Validation validation) {
    if (validation instanceof Accepted a && a.rewritten()) {
      a.batch().release();
    }
  }

  AppendOutcome appendOwn(Log log, AppendRules rules, ByteBuf records, int leaderEpoch) {
    int bytes = records.readableBytes();
    Validation v = patient.validateOwn(log.partition(), records, rules, shard.now());
    return count(log, bytes, append(log, v, leaderEpoch, AppendOrigin.COORDINATOR));
  }

  /** As a follower: batches as they are in the leader's log. */
  AppendResult appendFetched(Log log, ByteBuf records, int leaderEpoch) {
    meters.replicatedIn(records.readableBytes());
    try {
      return log.appendAsFollower(records, leaderEpoch);
    } catch (UncheckedIOException e) {
      log.fail(e);
      throw e;
    }
  }

  private AppendOutcome count(Log log, int bytes, AppendOutcome outcome) {
    TopicMeter topic = meters.of(log.partition().topic());
    topic.produceRequest();
    switch (outcome.error()) {
      case NONE -> topic.appended(outcome.lastOffset() - outcome.baseOffset() + 1, bytes);
      case MESSAGE_TOO_LARGE -> topic.rejected(bytes);
      case KAFKA_STORAGE_ERROR, UNKNOWN_SERVER_ERROR -> topic.produceFailed();
      default -> {}
    }
    return outcome;
  }

  private AppendOutcome append(
      Log log, Validation validation, int leaderEpoch, AppendOrigin origin) {
    if (validation instanceof Rejected r) {
      LOG.info("{}: a batch is refused: {}", log.partition(), r.reason());
      List<RecordError> errors = new ArrayList<>();
      r.recordErrors().forEach(e -> errors.add(new RecordError(e.batchIndex(), e.message())));
      return AppendOutcome.refused(
          Errors.forCode(r.errorCode()),
          errors,
          r.responseMessage(),
          r.asMalformed() ? -1 : log.logStartOffset());
    }
    Accepted accepted = (Accepted) validation;
    try {
      if (log.failure() != null) {
        return AppendOutcome.failed(Errors.KAFKA_STORAGE_ERROR); // said when it failed
      }
      AppendResult result = log.appendAsLeader(accepted.batch(), leaderEpoch, origin);
      if (!result.isOk()) {
        LOG.info("{}: a batch is refused: {}", log.partition(), result.message());
        // The text stays here, as with Kafka.
        return AppendOutcome.refused(result.error(), List.of(), null, result.logStartOffset());
      }
      boolean stamped = accepted.timestampType() == TimestampType.LOG_APPEND_TIME;
      return AppendOutcome.appended(
          result.firstOffset(),
          result.lastOffset(),
          stamped || result.duplicate() ? result.logAppendTime() : -1,
          result.logStartOffset());
    } catch (UncheckedIOException e) {
      LOG.error("{}: cannot be written", log.partition(), e);
      log.fail(e);
      return AppendOutcome.failed(Errors.KAFKA_STORAGE_ERROR);
    } finally {
      release(accepted);
    }
  }
}
