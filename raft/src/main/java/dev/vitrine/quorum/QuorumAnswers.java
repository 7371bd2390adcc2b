package dev.vitrine.quorum;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.BeginQuorumEpochRequest;
import dev.vitrine.protocol.message.BeginQuorumEpochResponse;
import dev.vitrine.protocol.message.DescribeQuorumRequest;
import dev.vitrine.protocol.message.DescribeQuorumResponse;
import dev.vitrine.protocol.message.EndQuorumEpochRequest;
import dev.vitrine.protocol.message.EndQuorumEpochResponse;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FetchResponse;
import dev.vitrine.protocol.message.FetchSnapshotRequest;
import dev.vitrine.protocol.message.FetchSnapshotResponse;
import dev.vitrine.protocol.message.VoteRequest;
import dev.vitrine.protocol.message.VoteResponse;
import dev.vitrine.protocol.record.Records;
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

  private static final short FIRST_DESCRIPTION_WITH_DIRECTORIES = 2;

  private final QuorumCore core;

  QuorumAnswers(QuorumCore core) {
    this.core = core;
  }

  void answer(QuorumEvent.Request r) {
    ApiMessage m = r.message();
    if (m instanceof FetchRequest q) {
      fetch(r.token(), q);
    } else if (m instanceof VoteRequest q) {
      respond(r.token(), vote(q));
    } else if (m instanceof BeginQuorumEpochRequest q) {
      respond(r.token(), begin(q));
    } else if (m instanceof EndQuorumEpochRequest q) {
      respond(r.token(), end(q, r.version()));
    } else if (m instanceof DescribeQuorumRequest q) {
      respond(r.token(), describe(q, r.version(), r.wallMs()));
    } else if (m instanceof FetchSnapshotRequest q) {
      respond(r.token(), fetchSnapshot(q));
    } else {
      throw new IllegalArgumentException("not a request of the quorum: " + m.getClass());
    }
  }

  private void respond(long token, ApiMessage message) {
    core.emit(new QuorumEffect.Respond(token, message));
  }

  // --- what all have in common ---

  private boolean isOtherCluster(String clusterId) {
    return clusterId != null && !clusterId.equals(core.config.clusterId());
  }

  private static boolean isOurs(String topic, int partition) {
    return QuorumRequests.TOPIC.equals(topic) && partition == 0;
  }

  private Errors checkFromVoter(int replicaId, int epoch) {
    if (epoch < core.state.epoch) {
      return Errors.FENCED_LEADER_EPOCH;
    }
    return replicaId < 0 ? Errors.INVALID_REQUEST : Errors.NONE;
  }

  private Errors checkForLeader(int epoch) {
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
  private VoterSet.Voter leader() {
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

  // --- Fetch ---

  private void fetch(long token, FetchRequest q) {
    if (isOtherCluster(q.clusterId())) {
      respond(token, new FetchResponse().errorCode(Errors.INCONSISTENT_CLUSTER_ID.code()));
      return;
    }
    if (q.topics().size() != 1
        || q.topics().get(0).partitions().size() != 1
        || q.topics().get(0).partitions().get(0).partition() != 0
        || !isOurs(q.topics().get(0))) {
      respond(token, new FetchResponse().errorCode(Errors.INVALID_REQUEST.code()));
      return;
    }
    FetchRequest.FetchPartition p = q.topics().get(0).partitions().get(0);
    if (q.maxWaitMs() < 0
        || p.fetchOffset() < 0
        || p.lastFetchedEpoch() < 0
        || p.lastFetchedEpoch() > p.currentLeaderEpoch()) {
      respond(token, fetchResponse(Errors.INVALID_REQUEST));
      return;
    }
    Errors error = checkForLeader(p.currentLeaderEpoch());
    if (error != Errors.NONE) {
      respond(token, fetchResponse(error));
      return;
    }
    Leader l = (Leader) core.state;
    FetchResponse diverging = divergence(l, p);
    if (diverging != null) {
      respond(token, diverging);
      return;
    }
    int id = q.replicaId() >= 0 ? q.replicaId() : q.replicaState().replicaId();
    long end = core.logView.endOffset();
    l.fetched(new ReplicaKey(id, p.replicaDirectoryId()), p.fetchOffset(), end, core.now);
    core.maybeAdvance(l);
    int maxBytes = Math.min(q.maxBytes(), core.config.timeouts().fetchMaxBytes());
    Leader.ParkedFetch parked =
        new Leader.ParkedFetch(
            token, p.fetchOffset(), maxBytes, p.highWatermark(), core.now + q.maxWaitMs());
    if (q.maxWaitMs() == 0 || hasNews(l, parked)) {
      complete(parked);
    } else {
      l.parked.add(parked);
    }
  }

  private static boolean isOurs(FetchRequest.FetchTopic t) {
    return t.topicId().equals(Uuid.METADATA_TOPIC_ID)
        || (t.topicId().equals(Uuid.ZERO) && QuorumRequests.TOPIC.equals(t.topic()));
  }

  /** An answer that sends the follower back, or to a snapshot; null if it may go on from there. */
  private FetchResponse divergence(Leader l, FetchRequest.FetchPartition p) {
    OffsetAndEpoch snapshot = core.logView.latestSnapshotId();
    long start = core.logView.startOffset();
    FetchResponse r = fetchResponse(Errors.NONE);
    boolean fromSnapshot =
        snapshot != null
            && !snapshot.equals(OffsetAndEpoch.BOOTSTRAP)
            && (p.fetchOffset() == 0 || p.fetchOffset() < start);
    if (fromSnapshot) {
      only(r).snapshotId().endOffset(snapshot.offset()).epoch(snapshot.epoch());
      return r;
    }
    if (start == 0 && p.fetchOffset() == 0 && p.lastFetchedEpoch() == 0) {
      return null;
    }
    OffsetAndEpoch end = core.logView.endOffsetForEpoch(p.lastFetchedEpoch());
    if (end.epoch() == p.lastFetchedEpoch() && end.offset() >= p.fetchOffset()) {
      return null;
    }
    only(r).divergingEpoch().epoch(end.epoch()).endOffset(end.offset());
    return r;
  }

  private boolean hasNews(Leader l, Leader.ParkedFetch p) {
    return core.logView.endOffset() > p.offset() || l.highWatermark > p.knownHighWatermark();
  }

  private void complete(Leader.ParkedFetch p) {
    FetchResponse r = fetchResponse(Errors.NONE);
    if (core.logView.endOffset() > p.offset()) {
      core.emit(new QuorumEffect.RespondWithRecords(p.token(), r, p.offset(), p.maxBytes()));
    } else {
      respond(p.token(), r);
    }
  }

  /** The log or the high watermark has moved. */
  void completeParked(Leader l) {
    List<Leader.ParkedFetch> ready = l.parked.stream().filter(p -> hasNews(l, p)).toList();
    l.parked.removeAll(ready);
    ready.forEach(this::complete);
  }

  void expireParked(Leader l) {
    List<Leader.ParkedFetch> late = l.parked.stream().filter(p -> p.until() <= core.now).toList();
    l.parked.removeAll(late);
    late.forEach(this::complete);
  }

  /** It leads no more. */
  void dismissParked(Leader l) {
    for (Leader.ParkedFetch p : l.parked) {
      respond(p.token(), fetchResponse(Errors.NOT_LEADER_OR_FOLLOWER));
    }
    l.parked.clear();
  }

  private FetchResponse fetchResponse(Errors error) {
    LeaderAndEpoch l = core.leaderAndEpoch();
    FetchResponse.PartitionData p =
        new FetchResponse.PartitionData()
            .errorCode(error.code())
            .highWatermark(
                error == Errors.NONE && core.state instanceof Leader s ? s.highWatermark : -1)
            .logStartOffset(core.logView.startOffset())
            .records(Records.EMPTY);
    p.currentLeader().leaderId(l.leaderId()).leaderEpoch(l.epoch());
    FetchResponse r =
        new FetchResponse()
            .responses(
                List.of(
                    new FetchResponse.FetchableTopicResponse()
                        .topic(QuorumRequests.TOPIC)
                        .topicId(Uuid.METADATA_TOPIC_ID)
                        .partitions(List.of(p))));
    VoterSet.Voter at = leader();
    if (at != null) {
      r.nodeEndpoints()
          .add(
              new FetchResponse.NodeEndpoint()
                  .nodeId(at.id())
                  .host(at.endpoint().host())
                  .port(at.endpoint().port()));
    }
    return r;
  }

  // --- DescribeQuorum, FetchSnapshot ---

  private DescribeQuorumResponse describe(DescribeQuorumRequest q, short version, long wallMs) {
    if (q.topics().size() != 1
        || q.topics().get(0).partitions().size() != 1
        || !isOurs(
            q.topics().get(0).topicName(),
            q.topics().get(0).partitions().get(0).partitionIndex())) {
      DescribeQuorumResponse r = new DescribeQuorumResponse();
      for (DescribeQuorumRequest.TopicData t : q.topics()) {
        DescribeQuorumResponse.TopicData out =
            new DescribeQuorumResponse.TopicData().topicName(t.topicName());
        for (DescribeQuorumRequest.PartitionData p : t.partitions()) {
          out.partitions()
              .add(describeError(Errors.UNKNOWN_TOPIC_OR_PARTITION, p.partitionIndex()));
        }
        r.topics().add(out);
      }
      return r;
    }
    DescribeQuorumResponse.TopicData topic =
        new DescribeQuorumResponse.TopicData().topicName(QuorumRequests.TOPIC);
    DescribeQuorumResponse r = new DescribeQuorumResponse().topics(List.of(topic));
    if (!(core.state instanceof Leader l)) {
      topic.partitions().add(describeError(Errors.NOT_LEADER_OR_FOLLOWER, 0));
      return r;
    }
    l.forgetOldObservers(core.now);
    DescribeQuorumResponse.PartitionData p =
        new DescribeQuorumResponse.PartitionData()
            .leaderId(core.id())
            .leaderEpoch(l.epoch)
            .highWatermark(l.highWatermark);
    l.voters.values().forEach(v -> p.currentVoters().add(replicaState(v, wallMs)));
    l.observers.values().forEach(o -> p.observers().add(replicaState(o, wallMs)));
    topic.partitions().add(p);
    if (version < FIRST_DESCRIPTION_WITH_DIRECTORIES) {
      p.currentVoters().forEach(v -> v.replicaDirectoryId(Uuid.ZERO));
      p.observers().forEach(o -> o.replicaDirectoryId(Uuid.ZERO));
      return r;
    }
    for (VoterSet.Voter v : core.config.voters().voters()) {
      r.nodes()
          .add(
              new DescribeQuorumResponse.Node()
                  .nodeId(v.id())
                  .listeners(
                      List.of(
                          new DescribeQuorumResponse.Listener()
                              .name(core.config.listenerName())
                              .host(v.endpoint().host())
                              .port(v.endpoint().port()))));
    }
    return r;
  }

  private static DescribeQuorumResponse.PartitionData describeError(Errors error, int partition) {
    return new DescribeQuorumResponse.PartitionData()
        .partitionIndex(partition)
        .errorCode(error.code())
        .errorMessage(error.message());
  }

  private DescribeQuorumResponse.ReplicaState replicaState(Leader.Progress p, long wallMs) {
    boolean self = p.key.id() == core.id();
    return new DescribeQuorumResponse.ReplicaState()
        .replicaId(p.key.id())
        .replicaDirectoryId(p.key.directoryId())
        .logEndOffset(self ? core.logView.endOffset() : p.endOffset)
        .lastFetchTimestamp(self ? wallMs : toWall(p.lastFetch, wallMs))
        .lastCaughtUpTimestamp(self ? wallMs : toWall(p.lastCaughtUp, wallMs));
  }

  private long toWall(long ticks, long wallMs) {
    return ticks < 0 ? -1 : wallMs - (core.now - ticks);
  }

  /** Snapshots are not served yet: there is none by any id. */
  private FetchSnapshotResponse fetchSnapshot(FetchSnapshotRequest q) {
    if (isOtherCluster(q.clusterId())) {
      return new FetchSnapshotResponse().errorCode(Errors.INCONSISTENT_CLUSTER_ID.code());
    }
    if (q.topics().size() != 1 || q.topics().get(0).partitions().size() != 1) {
      return new FetchSnapshotResponse().errorCode(Errors.INVALID_REQUEST.code());
    }
    FetchSnapshotRequest.PartitionSnapshot p = q.topics().get(0).partitions().get(0);
    FetchSnapshotResponse.PartitionSnapshot out =
        new FetchSnapshotResponse.PartitionSnapshot()
            .index(p.partition())
            .unalignedRecords(Records.EMPTY);
    FetchSnapshotResponse r =
        new FetchSnapshotResponse()
            .topics(
                List.of(
                    new FetchSnapshotResponse.TopicSnapshot()
                        .name(q.topics().get(0).name())
                        .partitions(List.of(out))));
    if (!isOurs(q.topics().get(0).name(), p.partition())) {
      out.errorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
      return r;
    }
    Errors error = checkForLeader(p.currentLeaderEpoch());
    LeaderAndEpoch l = core.leaderAndEpoch();
    out.currentLeader().leaderId(l.leaderId()).leaderEpoch(l.epoch());
    out.errorCode((error == Errors.NONE ? Errors.SNAPSHOT_NOT_FOUND : error).code());
    VoterSet.Voter at = leader();
    if (at != null) {
      r.nodeEndpoints()
          .add(
              new FetchSnapshotResponse.NodeEndpoint()
                  .nodeId(at.id())
                  .host(at.endpoint().host())
                  .port(at.endpoint().port()));
    }
    return r;
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
}
