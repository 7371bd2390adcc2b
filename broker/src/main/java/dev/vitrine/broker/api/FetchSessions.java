package dev.vitrine.broker.api;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.seam.Shard;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The fetch sessions of one shard's connections. Belongs to the shard: a client that comes back on
 * a connection of another shard is told that its session is unknown, and begins a new one.
 */
final class FetchSessions {
  private static final int NO_SESSION = 0;
  private static final int FINAL_EPOCH = -1;
  private static final int INITIAL_EPOCH = 0;

  /** Kafka's two minutes: so long a session is new, and so long after its last use it is of use. */
  private static final long KEPT_MS = 120_000;

  private static final Comparator<FetchSession> WORTH =
      Comparator.<FetchSession, Boolean>comparing(s -> s.privileged)
          .thenComparingInt(FetchSession::size);
  private static final Comparator<FetchSession> LEAST_FIRST = WORTH.thenComparingInt(s -> s.id);

  /**
   * What a request is about.
   *
   * @param session null for a fetch without one
   * @param sessionId to be answered
   * @param incremental whether partitions without news are left out of the answer
   */
  record Opened(
      Errors error,
      FetchSession session,
      List<FetchTarget> targets,
      int sessionId,
      boolean incremental) {
    static Opened failed(Errors error) {
      return new Opened(error, null, List.of(), NO_SESSION, false);
    }
  }

  private final Shard shard;
  private final int slots;
  private final Map<Integer, FetchSession> sessions = new LinkedHashMap<>();

  /**
   * @param slots {@code max.incremental.fetch.session.cache.slots}, this shard's share
   */
  FetchSessions(Shard shard, int slots) {
    this.shard = shard;
    this.slots = slots;
  }

  /**
   * @param privileged whether a follower asks
   */
  Opened open(FetchRequest request, boolean privileged, boolean usesTopicIds) {
    int id = request.sessionId();
    int epoch = request.sessionEpoch();
    if (epoch == FINAL_EPOCH || epoch == INITIAL_EPOCH) {
      if (id != NO_SESSION) {
        sessions.remove(id);
      }
      return epoch == FINAL_EPOCH
          ? withoutSession(request)
          : begin(request, privileged, usesTopicIds);
    }
    FetchSession session = sessions.get(id);
    if (session == null) {
      return Opened.failed(Errors.FETCH_SESSION_ID_NOT_FOUND);
    }
    if (session.expectedEpoch() != epoch) {
      return Opened.failed(Errors.INVALID_FETCH_SESSION_EPOCH);
    }
    if (session.usesTopicIds != usesTopicIds) {
      return Opened.failed(Errors.FETCH_SESSION_TOPIC_ID_ERROR);
    }
    session.update(request);
    sessions.remove(id);
    if (session.size() == 0) {
      return withoutSession(request);
    }
    sessions.put(id, session); // the most recently used stand last
    session.used(shard.ticks());
    return new Opened(Errors.NONE, session, session.targets(), id, true);
  }

  private static Opened withoutSession(FetchRequest request) {
    return new Opened(Errors.NONE, null, FetchSession.targetsOf(request), NO_SESSION, false);
  }

  private Opened begin(FetchRequest request, boolean privileged, boolean usesTopicIds) {
    FetchSession session =
        new FetchSession(newId(), request, privileged, usesTopicIds, shard.ticks());
    if (!makeRoom(session)) {
      return withoutSession(request);
    }
    sessions.put(session.id, session);
    return new Opened(Errors.NONE, session, session.targets(), session.id, false);
  }

  /**
   * For an answer that says nothing: a session that this fetch has begun is taken back, one that
   * was there stays.
   *
   * @return the session to be named
   */
  int keep(Opened opened) {
    if (!opened.incremental() && opened.session() != null) {
      sessions.remove(opened.sessionId());
      return NO_SESSION;
    }
    return opened.sessionId();
  }

  private int newId() {
    int id;
    do {
      id = shard.random().nextInt(1, Integer.MAX_VALUE);
    } while (sessions.containsKey(id));
    return id;
  }

  /**
   * As Kafka decides: one that was not used for long goes first. Otherwise the new one takes the
   * place of the least of those that it may: a consumer's before a follower's, then the one with
   * fewer partitions, if it is more itself. A consumer's may only take the place of one that has
   * been there for long, a follower's also that of any consumer's.
   */
  private boolean makeRoom(FetchSession fresh) {
    if (sessions.size() < slots) {
      return true;
    }
    if (sessions.isEmpty()) {
      return false;
    }
    FetchSession eldest = sessions.values().iterator().next();
    if (shard.ticks() - eldest.lastUsedTicks() > KEPT_MS) {
      sessions.remove(eldest.id);
      return true;
    }
    FetchSession least = null;
    for (FetchSession s : sessions.values()) {
      boolean evictable = s.usedForMs() > KEPT_MS || fresh.privileged && !s.privileged;
      if (evictable && (least == null || LEAST_FIRST.compare(s, least) < 0)) {
        least = s;
      }
    }
    if (least == null || WORTH.compare(fresh, least) <= 0) {
      return false;
    }
    sessions.remove(least.id);
    return true;
  }
}
