package dev.vitrine.controller;

import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.PartitionChangeRecord;
import java.util.List;
import java.util.TreeSet;
import java.util.function.IntPredicate;

/**
 * Works out the record that takes one partition to a wanted in-sync set or other replicas, ends a
 * reassignment that has all it waits for, and elects a leader where that calls for one.
 *
 * <p>With eligible leader replicas (KIP-966) whoever leaves an in-sync set that is or becomes
 * smaller than {@code min.insync.replicas} stays eligible: nothing is committed below that size, so
 * it has all that was committed, until it comes back from an unclean shutdown. The in-sync set may
 * then become empty. Without them it never does: its last member stays in it although it is gone,
 * for it alone has all that was committed.
 */
final class PartitionUpdate {
  /** How hard to look for a leader. */
  enum Election {
    /** The preferred replica if it can; otherwise who leads now, otherwise anybody in sync. */
    PREFERRED,
    /** Who leads now if it still can; otherwise anybody in sync. */
    ONLINE,
    /** As ONLINE; if nobody of those is there, anybody, at the price of what was acknowledged. */
    UNCLEAN
  }

  private final Uuid topicId;
  private final int partition;
  private final PartitionImage now;
  private final IntPredicate mayLead;
  private Election election = Election.ONLINE;
  private List<Integer> isr;
  private ReplicaAssignment assignment;
  private boolean recovering;
  private boolean withElr;
  private int minInSync;
  private List<Integer> elr = List.of();
  private int leaving = PartitionImage.NO_LEADER;
  private int uncleanlyStopped = PartitionImage.NO_LEADER;

  /**
   * @param mayLead whether a broker is there to lead this partition
   */
  PartitionUpdate(Uuid topicId, int partition, PartitionImage now, IntPredicate mayLead) {
    this.topicId = topicId;
    this.partition = partition;
    this.now = now;
    this.mayLead = mayLead;
    this.isr = now.isr();
    this.assignment = ReplicaAssignment.of(now);
    this.recovering = now.recovering();
  }

  PartitionUpdate election(Election wanted) {
    election = wanted;
    return this;
  }

  PartitionUpdate isr(List<Integer> wanted) {
    isr = wanted;
    return this;
  }

  /**
   * Keeps eligible leader replicas.
   *
   * @param minInSyncReplicas {@code min.insync.replicas}, at most the number of replicas
   */
  PartitionUpdate keepElr(int minInSyncReplicas) {
    withElr = true;
    minInSync = minInSyncReplicas;
    return this;
  }

  /** This broker can't lead, whatever the image says of it. */
  PartitionUpdate without(int broker) {
    leaving = broker;
    return this;
  }

  /** This broker may have lost what it had: it is neither in sync nor eligible, and can't lead. */
  PartitionUpdate uncleanlyStopped(int broker) {
    uncleanlyStopped = broker;
    return this;
  }

  PartitionUpdate assignment(ReplicaAssignment wanted) {
    assignment = wanted;
    return this;
  }

  PartitionUpdate recovering(boolean wanted) {
    recovering = wanted;
    return this;
  }

  /** The record, or null if nothing is to change. */
  PartitionChangeRecord record() {
    PartitionChangeRecord record =
        new PartitionChangeRecord().topicId(topicId).partitionId(partition);
    if (uncleanlyStopped != PartitionImage.NO_LEADER) {
      isr = isr.stream().filter(b -> b != uncleanlyStopped).toList();
    }
    if (!now.hasLeader() && isr.stream().anyMatch(this::isThere)) {
      // Only who waited for this may have stayed in the set although it was gone.
      isr = isr.stream().filter(this::isThere).toList();
    }
    complete();
    elr = eligible();
    boolean changed = elect(record);
    complete(); // an election may have left none but new ones
    elr = elr.stream().filter(assignment.replicas()::contains).toList();
    changed |= reassign(record);
    if ((withElr || !isr.isEmpty()) && !isr.equals(now.isr())) {
      record.isr(isr);
      changed = true;
    }
    if (!elr.equals(now.elr())) {
      record.eligibleLeaderReplicas(elr);
      changed = true;
    }
    List<Integer> lastKnown = lastKnownLeader(record.leader());
    if (!lastKnown.equals(now.lastKnownElr())) {
      record.lastKnownElr(lastKnown);
      changed = true;
    }
    if (recovering != now.recovering()) {
      record.leaderRecoveryState((byte) (recovering ? 1 : 0));
      changed = true;
    }
    return changed ? record : null;
  }

