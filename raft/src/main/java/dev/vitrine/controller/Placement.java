package dev.vitrine.controller;

import dev.vitrine.metadata.BrokerRegistration;
import dev.vitrine.metadata.Directories;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.PartitionRecord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/** Turns a list of replicas into a new partition: who is in sync, who leads, where it lies. */
final class Placement {
  private static final int FIRST_VERSION_WITH_DIRECTORIES = 17;

  private Placement() {}

  /** Those of the replicas that are there from the start. */
  static List<Integer> active(MetadataImage image, List<Integer> replicas) {
    return replicas.stream().filter(image.cluster()::isActive).toList();
  }

  /** The record of a new partition; at least one of the replicas must be active. */
  static PartitionRecord record(
      MetadataImage image, Uuid topicId, int partition, List<Integer> replicas) {
    List<Integer> isr = active(image, replicas);
    PartitionRecord record =
        new PartitionRecord()
            .topicId(topicId)
            .partitionId(partition)
            .replicas(new ArrayList<>(replicas))
            .isr(isr)
            .leader(isr.get(0))
            .leaderEpoch(0)
            .partitionEpoch(0);
    if (image.features().metadataVersion() >= FIRST_VERSION_WITH_DIRECTORIES) {
      List<Uuid> directories = new ArrayList<>();
      replicas.forEach(b -> directories.add(directory(image, b)));
      record.directories(directories);
    }
    return record;
  }

  /**
   * Where a new replica goes. A broker with one directory has no choice; others say later which
   * they took.
   */
  static Uuid directory(MetadataImage image, int broker) {
    if (image.features().metadataVersion() < FIRST_VERSION_WITH_DIRECTORIES) {
      return Directories.MIGRATING;
    }
    BrokerRegistration b = image.broker(broker);
    return b != null && b.logDirs().size() == 1 ? b.logDirs().get(0) : Directories.UNASSIGNED;
  }

  /**
   * Checks replicas that a user chose.
   *
   * @param replicationFactor that of the partitions before it
   * @throws ControllerException INVALID_REPLICA_ASSIGNMENT
   */
  static void checkManual(
      MetadataImage image, List<Integer> replicas, OptionalInt replicationFactor) {
    if (replicas.isEmpty()) {
      throw invalid("The manual partition assignment includes an empty replica list.");
    }
    List<Integer> sorted = replicas.stream().sorted().toList();
    Set<Integer> seen = new HashSet<>();
    for (int id : sorted) {
      if (image.broker(id) == null) {
        throw invalid(
            "The manual partition assignment includes broker "
                + id
                + ", but no such broker is registered.");
      }
      if (!seen.add(id)) {
        throw invalid(
            "The manual partition assignment includes the broker " + id + " more than once.");
      }
    }
    if (replicationFactor.isPresent() && replicationFactor.getAsInt() != replicas.size()) {
      throw invalid(
          "The manual partition assignment includes a partition with "
              + replicas.size()
              + " replica(s), but this is not consistent with previous partitions, which have "
              + replicationFactor.getAsInt()
              + " replica(s).");
    }
  }

  static void checkActive(MetadataImage image, List<Integer> replicas, int partition) {
    if (active(image, replicas).isEmpty()) {
      throw invalid(
          "All brokers specified in the manual partition assignment for partition "
              + partition
              + " are fenced or in controlled shutdown.");
    }
  }

  static ControllerException invalid(String why) {
    return new ControllerException(Errors.INVALID_REPLICA_ASSIGNMENT, why);
  }
}
