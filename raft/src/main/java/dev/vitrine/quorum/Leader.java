package dev.vitrine.quorum;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Leads its epoch: knows how far each replica's durable log goes, and so what is committed. Its own
 * log counts like any other voter's, up to what is flushed.
 */
final class Leader extends EpochState {
  /** Observers that have not fetched for so long are forgotten. As in Kafka. */
  private static final long OBSERVER_SESSION_MS = 300_000;

  private static final long CAUGHT_UP_MS = 3_600_000;

  private final QuorumConfig config;
  private VoterSet set;

  /** Where the epoch's first record is: the leader change message. */
  final long epochStart;

  /** Who has voted for it. */
  final Set<Integer> granting;

  /** Tells the voters of the new leader; one that fetches need not be told. */
  final Outbox begins;

  final List<ParkedFetch> parked = new ArrayList<>();
  final Map<Integer, Progress> voters = new TreeMap<>();
  final Map<ReplicaKey, Progress> observers = new TreeMap<>();
  private final Set<Integer> fetchedLately = new TreeSet<>();

  /** -1 until a record of this epoch is committed: only that commits what came before it. */
  long highWatermark = -1;

  /** How far a replica has come. Offsets and ticks are -1 while unknown. */
  static final class Progress {
    ReplicaKey key;
    long endOffset = -1;
    long lastFetch = -1;
    long lastCaughtUp = -1;
    private long leaderEndAtLastFetch = -1;

    Progress(ReplicaKey key) {
      this.key = key;
    }

    private void fetched(ReplicaKey replica, long offset, long leaderEnd, long now) {
      key = replica; // a voter of the configuration tells its directory only now
      if (offset >= leaderEnd) {
        lastCaughtUp = now;
      } else if (leaderEndAtLastFetch >= 0 && offset >= leaderEndAtLastFetch) {
        lastCaughtUp = Math.max(lastCaughtUp, lastFetch);
      }
      endOffset = offset;
      lastFetch = now;
      leaderEndAtLastFetch = leaderEnd;
    }
  }

  /** A fetch that waits at the end of the log. */
  record ParkedFetch(long token, long offset, int maxBytes, long knownHighWatermark, long until) {}

  Leader(Nominee elected, QuorumConfig config, long epochStart, long now) {
    super(elected.epoch, Long.MAX_VALUE);
    this.config = config;
    this.granting = elected.granting();
    this.epochStart = epochStart;
    this.begins = new Outbox(VoterSet.NONE, config.nodeId());
    votersAre(elected.voters, now);
  }

  /**
   * Whose logs count from now on. Who was known before stays known, as voter or as observer; the
   * high watermark stays where it is, and the next is for the new ones to agree on.
   */
  void votersAre(VoterSet next, long now) {
    set = next;
    Map<Integer, Progress> before = new TreeMap<>(voters);
    voters.clear();
    for (VoterSet.Voter v : next.voters()) {
      Progress p = before.get(v.id());
      if (p != null && v.is(p.key)) {
        before.remove(v.id());
      } else {
        p = observers.remove(v.key());
      }
      voters.put(v.id(), p == null ? new Progress(v.key()) : p);
    }
    before.values().stream()
        .filter(p -> p.key.id() != config.nodeId() && p.lastFetch >= 0)
        .forEach(p -> observers.put(p.key, p));
    fetchedLately.retainAll(voters.keySet());
    begins.retarget(next, config.nodeId());
    if (neededFetches() == 0) {
      deadline = Long.MAX_VALUE;
    } else if (deadline == Long.MAX_VALUE) {
      deadline = now + checkQuorumMs(config);
    }
  }

  VoterSet voterSet() {
    return set;
  }

  /** Writes down a valid fetch: all below the offset is durable at that replica. */
  void fetched(ReplicaKey replica, long offset, long leaderEnd, long now) {
    if (replica.id() < 0 || replica.id() == config.nodeId()) {
      return;
    }
    Progress p;
    if (isVoter(replica)) {
      p = voters.get(replica.id());
      keepOffice(replica.id(), now);
    } else {
      p = observers.computeIfAbsent(replica, Progress::new);
    }
    p.fetched(replica, offset, leaderEnd, now);
  }

  private boolean isVoter(ReplicaKey replica) {
    return set.contains(replica);
  }

  /** A voter that fetches a snapshot, or tells of itself, follows this leader too. */
  void follows(ReplicaKey replica, long now) {
    if (replica.id() != config.nodeId() && isVoter(replica)) {
      keepOffice(replica.id(), now);
    }
  }

  /** KIP-996's check quorum: the leadership lasts only while a majority keeps fetching. */
  private void keepOffice(int voter, long now) {
    fetchedLately.add(voter);
    if (fetchedLately.size() >= neededFetches() && neededFetches() > 0) {
      fetchedLately.clear();
      deadline = now + checkQuorumMs(config);
    }
  }

  /** How many others make a majority: one more where this leader votes no longer. */
  private int neededFetches() {
    return set.majority() - (set.contains(config.self()) ? 1 : 0);
  }

  static long checkQuorumMs(QuorumConfig config) {
    return config.timeouts().fetchTimeoutMs() * 3L / 2;
  }

  /** Whether this voter has fetched within so many milliseconds. */
  boolean isFetching(int voter, long now, long within) {
    Progress p = voters.get(voter);
    return p.lastFetch >= 0 && now - p.lastFetch < within;
  }

  /** Whether this observer has been at the end of the log, and still fetches. As in Kafka. */
  boolean isCaughtUp(ReplicaKey observer, long now) {
    Progress p = observers.get(observer);
    return p != null && p.lastCaughtUp >= 0 && now - p.lastFetch < CAUGHT_UP_MS;
  }

  /** Moves the high watermark to what a majority of the voters has; true if it moved. */
  boolean advanceHighWatermark(long ownFlushed) {
    List<Long> ends = new ArrayList<>();
    // An id alone may be that of a voter with another directory.
    boolean votes = set.contains(config.self());
    voters.forEach((id, p) -> ends.add(votes && id == config.nodeId() ? ownFlushed : p.endOffset));
    ends.sort(Comparator.reverseOrder());
    long candidate = ends.get(set.majority() - 1);
    if (candidate > epochStart && candidate > highWatermark) {
      highWatermark = candidate;
      return true;
    }
    return false;
  }

  /** The other voters, longest log first. */
  List<ReplicaKey> successors() {
    return voters.values().stream()
        .filter(p -> p.key.id() != config.nodeId())
        .sorted(
            Comparator.comparingLong((Progress p) -> -p.endOffset).thenComparing(p -> p.key.id()))
        .map(p -> p.key)
        .toList();
  }

  void forgetOldObservers(long now) {
    observers.values().removeIf(p -> now - p.lastFetch > OBSERVER_SESSION_MS);
  }

  @Override
  int leaderId() {
    return config.nodeId();
  }

  @Override
  ReplicaKey voted() {
    return null;
  }

  /** A promise only while it can't show that a majority follows it. */
  @Override
  boolean grants(ReplicaKey candidate, boolean upToDate, boolean preVote) {
    return preVote && upToDate && highWatermark < 0;
  }
}
