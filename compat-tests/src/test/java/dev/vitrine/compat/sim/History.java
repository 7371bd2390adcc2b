package dev.vitrine.compat.sim;

import dev.vitrine.broker.partition.InsidePartition;
import dev.vitrine.broker.partition.Partition;
import dev.vitrine.metadata.BrokerRegistration;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.metadata.TopicImage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What has become true for ever, partition by partition: which record has which offset below the
 * high watermark, and who leads in which epoch. All that replicas and clients show is held against
 * it; the first contradiction ends the run.
 */
final class History {
  private static final class Track {
    String name = "?";

    /** By offset. */
    final List<String> committed = new ArrayList<>();

    /** By offset: the epoch in which the high watermark was first seen to pass it. */
    final List<Integer> epochs = new ArrayList<>();

    final TreeMap<Integer, Integer> leaders = new TreeMap<>();

    /** As of the newest metadata that anybody has. */
    PartitionImage image;

    /** By producer: the number that comes next. */
    final Map<String, Integer> next = new HashMap<>();

    /** The latest log start that anybody had. */
    long start;
  }

  private final Map<PartitionId, Track> tracks = new LinkedHashMap<>();
  private final ClusterSim sim;
  private MetadataImage newest = MetadataImage.EMPTY;
  private long records;
  private int leaderships;

  History(ClusterSim sim) {
    this.sim = sim;
  }

  private Track track(PartitionId id) {
    return tracks.computeIfAbsent(id, n -> new Track());
  }

  /** The newest metadata that any node had. */
  MetadataImage image() {
    return newest;
  }

  // --- replicas

  /** Looks at the replicas of a node; after each step of it. */
  void look(SimNode n) {
    List<Partition> here = n.partitions();
    if (here.size() < n.seen.size()) {
      Set<Partition> still = new HashSet<>(here);
      n.seen.values().removeIf(s -> !still.contains(s.partition));
    }
    for (Partition p : here) {
      PartitionId id = PartitionId.of(p);
      SimNode.Seen seen = n.seen.get(id);
      if (seen == null || seen.partition != p) {
        seen = new SimNode.Seen(p);
        seen.logEnd = p.logEndOffset();
        n.seen.put(id, seen);
      }
      look(n, p, id, seen);
    }
  }

  private void look(SimNode n, Partition p, PartitionId id, SimNode.Seen seen) {
    List<Integer> inSync = InsidePartition.inSync(p);
    int min = inSync == null ? 0 : InsidePartition.minInSync(p);
    boolean leadsAsBefore = inSync != null && p.leaderEpoch() == seen.leaderEpoch;
    if (p.leaderEpoch() != seen.leaderEpoch) {
      if (p.leaderEpoch() < seen.leaderEpoch) {
        throw broken(n, p.name() + " went back in its epoch");
      }
      seen.leaderEpoch = p.leaderEpoch();
      if (inSync != null) {
        leads(n, p, track(id));
      }
    }
    if (p.logEndOffset() != seen.logEnd) {
      if (p.logEndOffset() < seen.logEnd) {
        truncated(n, p, track(id));
      } else if (leadsAsBefore
          && Math.max(seen.inSync, inSync.size()) < Math.min(seen.minInSync, min)) {
        appendedBelowMinInSync(n, p, seen.logEnd, inSync);
      }
      seen.logEnd = p.logEndOffset();
    }
    long hw = p.highWatermark();
    if (hw != seen.highWatermark) {
      if (hw < seen.highWatermark) {
        throw broken(
            n, p.name() + ": high watermark back from " + seen.highWatermark + " to " + hw);
      }
      Track t = track(id);
      committed(n, p, t, seen.highWatermark, hw);
      if (leadsAsBefore) {
        inSyncHave(n, p, id, inSync, hw);
      }
      seen.highWatermark = hw;
    }
    if (inSync != null) {
      proposes(n, p, seen, inSync);
      seen.inSync = inSync.size();
    }
    seen.minInSync = min;
  }

