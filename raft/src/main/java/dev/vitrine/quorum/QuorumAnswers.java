package dev.vitrine.quorum;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.BeginQuorumEpochRequest;
import dev.vitrine.protocol.message.BeginQuorumEpochResponse;
import dev.vitrine.protocol.message.DescribeQuorumRequest;
import dev.vitrine.protocol.message.EndQuorumEpochRequest;
import dev.vitrine.protocol.message.EndQuorumEpochResponse;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FetchResponse;
import dev.vitrine.protocol.message.FetchSnapshotRequest;
import dev.vitrine.protocol.message.FetchSnapshotResponse;
import dev.vitrine.protocol.message.VoteRequest;
import dev.vitrine.protocol.message.VoteResponse;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The half of {@link QuorumCore} that answers requests, with Kafka's checks in Kafka's order. Each
 * request is about the one partition that there is; an answer is built after the state has taken in
 * what the request said, so it tells the newest epoch and leader.
 */
final class QuorumAnswers {
  private static final Logger log = LoggerFactory.getLogger(QuorumAnswers.class);

  private final QuorumCore core;
  final FetchAnswers fetches = new FetchAnswers(this);
  private final SnapshotAnswers snapshots = new SnapshotAnswers(this);
  private final DescribeAnswers describing = new DescribeAnswers(this);

  QuorumAnswers(QuorumCore core) {
    this.core = core;
  }

  QuorumCore core() {
    return core;
  }

  void answer(QuorumEvent.Request r) {
    ApiMessage m = r.message();
    if (m instanceof FetchRequest q) {
      fetches.answer(r.token(), q);
    } else if (m instanceof VoteRequest q) {
      respond(r.token(), vote(q));
    } else if (m instanceof BeginQuorumEpochRequest q) {
      respond(r.token(), begin(q));
    } else if (m instanceof EndQuorumEpochRequest q) {
      respond(r.token(), end(q, r.version()));
    } else if (m instanceof DescribeQuorumRequest q) {
      respond(r.token(), describing.describe(q, r.wallMs()));
    } else if (m instanceof FetchSnapshotRequest q) {
      snapshots.answer(r.token(), q);
    } else {
      throw new IllegalArgumentException("not a request of the quorum: " + m.getClass());
    }
  }

  void respond(long token, ApiMessage message) {
    core.emit(new QuorumEffect.Respond(token, message));
  }

  // --- what all have in common ---

  boolean isOtherCluster(String clusterId) {
    return clusterId != null && !clusterId.equals(core.config.clusterId());
  }

  static boolean isOurs(String topic, int partition) {
    return QuorumRequests.TOPIC.equals(topic) && partition == 0;
  }

  private Errors checkFromVoter(int replicaId, int epoch) {
    if (epoch < core.state.epoch) {
      return Errors.FENCED_LEADER_EPOCH;
    }
    return replicaId < 0 ? Errors.INVALID_REQUEST : Errors.NONE;
  }

  Errors checkForLeader(int epoch) {
    if (epoch < core.state.epoch) {
      return Errors.FENCED_LEADER_EPOCH;
    } else if (epoch > core.state.epoch) {
      return Errors.UNKNOWN_LEADER_EPOCH;
    } else if (!(core.state instanceof Leader)) {
      return Errors.NOT_LEADER_OR_FOLLOWER;
    }
    return core.shuttingDown ? Errors.BROKER_NOT_AVAILABLE : Errors.NONE;
  }

  /** Whether a request that names its receiver names us (KIP-853); older ones name nobody. */
  private boolean isForUs(int voterId, Uuid directoryId) {
    return voterId < 0
        || (voterId == core.id()
            && (directoryId.equals(Uuid.ZERO) || directoryId.equals(core.config.directoryId())));
  }

  /** Where the leader is, or null. */
  VoterSet.Voter leader() {
    return core.config.voters().voter(core.leaderAndEpoch().leaderId());
  }

  // --- Vote ---

