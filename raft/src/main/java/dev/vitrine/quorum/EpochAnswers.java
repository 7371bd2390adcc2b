package dev.vitrine.quorum;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.BeginQuorumEpochRequest;
import dev.vitrine.protocol.message.BeginQuorumEpochResponse;
import dev.vitrine.protocol.message.EndQuorumEpochRequest;
import dev.vitrine.protocol.message.EndQuorumEpochResponse;
import dev.vitrine.seam.Endpoint;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers leaders that tell of the beginning or the end of their epoch. */
final class EpochAnswers {
  private static final Logger log = LoggerFactory.getLogger(EpochAnswers.class);

  private final QuorumAnswers all;
  private final QuorumCore core;

  EpochAnswers(QuorumAnswers all) {
    this.all = all;
    this.core = all.core();
  }

  BeginQuorumEpochResponse begin(BeginQuorumEpochRequest q) {
    if (all.isOtherCluster(q.clusterId())) {
      return new BeginQuorumEpochResponse().errorCode(Errors.INCONSISTENT_CLUSTER_ID.code());
    }
    if (q.topics().size() != 1
        || q.topics().get(0).partitions().size() != 1
        || !QuorumAnswers.isOurs(
            q.topics().get(0).topicName(),
            q.topics().get(0).partitions().get(0).partitionIndex())) {
      return new BeginQuorumEpochResponse().errorCode(Errors.INVALID_REQUEST.code());
    }
    BeginQuorumEpochRequest.PartitionData p = q.topics().get(0).partitions().get(0);
    Errors error = all.checkFromVoter(p.leaderId(), p.leaderEpoch());
    if (error == Errors.NONE) {
      core.learn(p.leaderId(), p.leaderEpoch(), endpoint(q), true);
      if (!all.isForUs(q.voterId(), p.voterDirectoryId())) {
        log.info("node {}: BeginQuorumEpoch for voter {}", core.id(), q.voterId());
        error = Errors.INVALID_VOTER_KEY;
      }
    }
    LeaderAndEpoch l = core.leaderAndEpoch();
    BeginQuorumEpochResponse r =
        new BeginQuorumEpochResponse()
            .topics(
                List.of(
                    new BeginQuorumEpochResponse.TopicData()
                        .topicName(QuorumRequests.TOPIC)
                        .partitions(
                            List.of(
                                new BeginQuorumEpochResponse.PartitionData()
                                    .errorCode(error.code())
                                    .leaderId(l.leaderId())
                                    .leaderEpoch(l.epoch())))));
    Endpoint at = core.leaderEndpoint();
    if (at != null) {
      r.nodeEndpoints()
          .add(
              new BeginQuorumEpochResponse.NodeEndpoint()
                  .nodeId(l.leaderId())
                  .host(at.host())
                  .port(at.port()));
    }
    return r;
  }

  EndQuorumEpochResponse end(EndQuorumEpochRequest q, short version) {
    if (all.isOtherCluster(q.clusterId())) {
      return new EndQuorumEpochResponse().errorCode(Errors.INCONSISTENT_CLUSTER_ID.code());
    }
    if (q.topics().size() != 1
        || q.topics().get(0).partitions().size() != 1
        || !QuorumAnswers.isOurs(
            q.topics().get(0).topicName(),
            q.topics().get(0).partitions().get(0).partitionIndex())) {
      return new EndQuorumEpochResponse().errorCode(Errors.INVALID_REQUEST.code());
    }
    EndQuorumEpochRequest.PartitionData p = q.topics().get(0).partitions().get(0);
    Errors error = all.checkFromVoter(p.leaderId(), p.leaderEpoch());
    if (error == Errors.NONE) {
      core.learn(p.leaderId(), p.leaderEpoch(), endpoint(q), false);
      if (core.state instanceof Follower f && f.leaderId() == p.leaderId()) {
        List<Integer> successors =
            version >= 1
                ? p.preferredCandidates().stream().map(c -> c.candidateId()).toList()
                : p.preferredSuccessors();
        core.leaderGone(f, delay(successors), "it has resigned");
      }
    }
    LeaderAndEpoch l = core.leaderAndEpoch();
    EndQuorumEpochResponse r =
        new EndQuorumEpochResponse()
            .topics(
                List.of(
                    new EndQuorumEpochResponse.TopicData()
                        .topicName(QuorumRequests.TOPIC)
                        .partitions(
                            List.of(
                                new EndQuorumEpochResponse.PartitionData()
                                    .errorCode(error.code())
                                    .leaderId(l.leaderId())
                                    .leaderEpoch(l.epoch())))));
    Endpoint at = core.leaderEndpoint();
    if (at != null) {
      r.nodeEndpoints()
          .add(
              new EndQuorumEpochResponse.NodeEndpoint()
                  .nodeId(l.leaderId())
                  .host(at.host())
                  .port(at.port()));
    }
    return r;
  }

  /** The first successor goes at once, each further one waits twice as long as the one before. */
  private long delay(List<Integer> successors) {
    int max = core.config.timeouts().electionBackoffMaxMs();
    int position = successors.indexOf(core.id());
    if (position == 0) {
      return 0;
    }
    if (position < 0) {
      return max;
    }
    long first = max >> Math.min(successors.size() - 1, 30);
    return Math.min(max, first << Math.min(position - 1, 30));
  }

  /** Where the leader says it is, or null. */
  private Endpoint endpoint(BeginQuorumEpochRequest q) {
    for (BeginQuorumEpochRequest.LeaderEndpoint e : q.leaderEndpoints()) {
      if (e.name().equals(core.config.listenerName())) {
        return new Endpoint(e.host(), e.port());
      }
    }
    return null;
  }

  private Endpoint endpoint(EndQuorumEpochRequest q) {
    for (EndQuorumEpochRequest.LeaderEndpoint e : q.leaderEndpoints()) {
      if (e.name().equals(core.config.listenerName())) {
        return new Endpoint(e.host(), e.port());
      }
    }
    return null;
  }
}
