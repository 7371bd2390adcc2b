package dev.vitrine.protocol.record;

import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * What {@link BatchValidator} found: a batch that can be appended, or why it is refused. One that
 * was asked to be brief may have found nothing yet.
 */
public sealed interface Validation {
  /**
   * One batch whose offsets start at 0, ready for its base offset and leader epoch to be set in
   * place.
   *
   * @param batch the bytes from reader to writer index
   * @param rewritten whether {@code batch} is a new buffer, which the receiver must release; if
   *     not, it is what was given, or a slice of it that has no reference of its own
   * @param recordCount at least 1; the offsets that the batch takes
   * @param maxTimestamp of its records, or the time of the append
   * @param timestampType who gave it; the answer's log append time is {@code maxTimestamp} or -1
   */
  record Accepted(
      ByteBuf batch,
      boolean rewritten,
      int recordCount,
      long maxTimestamp,
      TimestampType timestampType)
      implements Validation {}

  /**
   * @param errorCode of the partition's answer
   * @param reason for the log line
   * @param responseMessage the answer's error message: null where Kafka sends none
   * @param recordErrors which records, where each was looked at
   * @param asMalformed the request is wrong, whatever the log would say: Kafka's answer then does
   *     not tell where the log starts
   */
  record Rejected(
      short errorCode,
      String reason,
      String responseMessage,
      List<RecordError> recordErrors,
      boolean asMalformed)
      implements Validation {}

  /**
   * The batch was not changed, and takes longer than a shard may spend: to be begun anew elsewhere.
   */
  record Unfinished() implements Validation {
    static final Unfinished INSTANCE = new Unfinished();
  }

  /** A record of the batch by its place, from 0, and what is wrong with it. */
  record RecordError(int batchIndex, String message) {
    @Override
    public String toString() {
      return "RecordError(batchIndex=" + batchIndex + ", message='" + message + "')";
    }
  }
}