  private VoteResponse vote(VoteRequest q) {
    if (isOtherCluster(q.clusterId())) {
      return new VoteResponse().errorCode(Errors.INCONSISTENT_CLUSTER_ID.code());
    }
    if (q.topics().size() != 1
        || q.topics().get(0).partitions().size() != 1
        || !isOurs(
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
    Errors error = checkFromVoter(p.replicaId(), p.replicaEpoch());
    if (error != Errors.NONE) {
      return voteResponse(error, false);
    }
    if (p.replicaEpoch() > core.state.epoch) {
      core.becomeUnattached(p.replicaEpoch());
    }
    if (!isForUs(q.voterId(), p.voterDirectoryId())) {
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
    VoterSet.Voter at = leader();
    if (at != null) {
      r.nodeEndpoints()
          .add(
              new VoteResponse.NodeEndpoint()
                  .nodeId(at.id())
                  .host(at.endpoint().host())
                  .port(at.endpoint().port()));
    }
    return r;
  }

  // --- BeginQuorumEpoch, EndQuorumEpoch ---

  private BeginQuorumEpochResponse begin(BeginQuorumEpochRequest q) {
    if (isOtherCluster(q.clusterId())) {
      return new BeginQuorumEpochResponse().errorCode(Errors.INCONSISTENT_CLUSTER_ID.code());
    }
    if (q.topics().size() != 1
        || q.topics().get(0).partitions().size() != 1
        || !isOurs(
            q.topics().get(0).topicName(),
            q.topics().get(0).partitions().get(0).partitionIndex())) {
      return new BeginQuorumEpochResponse().errorCode(Errors.INVALID_REQUEST.code());
    }
    BeginQuorumEpochRequest.PartitionData p = q.topics().get(0).partitions().get(0);
    Errors error = checkFromVoter(p.leaderId(), p.leaderEpoch());
    if (error == Errors.NONE) {
      core.learn(p.leaderId(), p.leaderEpoch(), true);
      if (!isForUs(q.voterId(), p.voterDirectoryId())) {
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
    VoterSet.Voter at = leader();
    if (at != null) {
      r.nodeEndpoints()
          .add(
              new BeginQuorumEpochResponse.NodeEndpoint()
                  .nodeId(at.id())
                  .host(at.endpoint().host())
                  .port(at.endpoint().port()));
    }
    return r;
  }

  private EndQuorumEpochResponse end(EndQuorumEpochRequest q, short version) {
    if (isOtherCluster(q.clusterId())) {
      return new EndQuorumEpochResponse().errorCode(Errors.INCONSISTENT_CLUSTER_ID.code());
    }
    if (q.topics().size() != 1
        || q.topics().get(0).partitions().size() != 1
        || !isOurs(
            q.topics().get(0).topicName(),
            q.topics().get(0).partitions().get(0).partitionIndex())) {
      return new EndQuorumEpochResponse().errorCode(Errors.INVALID_REQUEST.code());
    }
    EndQuorumEpochRequest.PartitionData p = q.topics().get(0).partitions().get(0);
    Errors error = checkFromVoter(p.leaderId(), p.leaderEpoch());
    if (error == Errors.NONE) {
      core.learn(p.leaderId(), p.leaderEpoch(), false);
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
    VoterSet.Voter at = leader();
    if (at != null) {
      r.nodeEndpoints()
          .add(
              new EndQuorumEpochResponse.NodeEndpoint()
                  .nodeId(at.id())
                  .host(at.endpoint().host())
                  .port(at.endpoint().port()));
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

  // --- the one partition of a response, or null ---

  static VoteResponse.PartitionData only(VoteResponse r) {
    return r.topics().size() == 1 && r.topics().get(0).partitions().size() == 1
        ? r.topics().get(0).partitions().get(0)
        : null;
  }

  static BeginQuorumEpochResponse.PartitionData only(BeginQuorumEpochResponse r) {
    return r.topics().size() == 1 && r.topics().get(0).partitions().size() == 1
        ? r.topics().get(0).partitions().get(0)
        : null;
  }

  static EndQuorumEpochResponse.PartitionData only(EndQuorumEpochResponse r) {
    return r.topics().size() == 1 && r.topics().get(0).partitions().size() == 1
        ? r.topics().get(0).partitions().get(0)
        : null;
  }

  static FetchResponse.PartitionData only(FetchResponse r) {
    return r.responses().size() == 1 && r.responses().get(0).partitions().size() == 1
        ? r.responses().get(0).partitions().get(0)
        : null;
  }

  static FetchSnapshotResponse.PartitionSnapshot only(FetchSnapshotResponse r) {
    return r.topics().size() == 1 && r.topics().get(0).partitions().size() == 1
        ? r.topics().get(0).partitions().get(0)
        : null;
  }
}
