package dev.vitrine.quorum;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.BeginQuorumEpochResponse;
import dev.vitrine.protocol.message.EndQuorumEpochResponse;
import dev.vitrine.protocol.message.FetchResponse;
import dev.vitrine.protocol.message.FetchSnapshotResponse;
import dev.vitrine.protocol.message.UpdateRaftVoterResponse;
import dev.vitrine.protocol.message.VoteResponse;
import dev.vitrine.seam.Endpoint;

/**
 * What every answer of the quorum tells of epoch and leader.
 *
 * @param leaderId -1 if the sender knows none
 * @param leaderAt null if the answer does not say
 */
record News(Errors error, int leaderId, int epoch, Endpoint leaderAt) {
  /** Each is null for an answer that is not about the one partition. */
  static News of(VoteResponse r) {
    VoteResponse.PartitionData p = QuorumAnswers.only(r);
    Endpoint at = null;
    for (VoteResponse.NodeEndpoint e : r.nodeEndpoints()) {
      at = p != null && e.nodeId() == p.leaderId() ? new Endpoint(e.host(), e.port()) : at;
    }
    return p == null ? null : of(p.errorCode(), p.leaderId(), p.leaderEpoch(), at);
  }

  static News of(BeginQuorumEpochResponse r) {
    BeginQuorumEpochResponse.PartitionData p = QuorumAnswers.only(r);
    Endpoint at = null;
    for (BeginQuorumEpochResponse.NodeEndpoint e : r.nodeEndpoints()) {
      at = p != null && e.nodeId() == p.leaderId() ? new Endpoint(e.host(), e.port()) : at;
    }
    return p == null ? null : of(p.errorCode(), p.leaderId(), p.leaderEpoch(), at);
  }

  static News of(EndQuorumEpochResponse r) {
    EndQuorumEpochResponse.PartitionData p = QuorumAnswers.only(r);
    Endpoint at = null;
    for (EndQuorumEpochResponse.NodeEndpoint e : r.nodeEndpoints()) {
      at = p != null && e.nodeId() == p.leaderId() ? new Endpoint(e.host(), e.port()) : at;
    }
    return p == null ? null : of(p.errorCode(), p.leaderId(), p.leaderEpoch(), at);
  }

  static News of(FetchResponse r) {
    FetchResponse.PartitionData p = QuorumAnswers.only(r);
    if (p == null) {
      return null;
    }
    int leader = p.currentLeader().leaderId();
    Endpoint at = null;
    for (FetchResponse.NodeEndpoint e : r.nodeEndpoints()) {
      at = e.nodeId() == leader ? new Endpoint(e.host(), e.port()) : at;
    }
    return of(p.errorCode(), leader, p.currentLeader().leaderEpoch(), at);
  }

  static News of(FetchSnapshotResponse r) {
    FetchSnapshotResponse.PartitionSnapshot p = QuorumAnswers.only(r);
    if (p == null) {
      return null;
    }
    int leader = p.currentLeader().leaderId();
    Endpoint at = null;
    for (FetchSnapshotResponse.NodeEndpoint e : r.nodeEndpoints()) {
      at = e.nodeId() == leader ? new Endpoint(e.host(), e.port()) : at;
    }
    return of(p.errorCode(), leader, p.currentLeader().leaderEpoch(), at);
  }

  static News of(UpdateRaftVoterResponse r) {
    UpdateRaftVoterResponse.CurrentLeader l = r.currentLeader();
    Endpoint at = l.host().isEmpty() ? null : new Endpoint(l.host(), l.port());
    return of(r.errorCode(), l.leaderId(), l.leaderEpoch(), at);
  }

  private static News of(short error, int leaderId, int epoch, Endpoint at) {
    return new News(Errors.forCode(error), leaderId, epoch, at);
  }
}
