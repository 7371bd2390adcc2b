package dev.vitrine.quorum;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.AddRaftVoterRequest;
import dev.vitrine.protocol.message.BeginQuorumEpochRequest;
import dev.vitrine.protocol.message.BeginQuorumEpochResponse;
import dev.vitrine.protocol.message.DescribeQuorumRequest;
import dev.vitrine.protocol.message.EndQuorumEpochRequest;
import dev.vitrine.protocol.message.EndQuorumEpochResponse;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FetchResponse;
import dev.vitrine.protocol.message.FetchSnapshotRequest;
import dev.vitrine.protocol.message.FetchSnapshotResponse;
import dev.vitrine.protocol.message.RemoveRaftVoterRequest;
import dev.vitrine.protocol.message.UpdateRaftVoterRequest;
import dev.vitrine.protocol.message.VoteRequest;
import dev.vitrine.protocol.message.VoteResponse;

/**
 * The half of {@link QuorumCore} that answers requests, with Kafka's checks in Kafka's order: here
 * is what the answers have in common, and a class for each kind of request. Each request is about
 * the one partition that there is; an answer is built after the state has taken in what the request
 * said, so it tells the newest epoch and leader.
 */
final class QuorumAnswers {
  private final QuorumCore core;
  final FetchAnswers fetches = new FetchAnswers(this);
  private final SnapshotAnswers snapshots = new SnapshotAnswers(this);
  private final DescribeAnswers describing = new DescribeAnswers(this);
  private final VoteAnswers votes;
  private final EpochAnswers epochs;
  private final VoterAnswers voters = new VoterAnswers(this);

  QuorumAnswers(QuorumCore core) {
    this.core = core;
    this.votes = new VoteAnswers(this);
    this.epochs = new EpochAnswers(this);
  }

  QuorumCore core() {
    return core;
  }

  void answer(QuorumEvent.Request r) {
    ApiMessage m = r.message();
    if (m instanceof FetchRequest q) {
      fetches.answer(r.token(), q);
    } else if (m instanceof VoteRequest q) {
      respond(r.token(), votes.vote(q));
    } else if (m instanceof BeginQuorumEpochRequest q) {
      respond(r.token(), epochs.begin(q));
    } else if (m instanceof EndQuorumEpochRequest q) {
      respond(r.token(), epochs.end(q, r.version()));
    } else if (m instanceof DescribeQuorumRequest q) {
      respond(r.token(), describing.describe(q, r.wallMs()));
    } else if (m instanceof FetchSnapshotRequest q) {
      snapshots.answer(r.token(), q);
    } else if (m instanceof AddRaftVoterRequest q) {
      voters.add(r.token(), q);
    } else if (m instanceof RemoveRaftVoterRequest q) {
      voters.remove(r.token(), q);
    } else if (m instanceof UpdateRaftVoterRequest q) {
      respond(r.token(), voters.update(q));
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

  Errors checkFromVoter(int replicaId, int epoch) {
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
  boolean isForUs(int voterId, Uuid directoryId) {
    return voterId < 0
        || (voterId == core.id()
            && (directoryId.equals(Uuid.ZERO) || directoryId.equals(core.config.directoryId())));
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
