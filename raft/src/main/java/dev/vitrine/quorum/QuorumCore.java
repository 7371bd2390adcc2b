package dev.vitrine.quorum;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.BeginQuorumEpochResponse;
import dev.vitrine.protocol.message.EndQuorumEpochResponse;
import dev.vitrine.protocol.message.FetchResponse;
import dev.vitrine.protocol.message.FetchSnapshotResponse;
import dev.vitrine.protocol.message.LeaderChangeMessage;
import dev.vitrine.protocol.message.VoteResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The consensus of one replica: given an event and the time, says what must be done. Does nothing
 * itself; the log is only looked at ({@link LogView}), and changes between two steps, by the
 * effects and the local controller's appends. The same events give the same effects. Owned by the
 * quorum's shard; incoming requests are answered by {@link QuorumAnswers}.
 */
final class QuorumCore {
  private static final Logger log = LoggerFactory.getLogger(QuorumCore.class);

  /** What a replica that has just started waits for a leader to show up, at least. */
  private static final int STARTUP_DELAY_MS = 50;

  /** Survivors of a leader wait a chance part of this, so that one of them is ahead. */
  private static final int SURVIVOR_DELAY_MS = 100;

  private static final int REFUSALS_THAT_PROVE = 2;

  final QuorumConfig config;
  final LogView logView;
  final QuorumConfig.Timeouts timeouts;
  final RandomGenerator random;
  final QuorumRequests requests;
  private final QuorumAnswers answers = new QuorumAnswers(this);
  private final Replication replication;

  EpochState state;
  long now;
  boolean shuttingDown;

  /** Led when the shutdown began: the others may need its vote to go on. */
  private boolean handingOver;

  private List<QuorumEffect> effects = new ArrayList<>();
  private ElectionState persisted;
  private LeaderAndEpoch announced = LeaderAndEpoch.UNKNOWN;
  long highWatermark = -1;
  int electionLosses;
  private boolean failed;

  private long lastRequestId;

  /** Looked up only; emptied when the state changes, so an answer belongs to the state it finds. */
  private final Map<Long, Integer> nodeOfRequest = new HashMap<>();

  /** Starts from what the last incarnation left; nothing happens until the first step. */
  QuorumCore(
      QuorumConfig config,
      ElectionState stored,
      LogView logView,
      RandomGenerator random,
      long now) {
    this.config = config;
    this.timeouts = config.timeouts();
    this.logView = logView;
    this.random = random;
    this.requests = new QuorumRequests(config);
    this.persisted = stored;
    this.now = now;
    this.state = initial(stored);
    OffsetAndEpoch snapshot = logView.latestSnapshotId();
    if (snapshot != null && snapshot.offset() > 0) {
      // Only what is committed gets into a snapshot.
      this.highWatermark = snapshot.offset();
    }
    this.replication = new Replication(this);
  }

  /**
   * Unattached whatever it was, until it hears of the epoch's leader again. One that led is bound
   * as by a vote for itself: it must neither lead in that epoch again nor vote in it.
   */
  private EpochState initial(ElectionState stored) {
    long deadline = startupDeadline();
    if (logView.lastEpoch() > stored.epoch()) {
      return new Unattached(logView.lastEpoch(), -1, null, deadline);
    }
    if (stored.leaderId() == config.nodeId()) {
      return new Unattached(stored.epoch(), -1, config.self(), deadline);
    }
    return new Unattached(stored.epoch(), stored.leaderId(), stored.voted(), deadline);
  }

  private long startupDeadline() {
    if (!config.isVoter()) {
      return Long.MAX_VALUE;
    }
    return config.voters().size() == 1
        ? now
        : now + STARTUP_DELAY_MS + random.nextInt(2 * STARTUP_DELAY_MS);
  }

  // --- what may be asked at any time ---

  LeaderAndEpoch leaderAndEpoch() {
    return state.leaderAndEpoch();
  }

  boolean isLeaderOf(int epoch) {
    return state instanceof Leader && state.epoch == epoch && !failed;
  }

  long highWatermark() {
    return highWatermark;
  }

