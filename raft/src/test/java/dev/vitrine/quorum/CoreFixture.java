package dev.vitrine.quorum;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.BeginQuorumEpochRequest;
import dev.vitrine.protocol.message.BeginQuorumEpochResponse;
import dev.vitrine.protocol.message.EndQuorumEpochRequest;
import dev.vitrine.protocol.message.EndQuorumEpochResponse;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FetchResponse;
import dev.vitrine.protocol.message.VoteRequest;
import dev.vitrine.protocol.message.VoteResponse;
import dev.vitrine.seam.Endpoint;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One core, node 1 of voters 1 to n, whose effects on the log are performed at once and whose
 * messages the test sees and answers. Everything asked to be durable is so when the test says.
 */
final class CoreFixture {
  static final Uuid DIRECTORY = new Uuid(7, 1);

  final MemoryQuorumLog log = new MemoryQuorumLog();
  final List<QuorumEffect> effects = new ArrayList<>();
  final QuorumConfig config;
  QuorumCore core;
  long now = 1_000_000;
  private long token;

  CoreFixture(int voters) {
    this(1, voters);
  }

  CoreFixture(int id, int voters) {
    List<VoterSet.Voter> set = new ArrayList<>();
    for (int v = 1; v <= voters; v++) {
      set.add(VoterSet.Voter.fixed(v, "CONTROLLER", new Endpoint("host" + v, 9000 + v)));
    }
    config =
        new QuorumConfig(
            id,
            DIRECTORY,
            "cluster",
            new VoterSet(set),
            "CONTROLLER",
            QuorumConfig.Timeouts.DEFAULT);
  }

  private CoreFixture(QuorumConfig config) {
    this.config = config;
  }

  /** Node 1 in kraft.version 1, of voters 1 to n that {@code format} left. */
  static CoreFixture dynamic(int voters) {
    return dynamic(1, voters, false);
  }

  /** Node {@code id}, perhaps none of them. */
  static CoreFixture dynamic(int id, int voters, boolean autoJoin) {
    CoreFixture f =
        new CoreFixture(
            new QuorumConfig(
                id,
                new Uuid(7, id),
                "cluster",
                VoterSet.NONE,
                "CONTROLLER",
                QuorumConfig.Timeouts.DEFAULT,
                new QuorumConfig.Membership(
                    voter(id).listeners(), List.of(new Endpoint("boot", 1)), autoJoin)));
    f.log.continueBehind(
        new Snapshot(
            OffsetAndEpoch.BOOTSTRAP,
            0,
            (short) (voters == 0 ? 0 : 1),
            voters == 0 ? null : voters(voters),
            List.of()));
    return f;
  }

  static VoterSet voters(int n) {
    List<VoterSet.Voter> set = new ArrayList<>();
    for (int v = 1; v <= n; v++) {
      set.add(voter(v));
    }
    return new VoterSet(set);
  }

  static VoterSet.Voter voter(int id) {
    return new VoterSet.Voter(
        id,
        new Uuid(7, id),
        List.of(new VoterSet.Listener("CONTROLLER", new Endpoint("host" + id, 9000 + id))),
        QuorumConfig.KRAFT_VERSIONS);
  }

  /** A voter or observer has fetched all that there is, durably. */
  void caughtUp(int... nodes) {
    for (int node : nodes) {
      request(fetch(node, core.state.epoch, log.endOffset(), log.lastEpoch(), 0));
    }
  }

  /** Appends what a leader sends that writes these records for itself. */
  void append(int epoch, ControlRecords.Entry... records) {
    ByteBuf batch = Unpooled.buffer();
    ControlRecords.write(batch, log.endOffset(), epoch, 1, List.of(records));
    log.appendAsFollower(batch, epoch);
    step(new QuorumEvent.LogChanged());
    flush();
  }

  CoreFixture start(ElectionState stored) {
    core = new QuorumCore(config, stored, log, new SplittableRandom(1), now);
    tick(0);
    return this;
  }

  /** In this epoch, knowing no leader and bound to nobody. */
  CoreFixture unattached(int epoch) {
    return start(new ElectionState(epoch, -1, -1, Uuid.ZERO));
  }

  CoreFixture follower(int epoch, int leader) {
    unattached(epoch);
    request(begin(leader, epoch));
    return this;
  }

