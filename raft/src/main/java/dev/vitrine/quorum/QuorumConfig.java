package dev.vitrine.quorum;

import dev.vitrine.metadata.VersionRange;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.seam.Endpoint;
import java.util.List;

/**
 * What a replica must know of itself and of how to find the quorum.
 *
 * @param directoryId of the directory that holds the metadata log, from {@code meta.properties}
 * @param voters those of {@code controller.quorum.voters}; they count only while the log names none
 * @param listenerName the name of the listener over which the quorum's replicas talk
 * @param timeouts all that is measured in time or bytes
 * @param membership how this node takes part where the voters are in the log
 */
public record QuorumConfig(
    int nodeId,
    Uuid directoryId,
    String clusterId,
    VoterSet voters,
    String listenerName,
    Timeouts timeouts,
    Membership membership) {

  /** The versions of kraft.version that this code has. */
  public static final VersionRange KRAFT_VERSIONS = VersionRange.of(0, 1);

  /** The name of the feature that says where the voters are known from. */
  public static final String KRAFT_VERSION = "kraft.version";

  /**
   * For dynamic voters (KIP-853).
   *
   * @param listeners this node's own, of its controller role, as others reach them; empty for a
   *     node that can never vote
   * @param bootstrapServers {@code controller.quorum.bootstrap.servers}
   * @param autoJoin {@code controller.quorum.auto.join.enable} (KIP-1186)
   */
  public record Membership(
      List<VoterSet.Listener> listeners, List<Endpoint> bootstrapServers, boolean autoJoin) {
    public static final Membership NONE = new Membership(List.of(), List.of(), false);
  }

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

  /** With voters of the configuration alone. */
  public QuorumConfig(
      int nodeId,
      Uuid directoryId,
      String clusterId,
      VoterSet voters,
      String listenerName,
      Timeouts timeouts) {
    this(nodeId, directoryId, clusterId, voters, listenerName, timeouts, Membership.NONE);
  }

  ReplicaKey self() {
    return new ReplicaKey(nodeId, directoryId);
  }

  /** Where this node listens in its controller role; empty if it has none. */
  List<VoterSet.Listener> ownListeners() {
    VoterSet.Voter fixed = voters.voter(nodeId);
    return membership.listeners.isEmpty() && fixed != null
        ? fixed.listeners()
        : membership.listeners;
  }

  /** Whether this node may be a voter one day, if it is none now. */
  boolean canBecomeVoter() {
    return !ownListeners().isEmpty();
  }

  /** This node as a voter. */
  VoterSet.Voter selfAsVoter() {
    return new VoterSet.Voter(nodeId, directoryId, ownListeners(), KRAFT_VERSIONS);
  }
}