  /** A node that is going down need wait for nothing more. */
  boolean isShutdownComplete() {
    boolean successor = state.leaderId() >= 0 && state.leaderId() != id();
    return shuttingDown && (!handingOver || successor || config.voters().size() == 1);
  }

  /** When the next {@link QuorumEvent.Tick} is needed at the latest, in ticks. */
  long nextDeadline() {
    if (failed) {
      return Long.MAX_VALUE;
    }
    long at = state.deadline;
    if (state instanceof Nominee n) {
      at = Math.min(at, n.outbox.nextDue());
    } else if (state instanceof Resigned r) {
      at = Math.min(at, r.outbox.nextDue());
    } else if (state instanceof Leader l) {
      at = Math.min(at, l.begins.nextDue());
      for (Leader.ParkedFetch p : l.parked) {
        at = Math.min(at, p.until());
      }
    }
    return Math.min(at, replication.nextDeadline());
  }

  // --- events ---

  List<QuorumEffect> step(QuorumEvent event, long nowMs) {
    effects = new ArrayList<>();
    now = nowMs;
    if (!failed) {
      handle(event);
      poll();
    }
    return effects;
  }

  private void handle(QuorumEvent event) {
    if (event instanceof QuorumEvent.Request r) {
      answers.answer(r);
    } else if (event instanceof QuorumEvent.Response r) {
      Integer node = nodeOfRequest.remove(r.requestId());
      if (node != null) {
        onResponse(node, r.message());
      }
    } else if (event instanceof QuorumEvent.Failure f) {
      Integer node = nodeOfRequest.remove(f.requestId());
      if (node != null) {
        onFailure(node, f.cause());
      }
    } else if (event instanceof QuorumEvent.LogChanged) {
      replication.logChanged();
      onLogChanged();
    } else if (event instanceof QuorumEvent.AppendFailed) {
      replication.logChanged();
      replication.failed();
    } else if (event instanceof QuorumEvent.SnapshotStored s) {
      replication.snapshotStored(s.id());
      advanceTo(s.id().offset());
    } else if (event instanceof QuorumEvent.SnapshotFailed) {
      replication.logChanged();
      replication.failed();
    } else if (event instanceof QuorumEvent.Flushed f) {
      replication.flushed(f.offset());
      if (state instanceof Leader l) {
        maybeAdvance(l);
      }
    } else if (event instanceof QuorumEvent.Resign r) {
      if (isLeaderOf(r.epoch())) {
        becomeResigned("its controller asked for it");
      }
    } else if (event instanceof QuorumEvent.Shutdown) {
      shuttingDown = true;
      if (state instanceof Leader) {
        handingOver = true;
        becomeResigned("it is shutting down");
      }
    }
  }

  private void onLogChanged() {
    if (state instanceof Leader l) {
      answers.fetches.completeParked(l);
    } else if (state instanceof Follower f) {
      replication.followHighWatermark(f);
    }
  }

  private void onResponse(int node, ApiMessage message) {
    if (message instanceof VoteResponse r) {
      onVote(node, r);
    } else if (message instanceof FetchResponse r) {
      replication.onFetch(node, r);
    } else if (message instanceof FetchSnapshotResponse r) {
      replication.onFetchSnapshot(node, r);
    } else if (message instanceof BeginQuorumEpochResponse r) {
      onBegin(node, r);
    } else if (message instanceof EndQuorumEpochResponse r) {
      onEnd(node, r);
    }
  }

  private void onFailure(int node, QuorumTransport.Failure cause) {
    boolean refused = cause == QuorumTransport.Failure.REFUSED;
    if (state instanceof Nominee n) {
      if (cause == QuorumTransport.Failure.UNSUPPORTED && !n.candidate) {
        // A voter from before KIP-996 can't promise; it is asked in earnest.
        n.granted(node);
        afterVote(n);
      } else {
        n.outbox.failed(node, now, timeouts.retryBackoffMs(), refused);
      }
    } else if (state instanceof Leader l) {
      l.begins.failed(node, now, timeouts.retryBackoffMs(), refused);
    } else if (state instanceof Resigned r) {
      r.outbox.failed(node, now, timeouts.retryBackoffMs(), refused);
    } else {
      replication.failed();
      if (state instanceof Follower f && node == f.leaderId()) {
        f.refusals = refused ? f.refusals + 1 : 0;
        if (f.refusals >= REFUSALS_THAT_PROVE) {
          leaderGone(f, survivorDelay(), "nobody listens at its address");
        }
      }
    }
  }

