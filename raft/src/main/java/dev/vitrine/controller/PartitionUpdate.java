package dev.vitrine.controller;

import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.PartitionChangeRecord;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * Works out the record that takes one partition to a wanted in-sync set, and elects a leader where
 * that calls for one. Without eligible leader replicas the in-sync set never becomes empty: its
 * last member stays in it although it is gone, for it alone has all that was committed.
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
  private List<Uuid> directories;
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

  PartitionUpdate directories(List<Uuid> wanted) {
    directories = wanted;
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
    boolean changed = elect(record);
    if (!isr.isEmpty() && !isr.equals(now.isr())) {
      record.isr(isr);
      changed = true;
    }
    if (recovering != now.recovering()) {
      record.leaderRecoveryState((byte) (recovering ? 1 : 0));
      changed = true;
    }
    if (directories != null && !directories.equals(now.directories())) {
      record.directories(directories);
      changed = true;
    }
    return changed ? record : null;
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
    if (election == Election.PREFERRED && canLead(now.preferredReplica())) {
      return now.preferredReplica();
    }
    if (canLead(now.leader())) {
      return now.leader();
    }
    for (int replica : now.replicas()) {
      if (canLead(replica)) {
        return replica;
      }
    }
    return PartitionImage.NO_LEADER;
  }

  private int anyLeader() {
    for (int replica : now.replicas()) {
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
