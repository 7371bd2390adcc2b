package dev.vitrine.quorum;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.AddRaftVoterRequest;
import dev.vitrine.protocol.message.AddRaftVoterResponse;
import dev.vitrine.protocol.message.RemoveRaftVoterRequest;
import dev.vitrine.protocol.message.RemoveRaftVoterResponse;
import dev.vitrine.protocol.message.UpdateRaftVoterRequest;
import dev.vitrine.protocol.message.UpdateRaftVoterResponse;
import dev.vitrine.seam.Endpoint;

/**
 * Takes requests that change the voters (KIP-853: AddRaftVoter 0-1, RemoveRaftVoter 0,
 * UpdateRaftVoter 0): only the leader, in its epoch, lets {@link VoterChanges} decide.
 */
final class VoterAnswers {
  private final QuorumAnswers all;

  VoterAnswers(QuorumAnswers all) {
    this.all = all;
  }

  void add(long token, AddRaftVoterRequest q) {
    AddRaftVoterResponse r = new AddRaftVoterResponse();
    Errors error = check(q.clusterId(), all.core().state.epoch);
    if (error == Errors.NONE) {
      all.core().leading.changes.add(token, q);
    } else {
      all.respond(token, r.errorCode(error.code()).errorMessage(why(error, q.clusterId())));
    }
  }

  void remove(long token, RemoveRaftVoterRequest q) {
    RemoveRaftVoterResponse r = new RemoveRaftVoterResponse();
    Errors error = check(q.clusterId(), all.core().state.epoch);
    if (error == Errors.NONE) {
      all.core().leading.changes.remove(token, q);
    } else {
      all.respond(token, r.errorCode(error.code()).errorMessage(why(error, q.clusterId())));
    }
  }

  UpdateRaftVoterResponse update(UpdateRaftVoterRequest q) {
    Errors error = check(q.clusterId(), q.currentLeaderEpoch());
    if (error == Errors.NONE) {
      error = all.core().leading.changes.update(q);
    }
    UpdateRaftVoterResponse r = new UpdateRaftVoterResponse().errorCode(error.code());
    LeaderAndEpoch l = all.core().leaderAndEpoch();
    r.currentLeader().leaderId(l.leaderId()).leaderEpoch(l.epoch());
    Endpoint at = all.core().leaderEndpoint();
    if (at != null) {
      r.currentLeader().host(at.host()).port(at.port());
    }
    return r;
  }

  private Errors check(String clusterId, int epoch) {
    return all.isOtherCluster(clusterId)
        ? Errors.INCONSISTENT_CLUSTER_ID
        : all.checkForLeader(epoch);
  }

  private String why(Errors error, String clusterId) {
    return error == Errors.INCONSISTENT_CLUSTER_ID
        ? "The given id \""
            + clusterId
            + "\" doesn't match the cluster id \""
            + all.core().config.clusterId()
            + "\""
        : error.message();
  }
}
