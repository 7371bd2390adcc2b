package dev.vitrine.protocol.record;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.record.Validation.Accepted;
import dev.vitrine.protocol.record.Validation.RecordError;
import dev.vitrine.protocol.record.Validation.Rejected;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks what a leader is asked to append, rule by rule in Kafka's order, and prepares it: one
 * batch of format 2 whose records are sound. Every record is walked, of a compressed batch without
 * keeping its content; a sound batch is not copied unless its codec must change or its offsets are
 * not 0, 1, 2... Timestamps are set in place. It knows nothing of producers' sequences, which are
 * the log's. One for each shard, used by its thread only.
 *
 * <p>Where Kafka 4.4 answers UNKNOWN_SERVER_ERROR (an unknown codec, bytes that cannot be
 * decompressed, an absurd length), this refuses as INVALID_RECORD; and a compressed record whose
 * size field is wrong, which Kafka takes and no consumer can read, is refused too. A batch whose
 * inner offsets are wrong is taken, as by Kafka, but is written with right ones.
 */
public final class BatchValidator {
  private static final String REJECTED_TIMESTAMPS =
      "One or more records have been rejected due to invalid timestamp";

  /** What a record adds to the estimate of a buffer for a batch that is written anew. */
  private static final int MAX_INITIAL_BUFFER = 1024 * 1024;

  /**
   * What a shard does itself in well under a millisecond: more is {@link Validation.Unfinished}. A
   * small compressed batch may hold anything, so what counts is what comes out of it.
   */
  private static final long BRIEF_DECOMPRESSED_BYTES = 128 * 1024;

  private static final int BRIEF_BYTES = 2 * 1024 * 1024;
  private static final int BRIEF_RECORDS = 10_000;

  private final ByteBufAllocator allocator;
  private final boolean brief;
  private final Batches batches = new Batches();
  private final RecordIterator records = new RecordIterator();

  public BatchValidator(ByteBufAllocator allocator) {
    this(allocator, false);
  }

  private BatchValidator(ByteBufAllocator allocator, boolean brief) {
    this.allocator = allocator;
    this.brief = brief;
    if (brief) {
      records.budget(BRIEF_DECOMPRESSED_BYTES);
    }
  }

  /** One that says {@link Validation.Unfinished} of what takes long. */
  public static BatchValidator brief(ByteBufAllocator allocator) {
    return new BatchValidator(allocator, true);
  }

  /**
   * Checks the {@code records} field of a Produce request. Bytes after the first batch that are
   * less than a whole batch are left out, as Kafka does.
   *
   * @param produced the readable bytes; null for a null field. Its maximum timestamp and CRC may be
   *     changed in place
   * @param produceVersion of the request: zstd needs 7
   */
  public Validation validateProduced(
      TopicPartition partition,
      ByteBuf produced,
      short produceVersion,
      AppendRules rules,
      long now) {
    if (produced == null) {
      return malformed("null records");
    }
    batches.reset(produced, produced.readerIndex(), produced.readableBytes());
    if (!batches.next()) {
      return switch (batches.end()) {
        case COMPLETE, PARTIAL ->
            malformed(
                "Produce requests with version "
                    + produceVersion
                    + " must have at least one record batch per partition");
        case OLD_MAGIC ->
            malformed(
                "Produce requests with version "
                    + produceVersion
                    + " are only allowed to contain record batches with magic version 2");
        // What is found while the request is taken apart, Kafka tells the client.
        default -> corrupt(batches.problem(), !batches.isUndersized());
      };
    }
    RecordBatch batch = batches.batch();
    int index = batch.index();
    int size = batch.sizeInBytes();
    if (batch.compressionId() == Compression.ZSTD.id() && produceVersion < 7) {
      return new Rejected(
          Errors.UNSUPPORTED_COMPRESSION_TYPE.code(),
          "Produce requests with version "
              + produceVersion
              + " are not allowed to use ZStandard compression",
          null,
          List.of(),
          true);
    }
    if (batches.next() || batches.end() == Batches.End.OLD_MAGIC || batches.isUndersized()) {
      return malformed(
          "Produce requests with version "
              + produceVersion
              + " are only allowed to contain exactly one record batch per partition");
    }
    if (batches.end() == Batches.End.CORRUPT) {
      return corrupt(batches.problem(), false);
    }
    batch.wrap(produced, index);
    if (batch.baseOffset() != 0) {
      return invalid(
          "The baseOffset of the record batch in the append to "
              + partition
              + " should be 0, but it is "
              + batch.baseOffset());
    }
    return validate(
        partition,
        batch,
        size == produced.readableBytes() ? produced : produced.slice(index, size),
        true,
        rules,
        now);
  }

  /**
   * Checks a batch that a coordinator of this broker made: control records are allowed and the
   * header is believed.
   */
  public Validation validateOwn(
      TopicPartition partition, ByteBuf own, AppendRules rules, long now) {
    batches.reset(own, own.readerIndex(), own.readableBytes());
    if (!batches.next() || batches.batch().sizeInBytes() != own.readableBytes()) {
      return invalid("not exactly one record batch in the append to " + partition);
    }
    return validate(partition, batches.batch(), own, false, rules, now);
  }

