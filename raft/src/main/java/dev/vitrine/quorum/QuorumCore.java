package dev.vitrine.quorum;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.AddRaftVoterResponse;
import dev.vitrine.protocol.message.ApiVersionsRequest;
import dev.vitrine.protocol.message.ApiVersionsResponse;
import dev.vitrine.protocol.message.BeginQuorumEpochResponse;
import dev.vitrine.protocol.message.EndQuorumEpochResponse;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FetchResponse;
import dev.vitrine.protocol.message.FetchSnapshotRequest;
import dev.vitrine.protocol.message.FetchSnapshotResponse;
import dev.vitrine.protocol.message.RemoveRaftVoterResponse;
import dev.vitrine.protocol.message.UpdateRaftVoterResponse;
import dev.vitrine.protocol.message.VoteResponse;
import dev.vitrine.seam.Endpoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The consensus of one replica: given an event and the time, says what must be done. Does nothing
 * itself; the log is only looked at ({@link LogView}), and changes between two steps, by the
 * effects and the local controller's appends. The same events give the same effects. Owned by the
 * quorum's shard. Here are the states and how one becomes another; what a replica does in them is
 * in {@link Election}, {@link LeaderWork}, {@link Replication} and {@link OwnVote}, and {@link
 * QuorumAnswers} answers the others.
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
  final QuorumAnswers answers = new QuorumAnswers(this);
  final Replication replication;
  final LeaderWork leading = new LeaderWork(this);
  final Election election = new Election(this);
  private final OwnVote ownVote = new OwnVote(this);

  EpochState state;
  long now;
  boolean shuttingDown;

  /** Led when the shutdown began: the others may need its vote to go on. */
  private boolean handingOver;

  /** Why this leader gives up at the end of the step; null if it does not. */
  private String resigning;

  private List<QuorumEffect> effects = new ArrayList<>();
  private ElectionState persisted;
  private LeaderAndEpoch announced = LeaderAndEpoch.UNKNOWN;
  long highWatermark = -1;
  private boolean failed;

  private long lastRequestId;

  /** Who was asked what. */
  private record Asked(int node, ApiMessage request) {}

  /** Looked up only; emptied when the state changes, so an answer belongs to the state it finds. */
  private final Map<Long, Asked> asked = new HashMap<>();

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
    if (!mayLead()) {
      return Long.MAX_VALUE;
    }
    return isOnlyVoter() ? now : now + STARTUP_DELAY_MS + random.nextInt(2 * STARTUP_DELAY_MS);
  }

  // --- who votes ---

  /** The latest set in the log, committed or not; else that of the configuration. */
  VoterSet voters() {
    VoterSet inLog = logView.voters().voters();
    return inLog == null ? config.voters() : inLog;
  }

  boolean isVoter() {
    return voters().contains(config.self());
  }

  /**
   * Whether it stands for election: also one that is to be removed, until it knows that this is
   * committed. Its log may be the longest there is, and then only it can lead those who stay to the
   * end of the change (Ongaro's dissertation, 4.2.2).
   */
  boolean mayLead() {
    if (isVoter()) {
      return true;
    }
    for (VoterSet set : logView.voters().votersSince(highWatermark - 1)) {
      if (set.contains(config.self())) {
        return true;
      }
    }
    return false;
  }

  boolean isOnlyVoter() {
    return voters().size() == 1 && isVoter();
  }

  // --- what may be asked at any time ---

  LeaderAndEpoch leaderAndEpoch() {
    return state.leaderAndEpoch();
  }

  /** Where the leader as told to others is; null if there is none or that is not known. */
  Endpoint leaderEndpoint() {
    int leader = leaderAndEpoch().leaderId();
    if (state instanceof Follower f) {
      return f.endpoint;
    } else if (leader == id()) {
      return config.selfAsVoter().endpoint(config.listenerName());
    }
    VoterSet.Voter known = voters().voter(leader);
    return known == null ? null : known.endpoint(config.listenerName());
  }

  boolean isLeaderOf(int epoch) {
    return state instanceof Leader && state.epoch == epoch && !failed;
  }

  long highWatermark() {
    return highWatermark;
  }

  /** As Kafka calls it. */
  String stateName() {
    if (state instanceof Leader) {
      return "leader";
    } else if (state instanceof Nominee n) {
      return n.candidate ? "candidate" : "prospective";
    } else if (state instanceof Resigned) {
      return "resigned";
    } else if (!isVoter()) {
      return "observer";
    }
    return state instanceof Follower ? "follower" : "unattached";
  }

  /** Whom it voted for in its epoch, or -1. */
  int votedId() {
    return state.voted() == null ? -1 : state.voted().id();
  }

  /** A node that is going down need wait for nothing more. */
  boolean isShutdownComplete() {
    boolean successor = state.leaderId() >= 0 && state.leaderId() != id();
    return shuttingDown && (!handingOver || successor || isOnlyVoter());
  }

  /** When the next {@link QuorumEvent.Tick} is needed at the latest, in ticks. */
  long nextDeadline() {
    if (failed) {
      return Long.MAX_VALUE;
    }
    long at = Math.min(state.deadline, ownVote.nextDeadline());
    if (state instanceof Nominee n) {
      at = Math.min(at, n.outbox.nextDue());
    } else if (state instanceof Resigned r) {
      at = Math.min(at, r.outbox.nextDue());
    } else if (state instanceof Leader l) {
      at = Math.min(at, leading.nextDeadline(l));
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
      Asked to = asked.remove(r.requestId());
      if (to != null) {
        onResponse(to.node, r.message());
      }
    } else if (event instanceof QuorumEvent.Failure f) {
      Asked to = asked.remove(f.requestId());
      if (to != null) {
        onFailure(to, f.cause());
      }
    } else if (event instanceof QuorumEvent.LogChanged) {
      replication.logChanged();
      onLogChanged();
    } else if (event instanceof QuorumEvent.AppendFailed) {
      replication.logChanged();
      replication.failed();
    } else if (event instanceof QuorumEvent.SnapshotStored s) {
      replication.snapshotStored(s.id());
      onVotersChanged();
      advanceTo(s.id().offset());
    } else if (event instanceof QuorumEvent.SnapshotFailed) {
      replication.logChanged();
      replication.failed();
    } else if (event instanceof QuorumEvent.Flushed f) {
      replication.flushed(f.offset());
      if (state instanceof Leader l) {
        leading.maybeAdvance(l);
      }
    } else if (event instanceof QuorumEvent.Resign r) {
      if (isLeaderOf(r.epoch())) {
        becomeResigned("its controller asked for it");
      }
    } else if (event instanceof QuorumEvent.Upgrade u) {
      u.answer().accept(leading.changes.upgrade(u));
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
      leading.logChanged(l);
    } else if (state instanceof Follower f) {
      replication.followHighWatermark(f);
    }
    onVotersChanged();
  }

  /** The log may say anew who votes: only a voter stands for election. */
  private void onVotersChanged() {
    if (state instanceof Nominee n && !mayLead()) {
      becomeUnattached(n, Long.MAX_VALUE, "it is not among the voters any more");
    } else if (state instanceof Unattached && mayLead() && state.deadline == Long.MAX_VALUE) {
      state.deadline = electionDeadline();
    }
  }

  private void onResponse(int node, ApiMessage message) {
    if (message instanceof VoteResponse r) {
      election.onVote(node, r);
    } else if (message instanceof FetchResponse r) {
      replication.onFetch(node, r);
    } else if (message instanceof FetchSnapshotResponse r) {
      replication.onFetchSnapshot(node, r);
    } else if (message instanceof BeginQuorumEpochResponse r) {
      leading.onBegin(node, r);
    } else if (message instanceof EndQuorumEpochResponse r) {
      leading.onEnd(node, r);
    } else if (message instanceof ApiVersionsResponse r) {
      leading.changes.onVersions(node, r);
    } else if (message instanceof UpdateRaftVoterResponse r) {
      ownVote.onUpdated(node, r);
    } else if (message instanceof AddRaftVoterResponse r) {
      ownVote.onChanged("AddRaftVoter", node, r.errorCode(), r.errorMessage());
    } else if (message instanceof RemoveRaftVoterResponse r) {
      ownVote.onChanged("RemoveRaftVoter", node, r.errorCode(), r.errorMessage());
    }
  }

  private void onFailure(Asked to, QuorumTransport.Failure cause) {
    boolean refused = cause == QuorumTransport.Failure.REFUSED;
    if (to.request instanceof ApiVersionsRequest) {
      leading.changes.onFailure(to.node);
    } else if (state instanceof Nominee n) {
      election.onFailure(to.node, n, cause);
    } else if (state instanceof Leader l) {
      l.begins.failed(to.node, now, timeouts.retryBackoffMs(), refused);
    } else if (state instanceof Resigned r) {
      r.outbox.failed(to.node, now, timeouts.retryBackoffMs(), refused);
    } else if (!(to.request instanceof FetchRequest)
        && !(to.request instanceof FetchSnapshotRequest)) {
      ownVote.again();
    } else {
      replication.failed();
      if (state instanceof Follower f && to.node == f.leaderId()) {
        f.refusals = refused ? f.refusals + 1 : 0;
        if (f.refusals >= REFUSALS_THAT_PROVE) {
          leaderGone(f, survivorDelay(), "nobody listens at its address");
        }
      }
    }
  }

  // --- what others tell ---

  /**
   * Takes in what an answer tells of epoch and leader.
   *
   * @return whether that is all there is to it
   */
  boolean handledAsNews(int node, News news) {
    if (news.epoch() < state.epoch || news.error() == Errors.UNKNOWN_LEADER_EPOCH) {
      return true;
    }
    EpochState before = state;
    if (news.epoch() > state.epoch
        || news.error() == Errors.FENCED_LEADER_EPOCH
        || news.error() == Errors.NOT_LEADER_OR_FOLLOWER) {
      learn(news.leaderId(), news.epoch(), news.leaderAt(), false);
      return true;
    }
    learn(news.leaderId(), news.epoch(), news.leaderAt(), node == news.leaderId());
    return state != before;
  }

  /**
   * Takes over what somebody says about an epoch and its leader, unless it is old news.
   *
   * @param at where the leader is, or null
   * @param first whether the leader itself says so
   */
  void learn(int leaderId, int epoch, Endpoint at, boolean first) {
    if (leaderId == config.nodeId() || epoch < state.epoch) {
      leaderId = -1;
    }
    if (epoch > state.epoch) {
      if (leaderId >= 0) {
        becomeFollower(epoch, leaderId, at);
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
      } else if (state.leaderId() < 0) {
        becomeFollower(epoch, leaderId, at);
      } else if (!(state instanceof Follower) && (first || isOnlyHeardOf(leaderId, at))) {
        becomeFollower(epoch, leaderId, at);
      }
    }
  }

  /**
   * Only what others say tells where it is, or this replica has nothing better to do. If they don't
   * say where, there is nothing new, and an election must not be put off by it.
   */
  private boolean isOnlyHeardOf(int leaderId, Endpoint at) {
    boolean known = voters().contains(leaderId);
    // Who asks for votes goes on: they answer that they follow one that has removed itself and
    // gone.
    return mayLead() ? state instanceof Unattached && !known && at != null : known || at != null;
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
    ownVote.poll();
  }

  private void pollState() {
    boolean due = now >= state.deadline;
    if (state instanceof Unattached) {
      if (due && mayLead()) {
        becomeProspective();
      } else if (due) {
        state.deadline = Long.MAX_VALUE;
      }
    } else if (state instanceof Nominee n) {
      election.poll(n);
    } else if (state instanceof Follower f) {
      if (due && mayLead() && !shuttingDown) {
        becomeProspective();
      } else if (due) {
        becomeUnattached(f, electionDeadline(), "cannot reach its leader");
      }
    } else if (state instanceof Leader l) {
      if (resigning != null) {
        becomeResigned(resigning);
      } else {
        leading.poll(l);
      }
    } else if (state instanceof Resigned r) {
      leading.pollResigned(r);
    }
  }

  long electionDeadline() {
    return mayLead() ? now + electionMs() : Long.MAX_VALUE;
  }

  private long electionMs() {
    return timeouts.electionTimeoutMs() + random.nextInt(Math.max(1, timeouts.electionTimeoutMs()));
  }

  void advanceTo(long offset) {
    if (offset > highWatermark) {
      highWatermark = offset;
      emit(new QuorumEffect.HighWatermark(offset));
    }
  }

  // --- transitions ---

  void becomeProspective() {
    become(
        Nominee.prospective(state, config.self(), voters(), electionDeadline()),
        "asks whether it would be voted for");
  }

  void becomeCandidate(Nominee n) {
    become(
        Nominee.candidate(n, config.self(), voters(), electionDeadline()), "stands for election");
  }

  void becomeLeader(Nominee n) {
    Leader l = new Leader(n, config, logView.endOffset(), now);
    leading.changes.begin(l);
    become(l, "has the votes of " + l.granting);
    replication.logWillChange();
    emit(new QuorumEffect.AppendControl(leading.startOfEpoch(l), l.epoch));
  }

  /**
   * @param at where the leader is; null if only the voters can say
   */
  void becomeFollower(int epoch, int leaderId, Endpoint at) {
    ReplicaKey voted = epoch == state.epoch ? state.voted() : null;
    VoterSet.Voter known = voters().voter(leaderId);
    Endpoint to = at != null || known == null ? at : known.endpoint(config.listenerName());
    if (to == null) {
      log.warn(
          "node {}: it is not known where the leader {} of epoch {} is", id(), leaderId, epoch);
      become(new Unattached(epoch, leaderId, voted, electionDeadline()), "cannot reach its leader");
    } else {
      become(
          new Follower(epoch, leaderId, to, voted, now + timeouts.fetchTimeoutMs()),
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

  /** The same epoch, in which it knows and is bound to whom it was. */
  void becomeUnattached(EpochState before, long deadline, String why) {
    become(new Unattached(before.epoch, before.leaderId(), before.voted(), deadline), why);
  }

  /** Led this epoch and votes no longer: looks for who leads now, and is bound to itself. */
  void becomeObserver(int epoch, ReplicaKey self) {
    become(new Unattached(epoch, -1, self, Long.MAX_VALUE), "only watches from now on");
  }

  /** Binds this replica to a candidate of its epoch, before anybody may hear of it. */
  void voteFor(ReplicaKey candidate) {
    if (state instanceof Nominee || state instanceof Unattached) {
      become(
          new Unattached(state.epoch, state.leaderId(), candidate, electionDeadline()),
          "votes for " + candidate.id());
    }
  }

  void becomeResigned(String why) {
    Leader l = (Leader) state;
    // Also one that votes no longer says for a while that it has gone.
    long until = now + electionMs();
    become(new Resigned(l.epoch, id(), l.voterSet(), l.successors(), until), why);
  }

  /** A leader gives up when what it is doing now is done. */
  void resignSoon(String why) {
    resigning = why;
  }

  private void become(EpochState next, String why) {
    EpochState before = state;
    state = next;
    asked.clear();
    resigning = null;
    replication.stateChanged();
    ownVote.stateChanged();
    log.debug("node {}: {} of epoch {}: {}", id(), name(next), next.epoch, why);
    if (!next.election().equals(persisted)) {
      persisted = next.election();
      emit(new QuorumEffect.Persist(persisted, logView.voters().kraftVersion()));
    }
    if (before instanceof Leader l) {
      answers.fetches.dismissParked(l);
      leading.changes.end();
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

  void send(VoterSet.Voter to, ApiMessage request) {
    send(to.id(), to.endpoint(config.listenerName()), request);
  }

  void send(int node, Endpoint to, ApiMessage request) {
    long id = ++lastRequestId;
    asked.put(id, new Asked(node, request));
    emit(new QuorumEffect.Send(id, node, to, request, timeouts.requestTimeoutMs()));
  }

  void fail(String why) {
    failed = true;
    emit(new QuorumEffect.Fail(why));
  }

  void logRefusal(String api, int node, short code) {
    log.warn("node {}: node {} answered {} with {}", id(), node, api, Errors.forCode(code));
  }

  Logger log() {
    return log;
  }

  int id() {
    return config.nodeId();
  }
}
