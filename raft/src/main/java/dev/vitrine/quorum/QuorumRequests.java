package dev.vitrine.quorum;

import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.AddRaftVoterRequest;
import dev.vitrine.protocol.message.BeginQuorumEpochRequest;
import dev.vitrine.protocol.message.EndQuorumEpochRequest;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FetchSnapshotRequest;
import dev.vitrine.protocol.message.RemoveRaftVoterRequest;
import dev.vitrine.protocol.message.UpdateRaftVoterRequest;
import dev.vitrine.protocol.message.VoteRequest;
import java.util.List;

/**
 * Builds the requests of one replica to its peers, in the newest form; what an older version can't
 * carry is ignorable.
 */
final class QuorumRequests {
  static final String TOPIC = "__cluster_metadata";

  private final QuorumConfig config;

  QuorumRequests(QuorumConfig config) {
    this.config = config;
  }

  VoteRequest vote(VoterSet.Voter to, int epoch, OffsetAndEpoch end, boolean preVote) {
    VoteRequest.PartitionData p =
        new VoteRequest.PartitionData()
            .replicaEpoch(epoch)
            .replicaId(config.nodeId())
            .replicaDirectoryId(config.directoryId())
            .voterDirectoryId(to.directoryId())
            .lastOffsetEpoch(end.epoch())
            .lastOffset(end.offset())
            .preVote(preVote);
    return new VoteRequest()
        .clusterId(config.clusterId())
        .voterId(to.id())
        .topics(List.of(new VoteRequest.TopicData().topicName(TOPIC).partitions(List.of(p))));
  }

  BeginQuorumEpochRequest begin(VoterSet.Voter to, int epoch) {
    BeginQuorumEpochRequest.PartitionData p =
        new BeginQuorumEpochRequest.PartitionData()
            .voterDirectoryId(to.directoryId())
            .leaderId(config.nodeId())
            .leaderEpoch(epoch);
    BeginQuorumEpochRequest r =
        new BeginQuorumEpochRequest()
            .clusterId(config.clusterId())
            .voterId(to.id())
            .topics(
                List.of(
                    new BeginQuorumEpochRequest.TopicData()
                        .topicName(TOPIC)
                        .partitions(List.of(p))));
    for (VoterSet.Listener l : config.ownListeners()) {
      r.leaderEndpoints()
          .add(
              new BeginQuorumEpochRequest.LeaderEndpoint()
                  .name(l.name())
                  .host(l.endpoint().host())
                  .port(l.endpoint().port()));
    }
    return r;
  }

  EndQuorumEpochRequest end(int epoch, List<ReplicaKey> successors) {
    EndQuorumEpochRequest.PartitionData p =
        new EndQuorumEpochRequest.PartitionData()
            .leaderId(config.nodeId())
            .leaderEpoch(epoch)
            .preferredSuccessors(successors.stream().map(ReplicaKey::id).toList())
            .preferredCandidates(
                successors.stream()
                    .map(
                        k ->
                            new EndQuorumEpochRequest.ReplicaInfo()
                                .candidateId(k.id())
                                .candidateDirectoryId(k.directoryId()))
                    .toList());
    EndQuorumEpochRequest r =
        new EndQuorumEpochRequest()
            .clusterId(config.clusterId())
            .topics(
                List.of(
                    new EndQuorumEpochRequest.TopicData().topicName(TOPIC).partitions(List.of(p))));
    for (VoterSet.Listener l : config.ownListeners()) {
      r.leaderEndpoints()
          .add(
              new EndQuorumEpochRequest.LeaderEndpoint()
                  .name(l.name())
                  .host(l.endpoint().host())
                  .port(l.endpoint().port()));
    }
    return r;
  }

  /** The log end is where to fetch from, and says what is durable here. */
  FetchRequest fetch(int epoch, OffsetAndEpoch end, long logStart, long highWatermark) {
    FetchRequest.FetchPartition p =
        new FetchRequest.FetchPartition()
            .currentLeaderEpoch(epoch)
            .fetchOffset(end.offset())
            .lastFetchedEpoch(end.epoch())
            .logStartOffset(logStart)
            .partitionMaxBytes(config.timeouts().fetchMaxBytes())
            .replicaDirectoryId(config.directoryId())
            .highWatermark(highWatermark);
    return new FetchRequest()
        .clusterId(config.clusterId())
        .replicaState(new FetchRequest.ReplicaState().replicaId(config.nodeId()))
        .maxWaitMs(config.timeouts().fetchMaxWaitMs())
        .maxBytes(config.timeouts().fetchMaxBytes())
        .topics(
            List.of(
                new FetchRequest.FetchTopic()
                    .topic(TOPIC)
                    .topicId(Uuid.METADATA_TOPIC_ID)
                    .partitions(List.of(p))));
  }

  FetchSnapshotRequest fetchSnapshot(int epoch, OffsetAndEpoch id, long position) {
    FetchSnapshotRequest.PartitionSnapshot p =
        new FetchSnapshotRequest.PartitionSnapshot()
            .currentLeaderEpoch(epoch)
            .snapshotId(
                new FetchSnapshotRequest.SnapshotId().endOffset(id.offset()).epoch(id.epoch()))
            .position(position)
            .replicaDirectoryId(config.directoryId());
    return new FetchSnapshotRequest()
        .clusterId(config.clusterId())
        .replicaId(config.nodeId())
        .maxBytes(config.timeouts().fetchSnapshotMaxBytes())
        .topics(
            List.of(new FetchSnapshotRequest.TopicSnapshot().name(TOPIC).partitions(List.of(p))));
  }

  UpdateRaftVoterRequest updateVoter(int epoch, VoterSet.Voter self) {
    UpdateRaftVoterRequest r =
        new UpdateRaftVoterRequest()
            .clusterId(config.clusterId())
            .currentLeaderEpoch(epoch)
            .voterId(self.id())
            .voterDirectoryId(self.directoryId());
    for (VoterSet.Listener l : self.listeners()) {
      r.listeners()
          .add(
              new UpdateRaftVoterRequest.Listener()
                  .name(l.name())
                  .host(l.endpoint().host())
                  .port(l.endpoint().port()));
    }
    r.kRaftVersionFeature()
        .minSupportedVersion(self.kraftVersions().min())
        .maxSupportedVersion(self.kraftVersions().max());
    return r;
  }

  /** For this node to join: it must not wait for a commit that may need its own fetches. */
  AddRaftVoterRequest addVoter(VoterSet.Voter self) {
    AddRaftVoterRequest r =
        new AddRaftVoterRequest()
            .clusterId(config.clusterId())
            .timeoutMs(config.timeouts().requestTimeoutMs())
            .voterId(self.id())
            .voterDirectoryId(self.directoryId())
            .ackWhenCommitted(false);
    for (VoterSet.Listener l : self.listeners()) {
      r.listeners()
          .add(
              new AddRaftVoterRequest.Listener()
                  .name(l.name())
                  .host(l.endpoint().host())
                  .port(l.endpoint().port()));
    }
    return r;
  }

  RemoveRaftVoterRequest removeVoter(ReplicaKey voter) {
    return new RemoveRaftVoterRequest()
        .clusterId(config.clusterId())
        .voterId(voter.id())
        .voterDirectoryId(voter.directoryId());
  }
}
