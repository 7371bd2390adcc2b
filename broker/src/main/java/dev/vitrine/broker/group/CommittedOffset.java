package dev.vitrine.broker.group;

import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.OffsetCommitValue;

/**
 * What a group has committed for one partition. Immutable.
 *
 * @param leaderEpoch of the last record that was consumed, -1 if unknown
 * @param commitTimestamp milliseconds since 1970
 * @param expireTimestamp milliseconds since 1970, of old clients that ask for a retention time of
 *     their own; otherwise -1
 * @param topicId {@link Uuid#ZERO} if unknown
 */
record CommittedOffset(
    long offset,
    int leaderEpoch,
    String metadata,
    long commitTimestamp,
    long expireTimestamp,
    Uuid topicId) {
  static CommittedOffset of(OffsetCommitValue v) {
    return new CommittedOffset(
        v.offset(),
        v.leaderEpoch(),
        v.metadata(),
        v.commitTimestamp(),
        v.expireTimestamp(),
        v.topicId());
  }

  /** Whether it was committed for another topic of the same name. */
  boolean isOfOther(Uuid id) {
    return !topicId.equals(Uuid.ZERO) && !id.equals(Uuid.ZERO) && !topicId.equals(id);
  }
}