  CoreFixture prospective(int epoch) {
    unattached(epoch);
    tick(200);
    return this;
  }

  /** In epoch + 1. */
  CoreFixture candidate(int epoch) {
    prospective(epoch);
    effects.clear();
    tick(0);
    preVotes(true);
    return this;
  }

  CoreFixture leader(int epoch) {
    candidate(epoch - 1);
    answerVote(2, true);
    return this;
  }

  void preVotes(boolean granted) {
    // The first majority decides; later answers find another state.
    for (int v = 2; v <= core.voters().majority(); v++) {
      answerVote(v, granted);
    }
  }

  private final List<QuorumEffect.Send> unanswered = new ArrayList<>();

  /** Answers the last Vote to this node. */
  void answerVote(int node, boolean granted) {
    QuorumEffect.Send s = lastSend(node, VoteRequest.class);
    VoteRequest.PartitionData q = ((VoteRequest) s.message()).topics().get(0).partitions().get(0);
    answer(s, vote(Errors.NONE, -1, q.replicaEpoch(), granted));
  }

  QuorumEffect.Send lastSend(int node, Class<?> type) {
    for (int i = unanswered.size() - 1; i >= 0; i--) {
      QuorumEffect.Send s = unanswered.get(i);
      if (s.nodeId() == node && type.isInstance(s.message())) {
        return s;
      }
    }
    throw new AssertionError("nothing of " + type.getSimpleName() + " sent to " + node);
  }

  void answer(QuorumEffect.Send to, ApiMessage response) {
    unanswered.remove(to);
    step(new QuorumEvent.Response(to.requestId(), response));
  }

  void fail(QuorumEffect.Send to, QuorumTransport.Failure why) {
    unanswered.remove(to);
    step(new QuorumEvent.Failure(to.requestId(), why));
  }

  void tick(long ms) {
    now += ms;
    step(new QuorumEvent.Tick());
  }

  /** All that is in the log now becomes durable. */
  void flush() {
    step(new QuorumEvent.Flushed(log.endOffset()));
  }

  /** The answer that comes at once, or null if it is parked. */
  ApiMessage request(ApiMessage message) {
    long mine = ++token;
    step(
        new QuorumEvent.Request(
            mine, message, message.highestSupportedVersion(), 1_700_000_000_000L));
    return answerTo(mine);
  }

  long lastToken() {
    return token;
  }

  ApiMessage answerTo(long token) {
    for (QuorumEffect e : effects) {
      if (e instanceof QuorumEffect.Respond r && r.token() == token) {
        return r.message();
      }
      if (e instanceof QuorumEffect.RespondWithRecords r && r.token() == token) {
        return QuorumAnswers.only(r.message()) == null
            ? null
            : withRecords(r.message(), r.offset());
      }
    }
    return null;
  }

  private FetchResponse withRecords(FetchResponse r, long offset) {
    QuorumAnswers.only(r).records(log.read(offset, 1 << 20, Long.MAX_VALUE));
    return r;
  }

  List<QuorumEffect> step(QuorumEvent event) {
    List<QuorumEffect> now = new ArrayList<>(core.step(event, this.now));
    effects.addAll(now);
    for (QuorumEffect e : List.copyOf(now)) {
      if (e instanceof QuorumEffect.Send s) {
        unanswered.add(s);
      } else if (e instanceof QuorumEffect.TruncateTo t) {
        log.truncateTo(t.offset());
        now.addAll(step(new QuorumEvent.LogChanged()));
      } else if (e instanceof QuorumEffect.AppendControl a) {
        ByteBuf batch = Unpooled.buffer();
        ControlRecords.write(batch, log.endOffset(), a.epoch(), 1, a.records());
        log.appendAsLeader(batch, a.epoch());
        now.addAll(step(new QuorumEvent.LogChanged()));
      }
    }
    return now;
  }

  <T extends QuorumEffect> List<T> all(Class<T> type) {
    return effects.stream().filter(type::isInstance).map(type::cast).toList();
  }

  ElectionState lastPersisted() {
    List<QuorumEffect.Persist> all = all(QuorumEffect.Persist.class);
    return all.isEmpty() ? null : all.get(all.size() - 1).state();
  }

  // --- messages ---