  private void leads(SimNode n, Partition p, Track t) {
    t.name = p.name().toString();
    Integer other = t.leaders.putIfAbsent(p.leaderEpoch(), n.id);
    if (other != null && other != n.id) {
      throw broken(
          n, p.name() + " is led in epoch " + p.leaderEpoch() + " by " + other + " as well");
    }
    int size = 0;
    while (size < t.epochs.size() && t.epochs.get(size) < p.leaderEpoch()) {
      size++;
    }
    int start = (int) Math.min(size, p.logStartOffset());
    if (!LogBytes.read(p, start, size).equals(t.committed.subList(start, size))) {
      throw broken(
          n,
          p.name()
              + " is led in epoch "
              + p.leaderEpoch()
              + " by who has not all of the "
              + size
              + " committed records, but up to "
              + p.logEndOffset());
    }
    leaderships++;
    sim.trace("leads " + n.id + p.name() + p.leaderEpoch());
  }

  private void truncated(SimNode n, Partition p, Track t) {
    if (counts(n, t) && p.logEndOffset() < t.committed.size()) {
      throw broken(
          n,
          p.name()
              + " is in sync in "
              + t.image
              + " and cut to "
              + p.logEndOffset()
              + " of "
              + t.committed.size());
    }
  }

  /** Whether the cluster counts this very incarnation among those that have all. */
  private boolean counts(SimNode n, Track t) {
    return t.image != null && t.image.isr().contains(n.id) && n.isActive(newest);
  }

  /** Without enough in-sync replicas a leader takes nothing that asks for them. */
  private void appendedBelowMinInSync(SimNode n, Partition p, long from, List<Integer> inSync) {
    for (String value : LogBytes.read(p, from, p.logEndOffset())) {
      if (!value.startsWith(Values.LEADER_ONLY)) {
        throw broken(n, p.name() + " takes " + value + " with only " + inSync + " in sync");
      }
    }
  }

  /** No high watermark above the log of one that may be in the in-sync set. */
  private void inSyncHave(
      SimNode leader, Partition p, PartitionId id, List<Integer> inSync, long highWatermark) {
    List<Integer> proposed = InsidePartition.proposed(p);
    for (SimNode n : sim.nodes) {
      Partition replica = n.partition(id);
      if (replica == null || n == leader || replica.leaderEpoch() != p.leaderEpoch()) {
        continue;
      }
      // A leader that has heard of no new incarnation yet counts the one before.
      boolean counts =
          n.isActive(newest)
              && n.isActive(leader.metadata())
              && (inSync.contains(n.id) || proposed != null && proposed.contains(n.id));
      if (counts && replica.logEndOffset() < highWatermark) {
        throw broken(
            leader,
            p.name()
                + ": high watermark "
                + highWatermark
                + " although in-sync replica "
                + n.id
                + " has only "
                + replica.logEndOffset());
      }
    }
  }

  /** KIP-841: who is fenced or about to leave is not asked for. */
  private void proposes(SimNode n, Partition p, SimNode.Seen seen, List<Integer> inSync) {
    List<Integer> proposed = InsidePartition.proposed(p);
    if (proposed != null && !proposed.equals(seen.proposed)) {
      for (int id : proposed) {
        BrokerRegistration b = n.metadata().broker(id);
        if (!inSync.contains(id) && (b == null || !b.isActive())) {
          throw broken(n, p.name() + " is to have " + id + " in sync, which is " + b);
        }
      }
    }
    seen.proposed = proposed;
  }

  private void committed(SimNode n, Partition p, Track t, long before, long to) {
    t.start = Math.max(t.start, p.logStartOffset());
    // What was deleted had been committed, and known to be, on its leader.
    long from = Math.max(before, p.logStartOffset());
    if (from > t.committed.size()) {
      throw broken(n, p.name() + " starts beyond what is known");
    }
    if (to > p.logEndOffset()) {
      throw broken(n, p.name() + ": high watermark above the log");
    }
    List<String> there = LogBytes.read(p, from, to);
    if (there.size() != to - from) {
      throw broken(n, p.name() + ": gaps between " + from + " and " + to);
    }
    int known = t.committed.size();
    for (int i = 0; i < there.size(); i++) {
      int offset = (int) from + i;
      String value = there.get(i);
      if (offset < known) {
        if (!t.committed.get(offset).equals(value)) {
          throw broken(
              n, p.name() + " at " + offset + ": " + value + ", not " + t.committed.get(offset));
        }
      } else {
        inOrder(n, p, t, offset, value);
        t.committed.add(value);
        t.epochs.add(p.leaderEpoch());
        records++;
        sim.trace(value);
      }
    }
    if (t.committed.size() > known && t.image != null) {
      checkInSync(PartitionId.of(p), t);
    }
  }

