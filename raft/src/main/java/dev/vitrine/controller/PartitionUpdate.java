package dev.vitrine.controller;

import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.PartitionChangeRecord;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * Works out the record that takes one partition to a wanted in-sync set or other replicas, ends a
 * reassignment that has all it waits for, and elects a leader where that calls for one. Without
 * eligible leader replicas the in-sync set never becomes empty: its last member stays in it
 * although it is gone, for it alone has all that was committed.
 */
final class PartitionUpdate {
  /** How hard to look for a leader. */
  enum Election {
    /** The preferred replica if it can; otherwise who leads now, otherwise anybody in sync. */
    PREFERRED,
    /** Who leads now if it still can; otherwise anybody in sync. */
    ONLINE,
    /** As ONLINE; if nobody in sync is there, anybody, at the price of what was acknowledged. */
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
    complete();
    boolean changed = elect(record);
    complete(); // an unclean election may have left none but new ones
    changed |= reassign(record);
    if (!isr.isEmpty() && !isr.equals(now.isr())) {
      record.isr(isr);
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

  private boolean elect(PartitionChangeRecord record) {
    int leader = inSyncLeader();
    if (leader == PartitionImage.NO_LEADER && election == Election.UNCLEAN) {
      leader = anyLeader();
      if (leader != PartitionImage.NO_LEADER) {
        isr = List.of(leader);
        recovering = true;
      }
    }
    if (leader == now.leader()) {
      return false;
    }
    record.leader(leader);
    return true;
  }

  private int inSyncLeader() {
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

  private int anyLeader() {
    for (int replica : assignment.replicas()) {
      if (mayLead.test(replica)) {
        return replica;
      }
    }
    return PartitionImage.NO_LEADER;
  }

  private boolean canLead(int replica) {
    return isr.contains(replica) && mayLead.test(replica);
  }
}
