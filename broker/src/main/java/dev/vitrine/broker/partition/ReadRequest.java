package dev.vitrine.broker.partition;

/**
 * What a fetch asks of one partition.
 *
 * @param replicaId the follower's broker id, or -1 for a consumer
 * @param replicaEpoch the follower's broker epoch, or -1
 * @param currentLeaderEpoch as the client knows it, or -1 to skip the check
 * @param lastFetchedEpoch the epoch of the last record that the reader has, or -1; makes truncation
 *     be found out in the fetch itself (KIP-595)
 * @param logStartOffset of the follower, or -1
 * @param maxBytes of record bytes; the first batch is returned whole however large
 * @param firstBatchWhole false once another partition of the same fetch has given data
 * @param again a repeated read for a fetch that waited: it tells nothing new of the follower
 * @param leaderOnly whether a follower must refuse; Kafka lets consumers read from followers since
 *     Fetch version 11
 */
public record ReadRequest(
    int replicaId,
    long replicaEpoch,
    int currentLeaderEpoch,
    long fetchOffset,
    int lastFetchedEpoch,
    long logStartOffset,
    int maxBytes,
    boolean firstBatchWhole,
    boolean leaderOnly,
    ReadLimit limit,
    boolean again) {
  boolean isFollower() {
    return replicaId >= 0;
  }
}
