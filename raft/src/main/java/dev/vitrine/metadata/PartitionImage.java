package dev.vitrine.metadata;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.PartitionChangeRecord;
import dev.vitrine.protocol.message.PartitionRecord;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * One partition as the controller has decided it. All lists are immutable.
 *
 * @param directories for each replica, in the same order, the log directory that holds it
 * @param isr in-sync replicas, a subset of the replicas
 * @param elr eligible leader replicas (KIP-966)
 * @param leader a broker id, or {@link #NO_LEADER}
 * @param recovering the leader came from an unclean election and has not recovered yet
 * @param leaderEpoch grows with each election, also one that ends without a leader
 * @param partitionEpoch grows with each change
 */
public record PartitionImage(
    List<Integer> replicas,
    List<Uuid> directories,
    List<Integer> isr,
    List<Integer> removingReplicas,
    List<Integer> addingReplicas,
    List<Integer> elr,
    List<Integer> lastKnownElr,
    int leader,
    boolean recovering,
    int leaderEpoch,
    int partitionEpoch) {
  public static final int NO_LEADER = -1;

  /** In a change record: the leader stays, and so does its epoch. */
  public static final int NO_LEADER_CHANGE = -2;

  static PartitionImage of(PartitionRecord r) {
    List<Integer> replicas = List.copyOf(r.replicas());
    return new PartitionImage(
        replicas,
        directories(r, r.directories(), replicas.size()),
        List.copyOf(r.isr()),
        List.copyOf(r.removingReplicas()),
        List.copyOf(r.addingReplicas()),
        orEmpty(r.eligibleLeaderReplicas()),
        orEmpty(r.lastKnownElr()),
        r.leader(),
        r.leaderRecoveryState() == 1,
        r.leaderEpoch(),
        r.partitionEpoch());
  }

  PartitionImage with(PartitionChangeRecord r) {
    List<Integer> newReplicas = orSame(r.replicas(), replicas);
    boolean election = r.leader() != NO_LEADER_CHANGE;
    return new PartitionImage(
        newReplicas,
        r.directories() == null
            ? directoriesOf(newReplicas)
            : directories(r, r.directories(), newReplicas.size()),
        orSame(r.isr(), isr),
        orSame(r.removingReplicas(), removingReplicas),
        orSame(r.addingReplicas(), addingReplicas),
        orSame(r.eligibleLeaderReplicas(), elr),
        orSame(r.lastKnownElr(), lastKnownElr),
        election ? r.leader() : leader,
        r.leaderRecoveryState() < 0 ? recovering : r.leaderRecoveryState() == 1,
        election ? leaderEpoch + 1 : leaderEpoch,
        partitionEpoch + 1);
  }

  PartitionImage withoutElr() {
    if (elr.isEmpty() && lastKnownElr.isEmpty()) {
      return this;
    }
    return new PartitionImage(
        replicas,
        directories,
        isr,
        removingReplicas,
        addingReplicas,
        List.of(),
        List.of(),
        leader,
        recovering,
        leaderEpoch,
        partitionEpoch + 1);
  }

  PartitionRecord toRecord(Uuid topicId, int partition) {
    PartitionRecord r =
        new PartitionRecord()
            .topicId(topicId)
            .partitionId(partition)
            .replicas(replicas)
            .isr(isr)
            .removingReplicas(removingReplicas)
            .addingReplicas(addingReplicas)
            .leader(leader)
            .leaderRecoveryState((byte) (recovering ? 1 : 0))
            .leaderEpoch(leaderEpoch)
            .partitionEpoch(partitionEpoch);
    if (directories.stream().anyMatch(d -> !d.equals(Directories.MIGRATING))) {
      r.directories(directories);
    }
    if (!elr.isEmpty()) {
      r.eligibleLeaderReplicas(elr);
    }
    if (!lastKnownElr.isEmpty()) {
      r.lastKnownElr(lastKnownElr);
    }
    return r;
  }

  public boolean hasLeader() {
    return leader != NO_LEADER;
  }

  /** The first of the replicas: who leads when all are well. */
  public int preferredReplica() {
    return replicas.isEmpty() ? NO_LEADER : replicas.get(0);
  }

  public boolean isReassigning() {
    return !removingReplicas.isEmpty() || !addingReplicas.isEmpty();
  }

  /** The directory of this broker's replica; null if it has none. */
  public Uuid directory(int brokerId) {
    int i = replicas.indexOf(brokerId);
    return i < 0 ? null : directories.get(i);
  }

  /** Of a change that does not name them: who stays, stays where it is. */
  private List<Uuid> directoriesOf(List<Integer> newReplicas) {
    if (newReplicas.equals(replicas)) {
      return directories;
    }
    List<Uuid> of = new ArrayList<>();
    for (int id : newReplicas) {
      int i = replicas.indexOf(id);
      of.add(i < 0 ? Directories.MIGRATING : directories.get(i));
    }
    return List.copyOf(of);
  }

  private static List<Uuid> directories(ApiMessage r, List<Uuid> of, int replicas) {
    if (of.isEmpty()) {
      return Collections.nCopies(replicas, Directories.MIGRATING);
    }
    if (of.size() != replicas) {
      throw new InvalidMetadataRecordException(r, "directories do not fit the replicas");
    }
    return List.copyOf(of);
  }

  private static <T> List<T> orEmpty(List<T> list) {
    return list == null ? List.of() : List.copyOf(list);
  }

  private static <T> List<T> orSame(List<T> list, List<T> old) {
    return list == null ? old : List.copyOf(list);
  }
}
