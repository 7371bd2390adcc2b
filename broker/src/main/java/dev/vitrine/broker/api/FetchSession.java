package dev.vitrine.broker.api;

import dev.vitrine.broker.api.FetchTarget.Key;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FetchRequest.FetchPartition;
import dev.vitrine.protocol.message.FetchRequest.FetchTopic;
import dev.vitrine.protocol.message.FetchRequest.ForgottenTopic;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/**
 * What one client fetches again and again (KIP-227): the partitions, in the order in which they get
 * their turn. Belongs to the shard of the connection that made it.
 */
final class FetchSession {
  final int id;
  final boolean privileged;
  final boolean usesTopicIds;
  private final long createdTicks;
  private final LinkedHashMap<Key, FetchTarget> targets = new LinkedHashMap<>();
  private int expectedEpoch = 1;
  private long lastUsedTicks;

  /**
   * @param privileged whether it is a follower's
   */
  FetchSession(int id, FetchRequest request, boolean privileged, boolean usesTopicIds, long ticks) {
    this.id = id;
    this.privileged = privileged;
    this.usesTopicIds = usesTopicIds;
    this.createdTicks = ticks;
    this.lastUsedTicks = ticks;
    update(request);
  }

  int expectedEpoch() {
    return expectedEpoch;
  }

  long lastUsedTicks() {
    return lastUsedTicks;
  }

  /** How old it was when it was last used, in milliseconds. */
  long usedForMs() {
    return lastUsedTicks - createdTicks;
  }

  /**
   * An incremental request: what is new, what changed, and then what is no longer wanted, be it
   * that the same request wanted it.
   */
  void update(FetchRequest request) {
    for (FetchTopic topic : request.topics()) {
      for (FetchPartition p : topic.partitions()) {
        Key key = key(topic.topic(), topic.topicId(), p.partition());
        FetchTarget known = targets.get(key);
        if (known == null) {
          targets.put(key, new FetchTarget(key, p));
        } else {
          known.ask(p);
        }
      }
    }
    for (ForgottenTopic topic : request.forgottenTopicsData()) {
      for (int partition : topic.partitions()) {
        targets.remove(key(topic.topic(), topic.topicId(), partition));
      }
    }
  }

  void used(long ticks) {
    expectedEpoch = expectedEpoch == Integer.MAX_VALUE ? 1 : expectedEpoch + 1;
    lastUsedTicks = ticks;
  }

  List<FetchTarget> targets() {
    return new ArrayList<>(targets.values());
  }

  int size() {
    return targets.size();
  }

  /** Gave data: the others come first next time. */
  void toTheEnd(FetchTarget target) {
    if (targets.remove(target.key, target)) {
      targets.put(target.key, target);
    }
  }

  static Key key(String topic, dev.vitrine.protocol.Uuid topicId, int partition) {
    return new Key(topic, topicId, partition);
  }

  /** The partitions of a request that has no session, in its order; of doubles the last. */
  static List<FetchTarget> targetsOf(FetchRequest request) {
    LinkedHashMap<Key, FetchTarget> all = new LinkedHashMap<>();
    for (FetchTopic topic : request.topics()) {
      for (FetchPartition p : topic.partitions()) {
        Key key = key(topic.topic(), topic.topicId(), p.partition());
        all.put(key, new FetchTarget(key, p));
      }
    }
    return new ArrayList<>(all.values());
  }
}
