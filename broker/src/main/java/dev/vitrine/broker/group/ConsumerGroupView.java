package dev.vitrine.broker.group;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What follows from a group's image: looked up once for an image, and kept with it by whoever asks
 * often. Belongs to the coordinator's shard.
 */
final class ConsumerGroupView {
  private final ConsumerGroupImage image;
  private SortedSet<String> topics;
  private Map<String, String> staticMembers;
  private Map<String, Integer> regexSubscribers;
  private String state;

  ConsumerGroupView(ConsumerGroupImage image) {
    this.image = image;
  }

  ConsumerGroupImage image() {
    return image;
  }

  /** Those of its members, by name or by a pattern that was resolved. */
  SortedSet<String> subscribedTopics() {
    if (topics == null) {
      TreeSet<String> all = new TreeSet<>();
      image.members().values().forEach(m -> all.addAll(m.profile().topics()));
      image.regexes().values().forEach(r -> all.addAll(r.topics()));
      topics = Collections.unmodifiableSortedSet(all);
    }
    return topics;
  }

  /** Null if there is no static member of this instance. */
  ConsumerMember staticMember(String instanceId) {
    if (staticMembers == null) {
      staticMembers = new TreeMap<>();
      for (ConsumerMember m : image.members().values()) {
        if (m.profile().isStatic()) {
          staticMembers.put(m.profile().instanceId(), m.memberId());
        }
      }
    }
    String memberId = instanceId == null ? null : staticMembers.get(instanceId);
    return memberId == null ? null : image.members().get(memberId);
  }

  /** How many members have each pattern. */
  Map<String, Integer> regexSubscribers() {
    if (regexSubscribers == null) {
      regexSubscribers = new TreeMap<>();
      for (ConsumerMember m : image.members().values()) {
        if (m.profile().hasRegex()) {
          regexSubscribers.merge(m.profile().regex(), 1, Integer::sum);
        }
      }
    }
    return regexSubscribers;
  }

  int classicMembers() {
    int n = 0;
    for (ConsumerMember m : image.members().values()) {
      n += m.isClassic() ? 1 : 0;
    }
    return n;
  }

  /** The server's assignor that most of its members want, or null if none wants one. */
  String preferredAssignor() {
    // As Kafka's table has them, so that the same one wins where two are wanted equally.
    HashMap<String, Integer> votes = new HashMap<>();
    for (ConsumerMember m : image.members().values()) {
      if (m.profile().serverAssignor() != null) {
        votes.merge(m.profile().serverAssignor(), 1, Integer::sum);
      }
    }
    String best = null;
    for (Map.Entry<String, Integer> e : votes.entrySet()) {
      if (best == null || e.getValue() > votes.get(best)) {
        best = e.getKey();
      }
    }
    return best;
  }

  /** As ListGroups tells it. */
  String state() {
    if (state == null) {
      state = computeState();
    }
    return state;
  }

  private String computeState() {
    ConsumerGroupImage.Epochs epochs = image.epochs();
    if (image.members().isEmpty()) {
      return "Empty";
    }
    if (epochs.group() > epochs.target()) {
      return "Assigning";
    }
    for (ConsumerMember m : image.members().values()) {
      if (!m.current().isReconciledTo(epochs.target())) {
        return "Reconciling";
      }
    }
    return "Stable";
  }
}