  // --- responses ---

  /**
   * What every answer tells of epoch and leader.
   *
   * @return whether that is all there is to it
   */
  boolean handledAsNews(int node, Errors error, int leaderId, int epoch) {
    if (epoch < state.epoch || error == Errors.UNKNOWN_LEADER_EPOCH) {
      return true;
    }
    EpochState before = state;
    if (epoch > state.epoch
        || error == Errors.FENCED_LEADER_EPOCH
        || error == Errors.NOT_LEADER_OR_FOLLOWER) {
      learn(leaderId, epoch, false);
      return true;
    }
    learn(leaderId, epoch, node == leaderId);
    return state != before;
  }

  /**
   * Takes over what somebody says about an epoch and its leader, unless it is old news.
   *
   * @param first whether the leader itself says so
   */
  void learn(int leaderId, int epoch, boolean first) {
    if (leaderId == config.nodeId() || epoch < state.epoch) {
      leaderId = -1;
    }
    if (epoch > state.epoch) {
      if (leaderId >= 0) {
        becomeFollower(epoch, leaderId);
      } else {
        becomeUnattached(epoch);
      }
    } else if (leaderId >= 0 && !(state instanceof Resigned) && !(state instanceof Leader)) {
      if (state.leaderId() >= 0 && state.leaderId() != leaderId) {
        log.error(
            "told that {} leads epoch {}, which {} leads; ignoring it",
            leaderId,
            epoch,
            state.leaderId());
      } else if (state.leaderId() < 0 || (first && !(state instanceof Follower))) {
        becomeFollower(epoch, leaderId);
      }
    }
  }

  private void onVote(int node, VoteResponse r) {
    Nominee n = (Nominee) state;
    VoteResponse.PartitionData p = QuorumAnswers.only(r);
    if (p == null) {
      logRefusal("Vote", node, r.errorCode());
      n.outbox.failed(node, now, timeouts.retryBackoffMs(), false);
      return;
    }
    Errors error = Errors.forCode(p.errorCode());
    if (!handledAsNews(node, error, p.leaderId(), p.leaderEpoch())) {
      if (error != Errors.NONE) {
        logRefusal("Vote", node, p.errorCode());
        n.outbox.failed(node, now, timeouts.retryBackoffMs(), false);
      } else if (p.voteGranted()) {
        n.granted(node);
      } else {
        n.rejected(node);
      }
      afterVote(n);
    } else if (state == n) {
      n.outbox.failed(node, now, timeouts.retryBackoffMs(), false);
    }
  }

  private void afterVote(Nominee n) {
    if (n.hasMajority()) {
      if (n.candidate) {
        becomeLeader(n);
      } else {
        becomeCandidate(n);
      }
    }
  }

  private void onBegin(int node, BeginQuorumEpochResponse r) {
    Leader l = (Leader) state;
    BeginQuorumEpochResponse.PartitionData p = QuorumAnswers.only(r);
    Errors error = Errors.forCode(p == null ? r.errorCode() : p.errorCode());
    if (p != null && handledAsNews(node, error, p.leaderId(), p.leaderEpoch()) && state != l) {
      return;
    }
    if (error == Errors.NONE) {
      l.begins.again(node, now + timeouts.fetchTimeoutMs() / 2);
    } else {
      logRefusal("BeginQuorumEpoch", node, error.code());
      l.begins.failed(node, now, timeouts.retryBackoffMs(), false);
    }
  }

  private void onEnd(int node, EndQuorumEpochResponse r) {
    Resigned s = (Resigned) state;
    EndQuorumEpochResponse.PartitionData p = QuorumAnswers.only(r);
    Errors error = Errors.forCode(p == null ? r.errorCode() : p.errorCode());
    if (p != null && handledAsNews(node, error, p.leaderId(), p.leaderEpoch()) && state != s) {
      return;
    }
    if (error == Errors.NONE) {
      s.outbox.done(node);
    } else {
      s.outbox.failed(node, now, timeouts.retryBackoffMs(), false);
    }
  }