  static VoteRequest voteRequest(
      int from, int epoch, int lastEpoch, long lastOffset, boolean preVote) {
    return new VoteRequest()
        .clusterId("cluster")
        .voterId(1)
        .topics(
            List.of(
                new VoteRequest.TopicData()
                    .topicName(QuorumRequests.TOPIC)
                    .partitions(
                        List.of(
                            new VoteRequest.PartitionData()
                                .replicaId(from)
                                .replicaDirectoryId(new Uuid(7, from))
                                .replicaEpoch(epoch)
                                .lastOffsetEpoch(lastEpoch)
                                .lastOffset(lastOffset)
                                .preVote(preVote)))));
  }

  static VoteResponse vote(Errors error, int leader, int epoch, boolean granted) {
    return new VoteResponse()
        .topics(
            List.of(
                new VoteResponse.TopicData()
                    .topicName(QuorumRequests.TOPIC)
                    .partitions(
                        List.of(
                            new VoteResponse.PartitionData()
                                .errorCode(error.code())
                                .leaderId(leader)
                                .leaderEpoch(epoch)
                                .voteGranted(granted)))));
  }

  static BeginQuorumEpochRequest begin(int leader, int epoch) {
    return new BeginQuorumEpochRequest()
        .clusterId("cluster")
        .voterId(1)
        .topics(
            List.of(
                new BeginQuorumEpochRequest.TopicData()
                    .topicName(QuorumRequests.TOPIC)
                    .partitions(
                        List.of(
                            new BeginQuorumEpochRequest.PartitionData()
                                .leaderId(leader)
                                .leaderEpoch(epoch)))));
  }

  static EndQuorumEpochRequest end(int leader, int epoch, Integer... successors) {
    return new EndQuorumEpochRequest()
        .clusterId("cluster")
        .topics(
            List.of(
                new EndQuorumEpochRequest.TopicData()
                    .topicName(QuorumRequests.TOPIC)
                    .partitions(
                        List.of(
                            new EndQuorumEpochRequest.PartitionData()
                                .leaderId(leader)
                                .leaderEpoch(epoch)
                                .preferredCandidates(
                                    List.of(successors).stream()
                                        .map(
                                            s ->
                                                new EndQuorumEpochRequest.ReplicaInfo()
                                                    .candidateId(s))
                                        .toList())))));
  }

  static FetchRequest fetch(int from, int epoch, long offset, int lastEpoch, int maxWaitMs) {
    FetchRequest.FetchPartition p =
        new FetchRequest.FetchPartition()
            .currentLeaderEpoch(epoch)
            .fetchOffset(offset)
            .lastFetchedEpoch(lastEpoch)
            .partitionMaxBytes(1 << 20)
            .replicaDirectoryId(new Uuid(7, from));
    return new FetchRequest()
        .clusterId("cluster")
        .replicaState(new FetchRequest.ReplicaState().replicaId(from))
        .maxWaitMs(maxWaitMs)
        .maxBytes(1 << 20)
        .topics(
            List.of(
                new FetchRequest.FetchTopic()
                    .topicId(Uuid.METADATA_TOPIC_ID)
                    .partitions(List.of(p))));
  }

  static FetchResponse fetched(int leader, int epoch, long highWatermark) {
    FetchResponse.PartitionData p = new FetchResponse.PartitionData().highWatermark(highWatermark);
    p.currentLeader().leaderId(leader).leaderEpoch(epoch);
    return new FetchResponse()
        .responses(List.of(new FetchResponse.FetchableTopicResponse().partitions(List.of(p))));
  }

  static short code(ApiMessage response) {
    if (response instanceof VoteResponse r) {
      return QuorumAnswers.only(r) == null ? r.errorCode() : QuorumAnswers.only(r).errorCode();
    } else if (response instanceof BeginQuorumEpochResponse r) {
      return QuorumAnswers.only(r) == null ? r.errorCode() : QuorumAnswers.only(r).errorCode();
    } else if (response instanceof EndQuorumEpochResponse r) {
      return QuorumAnswers.only(r) == null ? r.errorCode() : QuorumAnswers.only(r).errorCode();
    }
    FetchResponse r = (FetchResponse) response;
    return QuorumAnswers.only(r) == null ? r.errorCode() : QuorumAnswers.only(r).errorCode();
  }
}
