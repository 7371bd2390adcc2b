package dev.vitrine.broker.partition;

import dev.vitrine.protocol.Errors;
import java.util.List;

/**
 * What became of an append to one partition; what a Produce response says of it.
 *
 * @param baseOffset of the first record; -1 if nothing was appended
 * @param lastOffset of the last record; -1 if nothing was appended
 * @param logAppendTime milliseconds since 1970 if the topic is stamped by the broker, otherwise -1
 * @param recordErrors which records were refused and why (KIP-467)
 * @param message the text for the client, or null
 */
public record AppendOutcome(
    Errors error,
    long baseOffset,
    long lastOffset,
    long logAppendTime,
    long logStartOffset,
    List<RecordError> recordErrors,
    String message) {

  /** One refused record: its index in the batch and the reason. */
  public record RecordError(int batchIndex, String message) {}

  public static AppendOutcome appended(
      long baseOffset, long lastOffset, long logAppendTime, long logStartOffset) {
    return new AppendOutcome(
        Errors.NONE, baseOffset, lastOffset, logAppendTime, logStartOffset, List.of(), null);
  }

  public static AppendOutcome failed(Errors error) {
    return failed(error, null);
  }

  public static AppendOutcome failed(Errors error, String message) {
    return new AppendOutcome(error, -1, -1, -1, -1, List.of(), message);
  }

  public static AppendOutcome refused(
      Errors error, List<RecordError> recordErrors, String message, long logStartOffset) {
    return new AppendOutcome(error, -1, -1, -1, logStartOffset, recordErrors, message);
  }

  /**
   * The records are in the log, but not on enough replicas in time. The client may not know which:
   * it retries.
   */
  AppendOutcome timedOut() {
    return new AppendOutcome(
        Errors.REQUEST_TIMED_OUT,
        baseOffset,
        lastOffset,
        logAppendTime,
        logStartOffset,
        recordErrors,
        message);
  }

  AppendOutcome with(Errors other) {
    return new AppendOutcome(
        other, baseOffset, lastOffset, logAppendTime, logStartOffset, recordErrors, message);
  }
}