  private Validation validate(
      TopicPartition partition,
      RecordBatch batch,
      ByteBuf bytes,
      boolean fromClient,
      AppendRules rules,
      long now) {
    if (batch.sizeInBytes() > rules.maxMessageBytes()) {
      return tooLarge(partition, batch.sizeInBytes(), rules);
    }
    if (brief && isLong(batch, rules)) {
      return Validation.Unfinished.INSTANCE;
    }
    if (!batch.isValid()) {
      return corrupt(
          "Record is corrupt (stored crc = " + batch.crc() + ") in topic partition " + partition,
          false);
    }
    if (!Compression.isKnownId(batch.compressionId())) {
      return invalid("Unknown compression type id: " + batch.compressionId());
    }
    if (fromClient) {
      String problem = problemOfClientBatch(partition, batch);
      if (problem != null) {
        return invalid(problem);
      }
    }
    try {
      Walk walk = new Walk(partition, batch, rules, now);
      Rejected rejected = walk.run(records);
      return rejected != null ? rejected : accept(partition, batch, bytes, walk, rules, now);
    } catch (InvalidRecordException | CorruptRecordException e) {
      return invalid(e.getMessage() + " (in the append to " + partition + ")");
    } catch (TooLongException e) {
      return Validation.Unfinished.INSTANCE;
    } finally {
      records.close();
    }
  }

  /** As far as the header tells. To compress takes ten times as long as to decompress. */
  private static boolean isLong(RecordBatch batch, AppendRules rules) {
    return batch.sizeInBytes() > BRIEF_BYTES
        || batch.recordCount() > BRIEF_RECORDS
        || rules.compression() != null
            && rules.compression() != Compression.NONE
            && rules.compression().id() != batch.compressionId();
  }

  private static String problemOfClientBatch(TopicPartition partition, RecordBatch batch) {
    int count = batch.recordCount();
    if (batch.lastOffsetDelta() < 0) {
      return "Batch has an invalid offset range: ["
          + batch.baseOffset()
          + ", "
          + batch.lastOffset()
          + "] in topic partition "
          + partition;
    }
    if (count <= 0) {
      return "Invalid reported count for record batch: "
          + count
          + " in topic partition "
          + partition;
    }
    if (batch.lastOffsetDelta() != count - 1) {
      return "Inconsistent batch offset range ["
          + batch.baseOffset()
          + ", "
          + batch.lastOffset()
          + "] and count of records "
          + count
          + " in topic partition "
          + partition;
    }
    if (batch.isControl()) {
      return "Clients are not allowed to write control records in topic partition " + partition;
    }
    if (batch.hasProducerId() && batch.baseSequence() < 0) {
      return "Invalid sequence number "
          + batch.baseSequence()
          + " in record batch with producerId "
          + batch.producerId()
          + " in topic partition "
          + partition;
    }
    return null;
  }

  /** The pass over the records of one batch. */
  private static final class Walk {
    private final TopicPartition partition;
    private final RecordBatch batch;
    private final AppendRules rules;
    private final long now;
    private final boolean createTime;
    private final boolean claimsLogAppendTime;

    /** Whether Kafka would not look at keys and values: it says so in its words. */
    private final boolean passesOverContent;

    private List<RecordError> errors;
    private boolean badTimestamp;
    int count;
    long maxTimestamp = RecordBatch.NO_TIMESTAMP;
    boolean sequential = true;

    Walk(TopicPartition partition, RecordBatch batch, AppendRules rules, long now) {
      this.partition = partition;
      this.batch = batch;
      this.rules = rules;
      this.now = now;
      this.createTime = rules.timestampType() == TimestampType.CREATE_TIME;
      this.claimsLogAppendTime = batch.timestampType() == TimestampType.LOG_APPEND_TIME;
      this.passesOverContent = batch.isCompressed() && target(batch, rules) == batch.compression();
    }

    Rejected run(RecordIterator records) {
      records.maxRecordSize(rules.maxDecompressedMessageBytes()).resetWithoutContent(batch);
      Record record = records.record();
      while (records.next()) {
        check(record);
        sequential &= record.offsetDelta() == count;
        maxTimestamp = Math.max(maxTimestamp, record.timestamp());
        count++;
      }
      return errors == null ? null : rejected();
    }

    private void check(Record record) {
      if (rules.compacted() && !record.hasKey()) {
        error("Compacted topic cannot accept message without key in topic partition " + partition);
      } else if (createTime && record.timestamp() != RecordBatch.NO_TIMESTAMP) {
        // The arithmetic may overflow, and then refuses as it must.
        long age = now - record.timestamp();
        if (age > rules.timestampBeforeMaxMs() || -age > rules.timestampAfterMaxMs()) {
          badTimestamp = true;
          error(
              "Timestamp "
                  + record.timestamp()
                  + " of message with offset "
                  + record.offset()
                  + " is out of range. The timestamp should be within ["
                  + (now - rules.timestampBeforeMaxMs())
                  + ", "
                  + (now + rules.timestampAfterMaxMs())
                  + "]");
        }
      } else if (claimsLogAppendTime) {
        badTimestamp = true;
        error(
            "Invalid timestamp type in message "
                + (passesOverContent ? "PartialDefaultRecord" : "DefaultRecord")
                + "(offset="
                + record.offset()
                + ", timestamp="
                + record.timestamp()
                + ", key="
                + (passesOverContent ? record.keySize() : Math.max(0, record.keySize()))
                + " bytes, value="
                + (passesOverContent ? record.valueSize() : Math.max(0, record.valueSize()))
                + " bytes). Producer should not set timestamp type to LogAppendTime.");
      }
    }

