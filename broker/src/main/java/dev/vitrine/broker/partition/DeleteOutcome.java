package dev.vitrine.broker.partition;

import dev.vitrine.protocol.Errors;

/**
 * What became of a deletion of records.
 *
 * @param lowWatermark the smallest log start offset of all live replicas; -1 if the deletion was
 *     refused
 */
public record DeleteOutcome(Errors error, long lowWatermark) {
  public static DeleteOutcome failed(Errors error) {
    return new DeleteOutcome(error, -1);
  }
}
