package dev.vitrine.quorum;

import dev.vitrine.protocol.Uuid;

/**
 * What a replica must know of itself and of the quorum.
 *
 * @param directoryId of the directory that holds the metadata log, from {@code meta.properties}
 * @param listenerName the name of the controllers' listener, told to peers with the endpoints
 */
public record QuorumConfig(
    int nodeId,
    Uuid directoryId,
    String clusterId,
    VoterSet voters,
    String listenerName,
    Timeouts timeouts) {

  /**
   * Kafka's {@code controller.quorum.*} keys, in milliseconds.
   *
   * @param electionTimeoutMs {@code election.timeout.ms}
   * @param fetchTimeoutMs {@code fetch.timeout.ms}
   * @param electionBackoffMaxMs {@code election.backoff.max.ms}
   * @param requestTimeoutMs {@code request.timeout.ms}
   * @param retryBackoffMs {@code retry.backoff.ms}
   * @param fetchMaxWaitMs how long a fetch may wait at the leader; fixed in Kafka
   * @param fetchMaxBytes {@code fetch.max.bytes}
   * @param fetchSnapshotMaxBytes {@code fetch.snapshot.max.bytes}
   */
  public record Timeouts(
      int electionTimeoutMs,
      int fetchTimeoutMs,
      int electionBackoffMaxMs,
      int requestTimeoutMs,
      int retryBackoffMs,
      int fetchMaxWaitMs,
      int fetchMaxBytes,
      int fetchSnapshotMaxBytes) {
    public static final Timeouts DEFAULT =
        new Timeouts(1000, 2000, 1000, 2000, 20, 500, 1 << 20, 1 << 20);
  }

  boolean isVoter() {
    return voters.contains(self());
  }

  ReplicaKey self() {
    return new ReplicaKey(nodeId, directoryId);
  }
}
