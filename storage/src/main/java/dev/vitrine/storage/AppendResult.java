package dev.vitrine.storage;

import dev.vitrine.protocol.Errors;

/**
 * What became of an append: the offsets, or the error that Kafka gives and nothing appended.
 *
 * @param firstOffset -1 with an error
 * @param lastOffset -1 with an error
 * @param logAppendTime milliseconds since 1970 if the topic's records get the time of the append,
 *     or if the batch was there already; otherwise -1
 * @param duplicate the same batch of an idempotent producer was there already, at these offsets;
 *     nothing was appended
 * @param message for the client; null if there is no error
 */
public record AppendResult(
    long firstOffset,
    long lastOffset,
    long logAppendTime,
    long logStartOffset,
    boolean duplicate,
    Errors error,
    String message) {

  static AppendResult refused(long logStartOffset, Errors error, String message) {
    return new AppendResult(-1, -1, -1, logStartOffset, false, error, message);
  }

  public boolean isOk() {
    return error == Errors.NONE;
  }
}
