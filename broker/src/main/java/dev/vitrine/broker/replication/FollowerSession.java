package dev.vitrine.broker.replication;

import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FetchRequest.FetchPartition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The follower's side of an incremental fetch session (KIP-227): remembers what the leader has been
 * told, so that a request names only what is new, changed or no longer wanted. Belongs to one
 * fetcher; makes no decisions about partitions.
 */
final class FollowerSession {
  private static final int NO_SESSION = 0;
  private static final int FIRST_EPOCH = 0;

  private Map<Uuid, Map<Integer, FetchPartition>> told = new LinkedHashMap<>();
  private int sessionId = NO_SESSION;
  private int epoch = FIRST_EPOCH;

  /** Fills in session, topics and forgotten topics of the request, given what is wanted now. */
  void fill(FetchRequest request, Map<Uuid, Map<Integer, FetchPartition>> wanted) {
    request.sessionId(sessionId).sessionEpoch(epoch);
    boolean full = epoch == FIRST_EPOCH;
    List<FetchRequest.FetchTopic> topics = new ArrayList<>();
    wanted.forEach(
        (topicId, partitions) -> {
          Map<Integer, FetchPartition> known =
              full ? Map.of() : told.getOrDefault(topicId, Map.of());
          List<FetchPartition> changed = new ArrayList<>();
          partitions.forEach(
              (index, p) -> {
                FetchPartition before = known.get(index);
                if (p != before && !p.equals(before)) {
                  changed.add(p);
                }
              });
          if (!changed.isEmpty()) {
            topics.add(new FetchRequest.FetchTopic().topicId(topicId).partitions(changed));
          }
        });
    List<FetchRequest.ForgottenTopic> forgotten = new ArrayList<>();
    if (!full) {
      told.forEach(
          (topicId, partitions) -> {
            List<Integer> gone = new ArrayList<>(partitions.keySet());
            gone.removeAll(wanted.getOrDefault(topicId, Map.of()).keySet());
            if (!gone.isEmpty()) {
              forgotten.add(new FetchRequest.ForgottenTopic().topicId(topicId).partitions(gone));
            }
          });
    }
    request.topics(topics).forgottenTopicsData(forgotten);
    if (topics.isEmpty() && forgotten.isEmpty()) {
      return; // the leader has been told all of it
    }
    Map<Uuid, Map<Integer, FetchPartition>> next = new LinkedHashMap<>();
    wanted.forEach((topicId, partitions) -> next.put(topicId, new HashMap<>(partitions)));
    told = next;
  }

  /** The leader has answered without a top-level error; 0 says that it keeps no session. */
  void answered(int answeredSessionId) {
    if (answeredSessionId == NO_SESSION) {
      reset();
    } else {
      sessionId = answeredSessionId;
      epoch = epoch == Integer.MAX_VALUE ? 1 : epoch + 1;
    }
  }

  /**
   * The next request is a full one: the session was lost, or the connection was, and with it
   * perhaps an answer.
   */
  void reset() {
    sessionId = NO_SESSION;
    epoch = FIRST_EPOCH;
    told = new LinkedHashMap<>();
  }
}
