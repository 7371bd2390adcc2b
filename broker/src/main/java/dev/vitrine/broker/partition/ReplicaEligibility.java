package dev.vitrine.broker.partition;

import dev.vitrine.protocol.Uuid;

/** Who may be in an in-sync set, by the newest metadata (KIP-841, KIP-903). */
public interface ReplicaEligibility {
  /** Neither fenced nor shutting down. */
  boolean isEligible(int brokerId);

  /**
   * The same, and registered with this epoch: a restart since then makes what it told worthless.
   */
  boolean isEligible(int brokerId, long brokerEpoch);

  /** Whether the broker has a replica of this partition in a directory that works (KIP-858). */
  default boolean hasReplica(Uuid topicId, int partition, int brokerId) {
    return true;
  }
}
