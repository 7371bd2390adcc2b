package dev.vitrine.quorum;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.FetchSnapshotRequest;
import dev.vitrine.protocol.message.FetchSnapshotResponse;
import dev.vitrine.protocol.record.Records;
import dev.vitrine.seam.Endpoint;
import java.util.List;

/** Answers who fetches a snapshot, a part at a time (KIP-630). Only the leader does. */
final class SnapshotAnswers {
  private final QuorumAnswers all;

  SnapshotAnswers(QuorumAnswers all) {
    this.all = all;
  }

  void answer(long token, FetchSnapshotRequest q) {
    if (all.isOtherCluster(q.clusterId())) {
      all.respond(
          token, new FetchSnapshotResponse().errorCode(Errors.INCONSISTENT_CLUSTER_ID.code()));
      return;
    }
    if (q.topics().size() != 1 || q.topics().get(0).partitions().size() != 1) {
      all.respond(token, new FetchSnapshotResponse().errorCode(Errors.INVALID_REQUEST.code()));
      return;
    }
    String topic = q.topics().get(0).name();
    FetchSnapshotRequest.PartitionSnapshot p = q.topics().get(0).partitions().get(0);
    FetchSnapshotResponse.PartitionSnapshot out =
        new FetchSnapshotResponse.PartitionSnapshot()
            .index(p.partition())
            .unalignedRecords(Records.EMPTY);
    FetchSnapshotResponse r = new FetchSnapshotResponse();
    r.topics().add(new FetchSnapshotResponse.TopicSnapshot().name(topic).partitions(List.of(out)));
    OffsetAndEpoch id = new OffsetAndEpoch(p.snapshotId().endOffset(), p.snapshotId().epoch());
    Errors error =
        QuorumAnswers.isOurs(topic, p.partition())
            ? check(p, id)
            : Errors.UNKNOWN_TOPIC_OR_PARTITION;
    out.errorCode(error.code());
    if (error != Errors.UNKNOWN_TOPIC_OR_PARTITION) {
      tellLeader(r, out);
    }
    if (error != Errors.NONE) {
      all.respond(token, r);
      return;
    }
    Leader l = (Leader) all.core().state;
    l.follows(new ReplicaKey(q.replicaId(), p.replicaDirectoryId()), all.core().now);
    out.snapshotId().endOffset(id.offset()).epoch(id.epoch());
    out.size(all.core().logView.snapshotSize(id)).position(p.position());
    int maxBytes = Math.min(q.maxBytes(), all.core().config.timeouts().fetchSnapshotMaxBytes());
    all.core()
        .emit(
            new QuorumEffect.RespondWithSnapshot(
                token, r, id, p.position(), Math.max(0, maxBytes)));
  }

  private Errors check(FetchSnapshotRequest.PartitionSnapshot p, OffsetAndEpoch id) {
    Errors error = all.checkForLeader(p.currentLeaderEpoch());
    if (error != Errors.NONE) {
      return error;
    }
    long size = all.core().logView.snapshotSize(id);
    if (size < 0 || id.equals(OffsetAndEpoch.BOOTSTRAP)) {
      return Errors.SNAPSHOT_NOT_FOUND;
    }
    boolean inside = p.position() >= 0 && p.position() < size;
    return inside ? Errors.NONE : Errors.POSITION_OUT_OF_RANGE;
  }

  private void tellLeader(FetchSnapshotResponse r, FetchSnapshotResponse.PartitionSnapshot out) {
    LeaderAndEpoch l = all.core().leaderAndEpoch();
    out.currentLeader().leaderId(l.leaderId()).leaderEpoch(l.epoch());
    Endpoint at = all.core().leaderEndpoint();
    if (at != null) {
      r.nodeEndpoints()
          .add(
              new FetchSnapshotResponse.NodeEndpoint()
                  .nodeId(l.leaderId())
                  .host(at.host())
                  .port(at.port()));
    }
  }
}