  long survivorDelay() {
    return random.nextInt(SURVIVOR_DELAY_MS);
  }

  void leaderGone(Follower f, long delay, String why) {
    if (!f.leaderGone) {
      log.info("node {}: leader {} of epoch {} is gone: {}", id(), f.leaderId(), f.epoch, why);
      f.leaderGone = true;
    }
    f.deadline = Math.min(f.deadline, now + delay);
  }

  // --- time ---

  private void poll() {
    EpochState before;
    do {
      before = state;
      pollState();
    } while (state != before);
    replication.poll();
  }

  private void pollState() {
    boolean due = now >= state.deadline;
    if (state instanceof Unattached) {
      if (due) {
        becomeProspective();
      }
    } else if (state instanceof Nominee n) {
      pollNominee(n);
    } else if (state instanceof Follower f) {
      if (due && config.isVoter() && !shuttingDown) {
        becomeProspective();
      } else if (due) {
        become(
            new Unattached(f.epoch, f.leaderId(), f.voted(), electionDeadline()),
            "cannot reach its leader");
      }
    } else if (state instanceof Leader l) {
      if (due) {
        becomeResigned("no majority of the voters fetches from it");
      } else {
        sendBegins(l);
        answers.fetches.expireParked(l);
      }
    } else if (state instanceof Resigned r) {
      if (due) {
        becomeUnattached(r.epoch + 1);
      } else {
        for (int node : r.outbox.due(now)) {
          r.outbox.sent(node);
          send(node, requests.end(r.epoch, r.successors));
        }
      }
    }
  }

  private void pollNominee(Nominee n) {
    if (n.hasMajority()) {
      afterVote(n);
    } else if (n.candidate) {
      if (!n.lost && (n.isRejected() || n.isHopeless())) {
        n.lost = true;
        n.deadline = Math.min(n.deadline, now + lossBackoff());
      }
      if (now >= n.deadline) {
        becomeProspective();
        return;
      }
    } else if (n.isRejected() || now >= n.deadline) {
      afterLostPreVote(n);
      return;
    }
    for (int node : n.outbox.due(now)) {
      n.outbox.sent(node);
      send(node, requests.vote(node, n.epoch, logView.end(), !n.candidate));
    }
  }

  private void afterLostPreVote(Nominee n) {
    if (n.leaderId() >= 0 && config.voters().contains(n.leaderId())) {
      becomeFollower(n.epoch, n.leaderId());
    } else {
      become(
          new Unattached(n.epoch, n.leaderId(), n.voted(), now + lossBackoff()),
          "no majority would vote for it");
    }
  }

  private void sendBegins(Leader l) {
    int pause = timeouts.fetchTimeoutMs() / 2;
    for (int node : l.begins.due(now)) {
      if (l.isFetching(node, now, pause)) {
        l.begins.again(node, now + pause);
      } else {
        l.begins.sent(node);
        send(node, requests.begin(node, l.epoch));
      }
    }
  }

  private long electionDeadline() {
    return config.isVoter()
        ? now
            + timeouts.electionTimeoutMs()
            + random.nextInt(Math.max(1, timeouts.electionTimeoutMs()))
        : Long.MAX_VALUE;
  }

  /** Longer with each election that is lost in a row. Those who collided must part. */
  private long lossBackoff() {
    int max = Math.max(2, timeouts.electionBackoffMaxMs());
    int range = Math.min(max, 100 << Math.min(electionLosses++, 10));
    return range / 4 + random.nextInt(range);
  }

  // --- what is committed ---

  void maybeAdvance(Leader l) {
    if (l.advanceHighWatermark(replication.flushed())) {
      advanceTo(l.highWatermark);
      answers.fetches.completeParked(l);
    }
  }

  void advanceTo(long offset) {
    if (offset > highWatermark) {
      highWatermark = offset;
      emit(new QuorumEffect.HighWatermark(offset));
    }
  }

  // --- transitions ---

  private void becomeProspective() {
    become(
        Nominee.prospective(state, config, electionDeadline()),
        "asks whether it would be voted for");
  }

  private void becomeCandidate(Nominee n) {
    become(Nominee.candidate(n, config, electionDeadline()), "stands for election");
  }

