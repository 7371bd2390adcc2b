package dev.vitrine.quorum;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.BeginQuorumEpochResponse;
import dev.vitrine.protocol.message.EndQuorumEpochResponse;
import dev.vitrine.protocol.message.FetchResponse;
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
  private final QuorumConfig.Timeouts timeouts;
  private final RandomGenerator random;
  private final QuorumRequests requests;
  private final QuorumAnswers answers = new QuorumAnswers(this);

  EpochState state;
  long now;
  boolean shuttingDown;

  /** Led when the shutdown began: the others may need its vote to go on. */
  private boolean handingOver;

  private List<QuorumEffect> effects = new ArrayList<>();
  private ElectionState persisted;
  private LeaderAndEpoch announced = LeaderAndEpoch.UNKNOWN;
  private long highWatermark = -1;
  private int electionLosses;
  private boolean failed;

  // What is durable of the log.
  private long flushed;
  private boolean flushing;

  // The one fetch that may be under way.
  private boolean fetching;
  private int fetchFailures;
  private long nextFetchAt;

  /** An effect that changes the log has been given out and not been reported yet. */
  private boolean logChanging;

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
    this.nextFetchAt = now;
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
    if (wantsToFetch() && !fetching && !logChanging && !flushing) {
      at = Math.min(at, nextFetchAt);
    }
    return at;
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
      logChanging = false;
      onLogChanged();
    } else if (event instanceof QuorumEvent.AppendFailed) {
      logChanging = false;
      fetchFailed();
    } else if (event instanceof QuorumEvent.Flushed f) {
      onFlushed(f);
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
      answers.completeParked(l);
    } else if (state instanceof Follower f) {
      followHighWatermark(f);
    }
  }

  private void onFlushed(QuorumEvent.Flushed f) {
    flushing = false;
    if (f.offset() > flushed) {
      flushed = f.offset();
      if (state instanceof Leader l) {
        maybeAdvance(l);
      }
    }
  }

  private void onResponse(int node, ApiMessage message) {
    if (message instanceof VoteResponse r) {
      onVote(node, r);
    } else if (message instanceof FetchResponse r) {
      onFetch(node, r);
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
      fetchFailed();
      if (state instanceof Follower f && node == f.leaderId()) {
        f.refusals = refused ? f.refusals + 1 : 0;
        if (f.refusals >= REFUSALS_THAT_PROVE) {
          leaderGone(f, random.nextInt(SURVIVOR_DELAY_MS), "nobody listens at its address");
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
  private boolean handledAsNews(int node, Errors error, int leaderId, int epoch) {
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

  private void onFetch(int node, FetchResponse r) {
    fetching = false;
    FetchResponse.PartitionData p = QuorumAnswers.only(r);
    if (p == null) {
      logRefusal("Fetch", node, r.errorCode());
      fetchFailed();
      return;
    }
    EpochState before = state;
    Errors error = Errors.forCode(p.errorCode());
    int leaderId = p.currentLeader().leaderId();
    int epoch = p.currentLeader().leaderEpoch();
    if (handledAsNews(node, error, leaderId, epoch)) {
      if (state == before) {
        fetchFailed();
        if (state instanceof Follower f
            && node == f.leaderId()
            && epoch == f.epoch
            && leaderId != node
            && error == Errors.NOT_LEADER_OR_FOLLOWER) {
          leaderGone(f, random.nextInt(SURVIVOR_DELAY_MS), "it says that it leads no more");
        }
      }
    } else if (error != Errors.NONE || !(state instanceof Follower)) {
      if (error != Errors.NONE) {
        logRefusal("Fetch", node, p.errorCode());
      }
      fetchFailed();
    } else {
      onFetched((Follower) state, p);
    }
  }

  private void onFetched(Follower f, FetchResponse.PartitionData p) {
    f.deadline = now + timeouts.fetchTimeoutMs();
    f.hasFetched = true;
    f.leaderGone = false;
    f.refusals = 0;
    fetchFailures = 0;
    electionLosses = 0;
    nextFetchAt = now;
    if (p.divergingEpoch().epoch() >= 0 && p.divergingEpoch().endOffset() >= 0) {
      truncate(p.divergingEpoch().epoch(), p.divergingEpoch().endOffset());
    } else if (p.snapshotId().epoch() >= 0 || p.snapshotId().endOffset() >= 0) {
      log.error(
          "the leader {} no longer has the log from {} on and offers the snapshot {}-{}, which"
              + " cannot be fetched yet",
          f.leaderId(),
          logView.endOffset(),
          p.snapshotId().endOffset(),
          p.snapshotId().epoch());
      fetchFailed();
    } else {
      f.leaderHighWatermark = Math.max(f.leaderHighWatermark, p.highWatermark());
      if (p.records() != null && p.records().sizeInBytes() > 0) {
        logChanging = true;
        emit(new QuorumEffect.AppendAsFollower(p.records(), f.leaderId(), f.epoch));
      } else {
        followHighWatermark(f);
      }
    }
  }

  /** Back to the last place that may be the same as at the leader (KIP-101, KIP-595). */
  private void truncate(int epoch, long endOffset) {
    OffsetAndEpoch ours = logView.endOffsetForEpoch(epoch);
    long to = ours.epoch() == epoch ? Math.min(ours.offset(), endOffset) : ours.offset();
    if (to < highWatermark) {
      fail("the leader wants the log cut to " + to + ", below the committed " + highWatermark);
    } else if (to >= logView.endOffset()) {
      log.error("the leader says that epoch {} ends at {}, and so it does", epoch, endOffset);
      fetchFailed();
    } else {
      flushed = Math.min(flushed, to);
      logChanging = true;
      emit(new QuorumEffect.TruncateTo(to));
    }
  }

  private void followHighWatermark(Follower f) {
    advanceTo(Math.min(f.leaderHighWatermark, logView.endOffset()));
  }

  private void fetchFailed() {
    fetching = false;
    nextFetchAt = now + Outbox.backoff(timeouts.retryBackoffMs(), fetchFailures++);
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
    maybeFlush();
    maybeFetch();
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
        answers.expireParked(l);
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

  // --- the log ---

  private void maybeFlush() {
    if (!flushing && !logChanging && config.isVoter() && logView.endOffset() > flushed) {
      flushing = true;
      emit(new QuorumEffect.Flush());
    }
  }

  private boolean wantsToFetch() {
    return (state instanceof Follower || state instanceof Unattached)
        && !shuttingDown
        && config.voters().size() > (config.isVoter() ? 1 : 0);
  }

  private void maybeFetch() {
    boolean durable = !config.isVoter() || logView.endOffset() <= flushed;
    if (!wantsToFetch() || fetching || logChanging || !durable || now < nextFetchAt) {
      return;
    }
    fetching = true;
    int node = state instanceof Follower f ? f.leaderId() : anyVoter();
    send(node, requests.fetch(state.epoch, logView.end(), logView.startOffset(), highWatermark));
  }

  private int anyVoter() {
    List<VoterSet.Voter> others =
        config.voters().voters().stream().filter(v -> v.id() != id()).toList();
    return others.get(random.nextInt(others.size())).id();
  }

  void maybeAdvance(Leader l) {
    if (l.advanceHighWatermark(flushed)) {
      advanceTo(l.highWatermark);
      answers.completeParked(l);
    }
  }

  private void advanceTo(long offset) {
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
    logChanging = true;
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
    fetching = false;
    fetchFailures = 0;
    nextFetchAt = now;
    log.debug("node {}: {} of epoch {}: {}", id(), name(next), next.epoch, why);
    if (!next.election().equals(persisted)) {
      persisted = next.election();
      emit(new QuorumEffect.Persist(persisted));
    }
    if (before instanceof Leader l) {
      answers.dismissParked(l);
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

  private void send(int node, ApiMessage request) {
    long id = ++lastRequestId;
    nodeOfRequest.put(id, node);
    emit(new QuorumEffect.Send(id, node, request, timeouts.requestTimeoutMs()));
  }

  private void fail(String why) {
    failed = true;
    emit(new QuorumEffect.Fail(why));
  }

  private void logRefusal(String api, int node, short code) {
    log.warn("node {}: node {} answered {} with {}", id(), node, api, Errors.forCode(code));
  }

  int id() {
    return config.nodeId();
  }
}
