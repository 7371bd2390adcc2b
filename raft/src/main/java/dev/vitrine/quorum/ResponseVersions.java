package dev.vitrine.quorum;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.BeginQuorumEpochResponse;
import dev.vitrine.protocol.message.DescribeQuorumResponse;
import dev.vitrine.protocol.message.EndQuorumEpochResponse;
import dev.vitrine.protocol.message.FetchResponse;
import dev.vitrine.protocol.message.FetchSnapshotResponse;
import dev.vitrine.protocol.message.VoteResponse;

/** Takes out of an answer what the version it goes out in has no place for and must not meet. */
final class ResponseVersions {
  /** The schema has them from 16; who fetches the metadata log gets them from where KIP-853 is. */
  private static final int FETCH_WITH_ENDPOINTS = 17;

  private static final int FETCH_WITH_LEADER = 12;
  private static final int DESCRIBE_WITH_NODES = 2;

  private ResponseVersions() {}

  static void fit(ApiMessage response, short version) {
    if (response instanceof FetchResponse r) {
      if (version < FETCH_WITH_ENDPOINTS) {
        r.nodeEndpoints().clear();
      }
      if (version < FETCH_WITH_LEADER && QuorumAnswers.only(r) != null) {
        QuorumAnswers.only(r).currentLeader(new FetchResponse.LeaderIdAndEpoch());
      }
    } else if (response instanceof DescribeQuorumResponse r) {
      if (version < DESCRIBE_WITH_NODES) {
        r.nodes().clear();
        r.topics().forEach(t -> t.partitions().forEach(ResponseVersions::withoutDirectories));
      }
    } else if (version < 1) {
      if (response instanceof VoteResponse r) {
        r.nodeEndpoints().clear();
      } else if (response instanceof BeginQuorumEpochResponse r) {
        r.nodeEndpoints().clear();
      } else if (response instanceof EndQuorumEpochResponse r) {
        r.nodeEndpoints().clear();
      } else if (response instanceof FetchSnapshotResponse r) {
        r.nodeEndpoints().clear();
      }
    }
  }

  private static void withoutDirectories(DescribeQuorumResponse.PartitionData p) {
    p.currentVoters().forEach(v -> v.replicaDirectoryId(Uuid.ZERO));
    p.observers().forEach(o -> o.replicaDirectoryId(Uuid.ZERO));
  }
}
