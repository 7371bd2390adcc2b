package dev.vitrine.quorum;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.VoteRequest;
import dev.vitrine.protocol.message.VoteResponse;
import dev.vitrine.seam.Endpoint;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers who asks for a vote or the promise of one. A replica that is no voter answers too: who
 * asks may have a later set of voters in its log.
 */
final class VoteAnswers {
  private static final Logger log = LoggerFactory.getLogger(VoteAnswers.class);

  private final QuorumAnswers all;
  private final QuorumCore core;

  VoteAnswers(QuorumAnswers all) {
    this.all = all;
    this.core = all.core();
  }

  VoteResponse vote(VoteRequest q) {
    if (all.isOtherCluster(q.clusterId())) {
      return new VoteResponse().errorCode(Errors.INCONSISTENT_CLUSTER_ID.code());
    }
    if (q.topics().size() != 1
        || q.topics().get(0).partitions().size() != 1
        || !QuorumAnswers.isOurs(
            q.topics().get(0).topicName(),
            q.topics().get(0).partitions().get(0).partitionIndex())) {
      return new VoteResponse().errorCode(Errors.INVALID_REQUEST.code());
    }
    VoteRequest.PartitionData p = q.topics().get(0).partitions().get(0);
    boolean badEpoch =
        p.preVote()
            ? p.lastOffsetEpoch() > p.replicaEpoch()
            : p.lastOffsetEpoch() >= p.replicaEpoch();
    if (p.lastOffset() < 0 || p.lastOffsetEpoch() < 0 || badEpoch) {
      log.info("node {}: impossible vote request of {}: {}", core.id(), p.replicaId(), p);
      return voteResponse(Errors.INVALID_REQUEST, false);
    }
    Errors error = all.checkFromVoter(p.replicaId(), p.replicaEpoch());
    if (error != Errors.NONE) {
      return voteResponse(error, false);
    }
    if (p.replicaEpoch() > core.state.epoch) {
      core.becomeUnattached(p.replicaEpoch());
    }
    if (!all.isForUs(q.voterId(), p.voterDirectoryId())) {
      log.info("node {}: vote request for voter {}", core.id(), q.voterId());
      return voteResponse(Errors.INVALID_VOTER_KEY, false);
    }
    ReplicaKey candidate = new ReplicaKey(p.replicaId(), p.replicaDirectoryId());
    OffsetAndEpoch theirs = new OffsetAndEpoch(p.lastOffset(), p.lastOffsetEpoch());
    boolean upToDate = theirs.compareTo(core.logView.end()) >= 0;
    boolean granted = core.state.grants(candidate, upToDate, p.preVote());
    if (granted && !p.preVote()) {
      core.voteFor(candidate);
    }
    log.debug(
        "node {}: {} of {} in epoch {} is {}",
        core.id(),
        p.preVote() ? "pre-vote" : "vote",
        candidate.id(),
        p.replicaEpoch(),
        granted ? "granted" : "rejected");
    return voteResponse(Errors.NONE, granted);
  }

  private VoteResponse voteResponse(Errors error, boolean granted) {
    LeaderAndEpoch l = core.leaderAndEpoch();
    VoteResponse.PartitionData p =
        new VoteResponse.PartitionData()
            .errorCode(error.code())
            .leaderId(l.leaderId())
            .leaderEpoch(l.epoch())
            .voteGranted(granted);
    VoteResponse r =
        new VoteResponse()
            .topics(
                List.of(
                    new VoteResponse.TopicData()
                        .topicName(QuorumRequests.TOPIC)
                        .partitions(List.of(p))));
    Endpoint at = core.leaderEndpoint();
    if (at != null) {
      r.nodeEndpoints()
          .add(
              new VoteResponse.NodeEndpoint().nodeId(l.leaderId()).host(at.host()).port(at.port()));
    }
    return r;
  }
}