  /** Nothing twice, nothing left out, nothing before its time. */
  private void inOrder(SimNode n, Partition p, Track t, int offset, String value) {
    if (!value.startsWith(Values.IDEMPOTENT)) {
      return;
    }
    int slash = value.lastIndexOf('/');
    String producer = value.substring(0, slash);
    int number = Integer.parseInt(value.substring(slash + 1));
    int expected = t.next.getOrDefault(producer, 0);
    if (number < expected && t.committed.lastIndexOf(value) < t.start) {
      // What is deleted is also forgotten: a repetition of it is new, as in Kafka.
      return;
    }
    if (number != expected) {
      throw broken(n, p.name() + " at " + offset + ": " + value + " instead of " + expected);
    }
    t.next.put(producer, expected + 1);
  }

  // --- metadata

  /** Metadata that nobody had before. */
  void published(MetadataImage image) {
    newest = image;
    tracks.forEach(
        (id, t) -> {
          if (t.image != null && image.partition(id.topic(), id.index()) == null) {
            t.image = null;
          }
        });
    for (TopicImage topic : image.topics().all()) {
      topic
          .partitions()
          .forEach(
              (i, p) -> {
                PartitionId id = new PartitionId(topic.id(), i);
                Track t = track(id);
                if (t.image == null || p.partitionEpoch() > t.image.partitionEpoch()) {
                  t.name = topic.name() + "-" + i;
                  checkState(t, p);
                  t.image = p;
                  checkInSync(id, t);
                }
              });
    }
  }

  /** Only who is in sync leads, and who is fenced is in sync only as the last one. */
  private void checkState(Track t, PartitionImage p) {
    if (p.hasLeader()) {
      BrokerRegistration b = newest.broker(p.leader());
      if (!p.isr().contains(p.leader()) || b == null || b.fenced()) {
        throw broken(null, t.name + " has a leader that may not be one: " + p + ", " + b);
      }
    }
    if (t.image != null && p.isr().size() > 1) {
      for (int id : p.isr()) {
        BrokerRegistration b = newest.broker(id);
        if (b == null || b.fenced()) {
          throw broken(null, t.name + " has a fenced replica in sync: " + p);
        }
      }
    }
  }

  /**
   * Each replica that is counted as in sync has all that is committed: it may be elected at once.
   */
  private void checkInSync(PartitionId id, Track t) {
    for (SimNode n : sim.nodes) {
      Partition p = n.partition(id);
      if (p != null && counts(n, t) && p.logEndOffset() < t.committed.size()) {
        throw broken(
            n,
            t.name
                + " is in sync in "
                + t.image
                + " with "
                + p.logEndOffset()
                + " of "
                + t.committed.size());
      }
    }
  }

  private static AssertionError broken(SimNode n, String what) {
    return new AssertionError((n == null ? "" : "node " + n.id + ": ") + what);
  }

  // --- clients

  /** The leader of the highest epoch that anybody has heard of, or -1. */
  int leader(PartitionId id) {
    Track t = track(id);
    return t.leaders.isEmpty() ? -1 : t.leaders.lastEntry().getValue();
  }

  void acknowledged(PartitionId id, long baseOffset, List<String> values) {
    for (int i = 0; i < values.size(); i++) {
      is(id, baseOffset + i, values.get(i), "is acknowledged");
    }
  }

  /** Whether they were committed, and a log begins behind them by now. */
  boolean isDeleted(PartitionId id, List<String> values) {
    Track t = track(id);
    for (String value : values) {
      int at = t.committed.lastIndexOf(value);
      if (at < 0 || at >= t.start) {
        return false;
      }
    }
    return true;
  }

  void read(String reader, PartitionId id, long offset, String value) {
    is(id, offset, value, "is read by " + reader);
  }

  private void is(PartitionId id, long offset, String value, String what) {
    Track t = track(id);
    if (offset < t.committed.size() && t.committed.get((int) offset).equals(value)) {
      return;
    }
    throw new AssertionError(
        value
            + " "
            + what
            + " in "
            + t.name
            + " at "
            + offset
            + " where "
            + (offset < t.committed.size()
                ? t.committed.get((int) offset) + " is"
                : "nothing is committed yet"));
  }

  int size(PartitionId id) {
    return track(id).committed.size();
  }

  long records() {
    return records;
  }

  int leaderships() {
    return leaderships;
  }
}
