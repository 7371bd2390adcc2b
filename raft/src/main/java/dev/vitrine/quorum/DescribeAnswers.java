package dev.vitrine.quorum;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.DescribeQuorumRequest;
import dev.vitrine.protocol.message.DescribeQuorumResponse;
import java.util.List;

/** Answers those who look at the quorum. */
final class DescribeAnswers {
  private final QuorumAnswers all;

  DescribeAnswers(QuorumAnswers all) {
    this.all = all;
  }

  DescribeQuorumResponse describe(DescribeQuorumRequest q, long wallMs) {
    if (q.topics().size() != 1
        || q.topics().get(0).partitions().size() != 1
        || !QuorumAnswers.isOurs(
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
    if (!(all.core().state instanceof Leader l)) {
      topic.partitions().add(describeError(Errors.NOT_LEADER_OR_FOLLOWER, 0));
      return r;
    }
    l.forgetOldObservers(all.core().now);
    DescribeQuorumResponse.PartitionData p =
        new DescribeQuorumResponse.PartitionData()
            .leaderId(all.core().id())
            .leaderEpoch(l.epoch)
            .highWatermark(l.highWatermark);
    l.voters
        .values()
        .forEach(v -> p.currentVoters().add(replicaState(v, directoryOf(l, v.key), wallMs)));
    l.observers
        .values()
        .forEach(o -> p.observers().add(replicaState(o, o.key.directoryId(), wallMs)));
    topic.partitions().add(p);
    for (VoterSet.Voter v : l.voterSet().voters()) {
      DescribeQuorumResponse.Node node = new DescribeQuorumResponse.Node().nodeId(v.id());
      for (VoterSet.Listener at : v.listeners()) {
        node.listeners()
            .add(
                new DescribeQuorumResponse.Listener()
                    .name(at.name())
                    .host(at.endpoint().host())
                    .port(at.endpoint().port()));
      }
      r.nodes().add(node);
    }
    return r;
  }

  private static DescribeQuorumResponse.PartitionData describeError(Errors error, int partition) {
    return new DescribeQuorumResponse.PartitionData()
        .partitionIndex(partition)
        .errorCode(error.code())
        .errorMessage(error.message());
  }

  /** As it is in the set of voters: those that the configuration names have none there. */
  private static Uuid directoryOf(Leader l, ReplicaKey key) {
    VoterSet.Voter voter = l.voterSet().voter(key.id());
    return voter == null ? key.directoryId() : voter.directoryId();
  }

  private DescribeQuorumResponse.ReplicaState replicaState(
      Leader.Progress p, Uuid directoryId, long wallMs) {
    boolean self = p.key.id() == all.core().id();
    return new DescribeQuorumResponse.ReplicaState()
        .replicaId(p.key.id())
        .replicaDirectoryId(directoryId)
        .logEndOffset(self ? all.core().logView.endOffset() : p.endOffset)
        .lastFetchTimestamp(self ? wallMs : toWall(p.lastFetch, wallMs))
        .lastCaughtUpTimestamp(self ? wallMs : toWall(p.lastCaughtUp, wallMs));
  }

  private long toWall(long ticks, long wallMs) {
    return ticks < 0 ? -1 : wallMs - (all.core().now - ticks);
  }
}
