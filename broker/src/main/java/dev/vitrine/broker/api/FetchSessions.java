package dev.vitrine.broker.api;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.seam.Shard;
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

  /** A session that was used within this time is not thrown out for a new one. */
  private static final long KEPT_MS = 120_000;

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

  Opened open(FetchRequest request, boolean usesTopicIds) {
    int id = request.sessionId();
    int epoch = request.sessionEpoch();
    if (epoch == FINAL_EPOCH || epoch == INITIAL_EPOCH) {
      if (id != NO_SESSION) {
        sessions.remove(id);
      }
      if (epoch == FINAL_EPOCH) {
        return new Opened(Errors.NONE, null, FetchSession.targetsOf(request), NO_SESSION, false);
      }
      return begin(request, usesTopicIds);
    }
    FetchSession session = sessions.remove(id);
    if (session == null) {
      return Opened.failed(Errors.FETCH_SESSION_ID_NOT_FOUND);
    }
    sessions.put(id, session); // the most recently used stand last
    if (session.usesTopicIds != usesTopicIds) {
      return Opened.failed(Errors.FETCH_SESSION_TOPIC_ID_ERROR);
    }
    if (session.expectedEpoch() != epoch) {
      return Opened.failed(Errors.INVALID_FETCH_SESSION_EPOCH);
    }
    session.update(request);
    session.used(shard.ticks());
    if (session.size() == 0) {
      sessions.remove(id);
      return new Opened(Errors.NONE, null, List.of(), NO_SESSION, false);
    }
    return new Opened(Errors.NONE, session, session.targets(), id, true);
  }

  private Opened begin(FetchRequest request, boolean usesTopicIds) {
    List<FetchTarget> targets = FetchSession.targetsOf(request);
    if (targets.isEmpty() || !makeRoom()) {
      return new Opened(Errors.NONE, null, targets, NO_SESSION, false);
    }
    int id;
    do {
      id = shard.random().nextInt(1, Integer.MAX_VALUE);
    } while (sessions.containsKey(id));
    FetchSession session = new FetchSession(id, request, usesTopicIds, shard.ticks());
    sessions.put(id, session);
    return new Opened(Errors.NONE, session, session.targets(), id, false);
  }

  private boolean makeRoom() {
    if (sessions.size() < slots) {
      return true;
    }
    if (sessions.isEmpty()) {
      return false;
    }
    FetchSession eldest = sessions.values().iterator().next();
    if (shard.ticks() - eldest.lastUsedTicks() < KEPT_MS) {
      return false;
    }
    sessions.remove(eldest.id);
    return true;
  }
}
