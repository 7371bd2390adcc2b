package dev.vitrine.quorum;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FetchResponse;
import dev.vitrine.protocol.record.Records;
import dev.vitrine.seam.Endpoint;
import java.util.List;

/**
 * Answers fetches of the metadata log: at once if there are records, a new high watermark or a
 * reason why not, else when one comes or the fetch's time is over.
 */
final class FetchAnswers {
  private final QuorumAnswers all;

  FetchAnswers(QuorumAnswers all) {
    this.all = all;
  }

  void answer(long token, FetchRequest q) {
    if (all.isOtherCluster(q.clusterId())) {
      all.respond(token, new FetchResponse().errorCode(Errors.INCONSISTENT_CLUSTER_ID.code()));
      return;
    }
    if (q.topics().size() != 1
        || q.topics().get(0).partitions().size() != 1
        || q.topics().get(0).partitions().get(0).partition() != 0
        || !q.topics().get(0).topicId().equals(Uuid.METADATA_TOPIC_ID)) {
      // That there are no ids before version 13 is no excuse, to Kafka.
      all.respond(token, new FetchResponse().errorCode(Errors.INVALID_REQUEST.code()));
      return;
    }
    FetchRequest.FetchPartition p = q.topics().get(0).partitions().get(0);
    if (q.maxWaitMs() < 0
        || p.fetchOffset() < 0
        || p.lastFetchedEpoch() < 0
        || p.lastFetchedEpoch() > p.currentLeaderEpoch()) {
      all.respond(token, fetchResponse(Errors.INVALID_REQUEST));
      return;
    }
    Errors error = all.checkForLeader(p.currentLeaderEpoch());
    if (error != Errors.NONE) {
      all.respond(token, fetchResponse(error));
      return;
    }
    Leader l = (Leader) all.core().state;
    FetchResponse diverging = divergence(l, p);
    if (diverging != null) {
      all.respond(token, diverging);
      return;
    }
    int id = q.replicaId() >= 0 ? q.replicaId() : q.replicaState().replicaId();
    long end = all.core().logView.endOffset();
    l.fetched(new ReplicaKey(id, p.replicaDirectoryId()), p.fetchOffset(), end, all.core().now);
    all.core().leading.maybeAdvance(l);
    int maxBytes = Math.min(q.maxBytes(), all.core().config.timeouts().fetchMaxBytes());
    Leader.ParkedFetch parked =
        new Leader.ParkedFetch(
            token, p.fetchOffset(), maxBytes, p.highWatermark(), all.core().now + q.maxWaitMs());
    if (q.maxWaitMs() == 0 || hasNews(l, parked)) {
      complete(parked);
    } else {
      l.parked.add(parked);
    }
  }

  /** An answer that sends the follower back, or to a snapshot; null if it may go on from there. */
  private FetchResponse divergence(Leader l, FetchRequest.FetchPartition p) {
    FetchResponse r = fetchResponse(Errors.NONE);
    if (needsSnapshot(p)) {
      OffsetAndEpoch snapshot = all.core().logView.latestSnapshotId();
      QuorumAnswers.only(r).snapshotId().endOffset(snapshot.offset()).epoch(snapshot.epoch());
      return r;
    }
    if (all.core().logView.startOffset() == 0
        && p.fetchOffset() == 0
        && p.lastFetchedEpoch() == 0) {
      return null;
    }
    OffsetAndEpoch end = all.core().logView.endOffsetForEpoch(p.lastFetchedEpoch());
    if (end.epoch() == p.lastFetchedEpoch() && end.offset() >= p.fetchOffset()) {
      return null;
    }
    QuorumAnswers.only(r).divergingEpoch().epoch(end.epoch()).endOffset(end.offset());
    return r;
  }

  /**
   * Whether it comes from before the log's start, or parted from this log there; an empty replica
   * also gets the snapshot, because that is faster.
   */
  private boolean needsSnapshot(FetchRequest.FetchPartition p) {
    LogView log = all.core().logView;
    OffsetAndEpoch latest = log.latestSnapshotId();
    if (latest == null || latest.equals(OffsetAndEpoch.BOOTSTRAP)) {
      return false;
    }
    long start = log.startOffset();
    int startEpoch = log.earliestSnapshotId().epoch();
    return p.fetchOffset() == 0
        || p.fetchOffset() < start
        || start > 0 && p.lastFetchedEpoch() < startEpoch
        || start > 0 && p.fetchOffset() == start && p.lastFetchedEpoch() != startEpoch;
  }

  private boolean hasNews(Leader l, Leader.ParkedFetch p) {
    return all.core().logView.endOffset() > p.offset() || l.highWatermark > p.knownHighWatermark();
  }

  private void complete(Leader.ParkedFetch p) {
    FetchResponse r = fetchResponse(Errors.NONE);
    if (all.core().logView.endOffset() > p.offset()) {
      all.core().emit(new QuorumEffect.RespondWithRecords(p.token(), r, p.offset(), p.maxBytes()));
    } else {
      all.respond(p.token(), r);
    }
  }

  /** The log or the high watermark has moved. */
  void completeParked(Leader l) {
    List<Leader.ParkedFetch> ready = l.parked.stream().filter(p -> hasNews(l, p)).toList();
    l.parked.removeAll(ready);
    ready.forEach(this::complete);
  }

  void expireParked(Leader l) {
    List<Leader.ParkedFetch> late =
        l.parked.stream().filter(p -> p.until() <= all.core().now).toList();
    l.parked.removeAll(late);
    late.forEach(this::complete);
  }

  /** It leads no more. */
  void dismissParked(Leader l) {
    for (Leader.ParkedFetch p : l.parked) {
      all.respond(p.token(), fetchResponse(Errors.NOT_LEADER_OR_FOLLOWER));
    }
    l.parked.clear();
  }

  private FetchResponse fetchResponse(Errors error) {
    LeaderAndEpoch l = all.core().leaderAndEpoch();
    FetchResponse.PartitionData p =
        new FetchResponse.PartitionData()
            .errorCode(error.code())
            .highWatermark(
                error == Errors.NONE && all.core().state instanceof Leader s ? s.highWatermark : -1)
            .logStartOffset(all.core().logView.startOffset())
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
    Endpoint at = all.core().leaderEndpoint();
    if (at != null) {
      r.nodeEndpoints()
          .add(
              new FetchResponse.NodeEndpoint()
                  .nodeId(l.leaderId())
                  .host(at.host())
                  .port(at.port()));
    }
    return r;
  }
}