  private void becomeLeader(Nominee n) {
    Set<Integer> granting = n.granting();
    long deadline =
        config.voters().size() == 1 ? Long.MAX_VALUE : now + Leader.checkQuorumMs(config);
    Leader l = new Leader(n.epoch, config, granting, logView.endOffset(), deadline);
    electionLosses = 0;
    become(l, "has the votes of " + granting);
    replication.logWillChange();
    emit(new QuorumEffect.AppendLeaderChange(leaderChange(l), l.epoch));
  }

  private LeaderChangeMessage leaderChange(Leader l) {
    LeaderChangeMessage m = new LeaderChangeMessage().version((short) 0).leaderId(id());
    for (VoterSet.Voter v : config.voters().voters()) {
      m.voters().add(new LeaderChangeMessage.Voter().voterId(v.id()));
    }
    for (int v : l.granting) {
      m.grantingVoters().add(new LeaderChangeMessage.Voter().voterId(v));
    }
    return m;
  }

  private void becomeFollower(int epoch, int leaderId) {
    ReplicaKey voted = epoch == state.epoch ? state.voted() : null;
    if (!config.voters().contains(leaderId)) {
      log.warn("node {}: the leader {} of epoch {} is not a voter", id(), leaderId, epoch);
      become(new Unattached(epoch, leaderId, voted, electionDeadline()), "cannot reach its leader");
    } else {
      become(
          new Follower(epoch, leaderId, voted, now + timeouts.fetchTimeoutMs()),
          "follows " + leaderId);
    }
  }

  /** A higher epoch, whose leader is not known. */
  void becomeUnattached(int epoch) {
    // Who waits for an election goes on waiting: a stream of new epochs must not put it off.
    boolean waiting = state instanceof Unattached || state instanceof Nominee;
    long deadline = waiting ? state.deadline : electionDeadline();
    become(new Unattached(epoch, -1, null, deadline), "there is a new epoch");
  }

  /** Binds this replica to a candidate of its epoch, before anybody may hear of it. */
  void voteFor(ReplicaKey candidate) {
    if (state instanceof Nominee || state instanceof Unattached) {
      become(
          new Unattached(state.epoch, state.leaderId(), candidate, electionDeadline()),
          "votes for " + candidate.id());
    }
  }

  private void becomeResigned(String why) {
    Leader l = (Leader) state;
    become(new Resigned(l.epoch, config, l.successors(), electionDeadline()), why);
  }

  private void become(EpochState next, String why) {
    EpochState before = state;
    state = next;
    nodeOfRequest.clear();
    replication.stateChanged();
    log.debug("node {}: {} of epoch {}: {}", id(), name(next), next.epoch, why);
    if (!next.election().equals(persisted)) {
      persisted = next.election();
      emit(new QuorumEffect.Persist(persisted));
    }
    if (before instanceof Leader l) {
      answers.fetches.dismissParked(l);
    }
    if (!next.leaderAndEpoch().equals(announced)) {
      announced = next.leaderAndEpoch();
      log.info(
          "node {}: epoch {}, leader {}; {}",
          id(),
          announced.epoch(),
          announced.leaderId() < 0 ? "unknown" : announced.leaderId(),
          why);
      long start = next instanceof Leader l ? l.epochStart : 0;
      emit(new QuorumEffect.LeaderChange(announced, start));
    }
  }

  private static String name(EpochState s) {
    if (s instanceof Nominee n) {
      return n.candidate ? "Candidate" : "Prospective";
    }
    return s.getClass().getSimpleName();
  }

  // --- effects ---

  void emit(QuorumEffect effect) {
    effects.add(effect);
  }

  void send(int node, ApiMessage request) {
    long id = ++lastRequestId;
    nodeOfRequest.put(id, node);
    emit(new QuorumEffect.Send(id, node, request, timeouts.requestTimeoutMs()));
  }

  void fail(String why) {
    failed = true;
    emit(new QuorumEffect.Fail(why));
  }

  void logRefusal(String api, int node, short code) {
    log.warn("node {}: node {} answered {} with {}", id(), node, api, Errors.forCode(code));
  }

  int id() {
    return config.nodeId();
  }
}