  private void complete() {
    if (assignment.isCompletedBy(isr)) {
      isr = ReplicaAssignment.minus(isr, assignment.removing());
      assignment = assignment.completed();
    }
  }

  private boolean reassign(PartitionChangeRecord record) {
    if (assignment.equals(ReplicaAssignment.of(now))) {
      return false;
    }
    if (!assignment.replicas().containsAll(now.replicas())
        && record.leader() == PartitionImage.NO_LEADER_CHANGE) {
      // A new epoch under the same leader: what a replica that is gone says of itself is over.
      record.leader(now.leader());
    }
    if (!assignment.replicas().equals(now.replicas())) {
      record.replicas(assignment.replicas());
    }
    if (!assignment.directories().equals(now.directories()) && assignment.hasDirectories()) {
      record.directories(assignment.directories());
    }
    if (!assignment.adding().equals(now.addingReplicas())) {
      record.addingReplicas(assignment.adding());
    }
    if (!assignment.removing().equals(now.removingReplicas())) {
      record.removingReplicas(assignment.removing());
    }
    return true;
  }

  /** Who is eligible beside the in-sync set, before an election; sorted. */
  private List<Integer> eligible() {
    boolean keep = withElr ? isr.size() < minInSync : isr.isEmpty();
    if (!keep) {
      return List.of();
    }
    TreeSet<Integer> eligible = new TreeSet<>(now.elr());
    if (withElr) {
      eligible.addAll(now.isr());
    }
    eligible.removeAll(isr);
    eligible.retainAll(assignment.replicas());
    eligible.remove(uncleanlyStopped);
    return List.copyOf(eligible);
  }

  /** Who led last, as long as nobody leads; it may be all that is left when nobody is eligible. */
  private List<Integer> lastKnownLeader(int newLeader) {
    if (!withElr || newLeader >= 0) {
      return List.of();
    }
    boolean lost = newLeader == PartitionImage.NO_LEADER && now.hasLeader();
    List<Integer> last =
        lost && now.lastKnownElr().isEmpty() ? List.of(now.leader()) : now.lastKnownElr();
    return assignment.replicas().containsAll(last) ? last : List.of();
  }

  private boolean elect(PartitionChangeRecord record) {
    int leader = cleanLeader();
    if (leader == PartitionImage.NO_LEADER) {
      leader = uncleanLeader();
      if (leader != PartitionImage.NO_LEADER) {
        isr = List.of(leader);
        elr = List.of();
        recovering = true;
      }
    } else if (isr.isEmpty()) {
      int elected = leader;
      isr = List.of(elected);
      elr = elr.stream().filter(b -> b != elected).toList();
    }
    if (leader == now.leader()) {
      return false;
    }
    record.leader(leader);
    return true;
  }

  private int cleanLeader() {
    int preferred = assignment.replicas().get(0);
    if (election == Election.PREFERRED && canLead(preferred)) {
      return preferred;
    }
    if (canLead(now.leader())) {
      return now.leader();
    }
    for (int replica : assignment.replicas()) {
      if (canLead(replica)) {
        return replica;
      }
    }
    return PartitionImage.NO_LEADER;
  }

  private int uncleanLeader() {
    if (withElr && isr.isEmpty() && elr.isEmpty() && now.lastKnownElr().size() == 1) {
      int lastKnown = now.lastKnownElr().get(0);
      if (isThere(lastKnown)) {
        return lastKnown;
      }
    }
    if (election == Election.UNCLEAN) {
      for (int replica : assignment.replicas()) {
        if (isThere(replica)) {
          return replica;
        }
      }
    }
    return PartitionImage.NO_LEADER;
  }

  /** In sync; or, where nobody is any more, eligible. */
  private boolean canLead(int replica) {
    return (isr.contains(replica) || isr.isEmpty() && elr.contains(replica)) && isThere(replica);
  }

  private boolean isThere(int replica) {
    return replica != leaving && replica != uncleanlyStopped && mayLead.test(replica);
  }
}