    private void error(String message) {
      if (errors == null) {
        errors = new ArrayList<>();
      }
      errors.add(new RecordError(count, message));
    }

    private Rejected rejected() {
      if (badTimestamp) {
        return new Rejected(
            Errors.INVALID_TIMESTAMP.code(),
            REJECTED_TIMESTAMPS,
            REJECTED_TIMESTAMPS,
            errors,
            false);
      }
      String message =
          "One or more records have been rejected due to "
              + errors.size()
              + " record errors in total, and only showing the first three errors at most: "
              + errors.subList(0, Math.min(errors.size(), 3));
      return new Rejected(Errors.INVALID_RECORD.code(), message, message, errors, false);
    }
  }

  private static Compression target(RecordBatch batch, AppendRules rules) {
    return rules.compression() == null ? batch.compression() : rules.compression();
  }

  private Validation accept(
      TopicPartition partition,
      RecordBatch batch,
      ByteBuf bytes,
      Walk walk,
      AppendRules rules,
      long now) {
    TimestampType type = rules.timestampType();
    long maxTimestamp = type == TimestampType.LOG_APPEND_TIME ? now : walk.maxTimestamp;
    Compression source = batch.compression();
    Compression target = target(batch, rules);
    if (target == source && walk.sequential) {
      batch.setMaxTimestamp(type, maxTimestamp);
      return new Accepted(bytes, false, walk.count, maxTimestamp, type);
    }
    if (brief && target != Compression.NONE) {
      return Validation.Unfinished.INSTANCE;
    }
    ByteBuf out = allocator.buffer(Math.min(batch.sizeInBytes() * 2, MAX_INITIAL_BUFFER));
    try {
      int size = rewrite(batch, target, rules, now, out);
      if (size > rules.maxMessageBytes()) {
        out.release();
        return tooLarge(partition, size, rules);
      }
      return new Accepted(out, true, walk.count, maxTimestamp, type);
    } catch (RuntimeException e) {
      out.release();
      throw e;
    }
  }

  /**
   * Writes the records again, with the offsets 0, 1, 2... and the codec of the topic. Ends early,
   * with what has been written by then, when that is already too large. Refuses what Kafka takes as
   * it lies, but cannot write.
   */
  private int rewrite(
      RecordBatch batch, Compression target, AppendRules rules, long now, ByteBuf out) {
    boolean newCodec = target != batch.compression();
    if (newCodec && batch.isTransactional() && !batch.hasProducerId()) {
      throw new InvalidRecordException("A transactional batch without a producer id");
    }
    try (BatchBuilder to = new BatchBuilder(out)) {
      to.compression(
              target,
              rules.compression() == null ? target.defaultLevel() : rules.compressionLevel())
          .producer(batch.producerId(), batch.producerEpoch(), batch.baseSequence())
          .transactional(batch.isTransactional())
          .control(batch.isControl());
      if (rules.timestampType() == TimestampType.LOG_APPEND_TIME) {
        to.logAppendTime(now);
      }
      // Now a whole record must fit in memory, whatever the topic allows.
      records
          .maxRecordSize(
              Math.min(rules.maxDecompressedMessageBytes(), RecordIterator.DEFAULT_MAX_RECORD_SIZE))
          .reset(batch);
      Record record = records.record();
      while (records.next()) {
        if (newCodec && record.timestamp() < RecordBatch.NO_TIMESTAMP) {
          throw new InvalidRecordException("Invalid negative timestamp " + record.timestamp());
        }
        to.append(record.timestamp(), record.key(), record.value(), record.headers());
        if (to.writtenBytes() > rules.maxMessageBytes()) {
          return to.writtenBytes();
        }
      }
      return to.build();
    }
  }

  private static Rejected invalid(String reason) {
    return new Rejected(Errors.INVALID_RECORD.code(), reason, null, List.of(), false);
  }

  private static Rejected malformed(String reason) {
    return new Rejected(Errors.INVALID_RECORD.code(), reason, null, List.of(), true);
  }

  private static Rejected corrupt(String problem, boolean told) {
    return new Rejected(
        Errors.CORRUPT_MESSAGE.code(), problem, told ? problem : null, List.of(), true);
  }

  private static Rejected tooLarge(TopicPartition partition, int size, AppendRules rules) {
    return new Rejected(
        Errors.MESSAGE_TOO_LARGE.code(),
        "The record batch size in the append to "
            + partition
            + " is "
            + size
            + " bytes which exceeds the maximum configured value of "
            + rules.maxMessageBytes(),
        null,
        List.of(),
        true);
  }
}
