package dev.vitrine.controller;

import dev.vitrine.metadata.Directories;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.protocol.Uuid;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;

/**
 * The replicas of a partition, and which of them a reassignment adds and removes (KIP-455).
 * Immutable. While it goes on the list holds both the new and the old replicas, the wanted ones
 * first; it is over when the in-sync set allows to drop the old ones.
 *
 * @param directories for each replica, in the same order
 */
record ReplicaAssignment(
    List<Integer> replicas, List<Uuid> directories, List<Integer> adding, List<Integer> removing) {
  static ReplicaAssignment of(PartitionImage p) {
    return new ReplicaAssignment(
        p.replicas(), p.directories(), p.addingReplicas(), p.removingReplicas());
  }

  boolean isReassigning() {
    return !adding.isEmpty() || !removing.isEmpty();
  }

  /**
   * On the way to {@code target}, whatever was on its way before. As in Kafka, a replica that is
   * there already, were it only since the reassignment before, is not one to be added, and without
   * any to add or remove the former ones still stand.
   *
   * @param directory where a replica goes that is new
   */
  ReplicaAssignment towards(List<Integer> target, IntFunction<Uuid> directory) {
    List<Integer> leaving = difference(replicas, target);
    List<Integer> coming = difference(target, replicas);
    List<Integer> all = new ArrayList<>(target);
    all.addAll(leaving);
    List<Uuid> places = new ArrayList<>();
    for (int id : all) {
      int i = replicas.indexOf(id);
      places.add(i < 0 ? directory.apply(id) : directories.get(i));
    }
    return new ReplicaAssignment(
        List.copyOf(all),
        List.copyOf(places),
        coming.isEmpty() ? adding : coming,
        leaving.isEmpty() ? removing : leaving);
  }

  /** As it was before the reassignment. */
  ReplicaAssignment reverted() {
    return without(adding);
  }

  /** As it will be after the reassignment. */
  ReplicaAssignment completed() {
    return without(removing);
  }

  /**
   * Whether these in-sync replicas end the reassignment: all new ones are among them, and, where it
   * makes the set smaller, all that stay, lest it be left with fewer in sync than was asked for.
   *
   * <p>A replica may be both to be added and to be removed, when somebody asked for the former
   * replicas instead of cancelling. That one is not waited for. (Apache Kafka 4.4.0 does wait: such
   * a reassignment never ends there.)
   */
  boolean isCompletedBy(List<Integer> isr) {
    List<Integer> staying = minus(isr, removing);
    List<Integer> target = minus(replicas, removing);
    boolean shrinks = target.size() < minus(replicas, adding).size();
    return isReassigning()
        && !staying.isEmpty()
        && staying.containsAll(shrinks ? target : minus(adding, removing));
  }

  private ReplicaAssignment without(List<Integer> gone) {
    List<Integer> rest = minus(replicas, gone);
    List<Uuid> places = new ArrayList<>();
    rest.forEach(id -> places.add(directories.get(replicas.indexOf(id))));
    return new ReplicaAssignment(rest, List.copyOf(places), List.of(), List.of());
  }

  /** Whether any place is known, which metadata of old versions cannot say. */
  boolean hasDirectories() {
    return directories.stream().anyMatch(d -> !d.equals(Directories.MIGRATING));
  }

  /** What {@code from} has and {@code of} has not, in the order of {@code from}. */
  static List<Integer> minus(List<Integer> from, List<Integer> of) {
    Set<Integer> not = new HashSet<>(of);
    return from.stream().filter(id -> !not.contains(id)).toList();
  }

  private static List<Integer> difference(List<Integer> a, List<Integer> b) {
    return List.copyOf(new TreeSet<>(minus(a, b)));
  }
}
