package dev.vitrine.broker.partition;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.function.IntPredicate;

/**
 * What a leader knows beyond its log: its followers' progress, the in-sync set, and from both the
 * high watermark. Pure decisions, no input or output; belongs to the shard of the partition and
 * ends with the leadership.
 *
 * <p>The high watermark is the smallest log end among all that may be in sync and those that have
 * lately been caught up and may be let in. It never goes back, and it stands still while fewer than
 * {@code min.insync.replicas} are in sync: what was not acknowledged then must not become readable
 * either (KIP-966).
 */
final class LeaderRole {
  final int leaderEpoch;
  final long startOffset;
  private final int localId;
  private final long maxLagMs;
  private final TreeMap<Integer, FollowerProgress> followers = new TreeMap<>();
  private IsrState isr;

  LeaderRole(int localId, long maxLagMs, int leaderEpoch, long startOffset, IsrState isr) {
    this.localId = localId;
    this.maxLagMs = maxLagMs;
    this.leaderEpoch = leaderEpoch;
    this.startOffset = startOffset;
    this.isr = isr;
  }

  /**
   * Keeps the progress of those that stay; newcomers that are in sync are presumed to be caught up.
   */
  void assign(List<Integer> replicas, long ticks) {
    followers.keySet().retainAll(replicas);
    for (int id : replicas) {
      if (id != localId && !followers.containsKey(id)) {
        followers.put(id, new FollowerProgress(id, isr.committed().contains(id), ticks));
      }
    }
  }

  IsrState isr() {
    return isr;
  }

  void isr(IsrState state) {
    isr = state;
  }

  /** Null for a broker that holds no replica. */
  FollowerProgress follower(int brokerId) {
    return followers.get(brokerId);
  }

  Collection<FollowerProgress> followers() {
    return followers.values();
  }

  /**
   * The high watermark that now holds, at least {@code current}.
   *
   * @param eligible brokers that may be in the set: neither fenced nor shutting down
   */
  long highWatermark(long current, long logEnd, int minInSync, long ticks, IntPredicate eligible) {
    if (isr.committed().size() < minInSync) {
      return current;
    }
    List<Integer> maximal = isr.maximal();
    long least = logEnd;
    for (FollowerProgress f : followers.values()) {
      boolean counts =
          maximal.contains(f.brokerId)
              || f.isCaughtUp(logEnd, ticks, maxLagMs)
                  && eligible.test(f.brokerId)
                  && f.logEndOffset() >= 0;
      if (counts) {
        least = Math.min(least, f.logEndOffset());
      }
    }
    return Math.max(current, least);
  }

  /** The smallest log start of all replicas that have told theirs: what DeleteRecords waits for. */
  long lowWatermark(long localStart, IntPredicate alive) {
    long least = localStart;
    for (FollowerProgress f : followers.values()) {
      if (alive.test(f.brokerId)) {
        least = Math.min(least, f.logStartOffset());
      }
    }
    return least;
  }

  /**
   * Whether this follower should now be let in: it has all that is committed and all that was there
   * before this leadership.
   */
  boolean mayJoin(FollowerProgress f, long highWatermark, IntPredicate eligible) {
    return !isr.isPending()
        && !isr.committed().contains(f.brokerId)
        && f.logEndOffset() >= highWatermark
        && f.logEndOffset() >= startOffset
        && eligible.test(f.brokerId);
  }

  List<Integer> with(int brokerId) {
    List<Integer> larger = new ArrayList<>(isr.committed());
    larger.add(brokerId);
    return larger;
  }

  /**
   * The set without those that have not been caught up for too long; null if there are none, or a
   * change is on its way.
   */
  List<Integer> withoutLaggards(long logEnd, long ticks) {
    if (isr.isPending()) {
      return null;
    }
    List<Integer> rest = new ArrayList<>();
    for (int id : isr.committed()) {
      FollowerProgress f = followers.get(id);
      if (id == localId || f != null && f.isCaughtUp(logEnd, ticks, maxLagMs)) {
        rest.add(id);
      }
    }
    return rest.size() == isr.committed().size() ? null : rest;
  }
}
