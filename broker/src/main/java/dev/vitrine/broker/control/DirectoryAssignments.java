package dev.vitrine.broker.control;

import dev.vitrine.broker.replication.LocalReplicas;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.AssignReplicasToDirsRequest;
import dev.vitrine.protocol.message.AssignReplicasToDirsResponse;
import dev.vitrine.seam.Shard;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Tells the controller in which of {@code log.dirs} replicas lie (AssignReplicasToDirs, KIP-858),
 * until it knows: only then can it tell which of them go with a directory that fails. Belongs to
 * the quorum loop.
 */
public final class DirectoryAssignments implements LocalReplicas.Directories {
  private static final int MOST_AT_ONCE = 2_250;
  private static final long RETRY_MS = 500;

  private record Replica(Uuid topicId, int partition) {}

  private final Shard shard;
  private final int brokerId;
  private final LongSupplier brokerEpoch;
  private final Untold<Replica, Uuid> untold;

  public DirectoryAssignments(
      Shard shard, ControllerChannel controller, int brokerId, LongSupplier brokerEpoch) {
    this.shard = shard;
    this.brokerId = brokerId;
    this.brokerEpoch = brokerEpoch;
    this.untold =
        new Untold<>("directories", shard, controller, new Form(), RETRY_MS, MOST_AT_ONCE);
  }

  /** Any thread. */
  @Override
  public void placed(Uuid topicId, int partition, Uuid directory) {
    shard.execute(() -> untold.put(new Replica(topicId, partition), directory));
  }

  private final class Form implements Untold.Form<Replica, Uuid> {
    @Override
    public ApiMessage request(Map<Replica, Uuid> entries) {
      return DirectoryAssignments.this.request(entries);
    }

    @Override
    public short errorCode(ApiMessage response) {
      return ((AssignReplicasToDirsResponse) response).errorCode();
    }

    @Override
    public boolean answered(ApiMessage response, Map<Replica, Uuid> sent) {
      // What is refused one by one is of topics and replicas that are gone: there is no telling.
      sent.forEach(untold::remove);
      return false;
    }
  }

  private AssignReplicasToDirsRequest request(Map<Replica, Uuid> assignments) {
    Map<Uuid, Map<Uuid, AssignReplicasToDirsRequest.TopicData>> byDirectory = new LinkedHashMap<>();
    assignments.forEach(
        (replica, directory) ->
            byDirectory
                .computeIfAbsent(directory, d -> new LinkedHashMap<>())
                .computeIfAbsent(
                    replica.topicId, id -> new AssignReplicasToDirsRequest.TopicData().topicId(id))
                .partitions()
                .add(
                    new AssignReplicasToDirsRequest.PartitionData()
                        .partitionIndex(replica.partition)));
    List<AssignReplicasToDirsRequest.DirectoryData> directories = new ArrayList<>();
    byDirectory.forEach(
        (id, topics) ->
            directories.add(
                new AssignReplicasToDirsRequest.DirectoryData()
                    .id(id)
                    .topics(new ArrayList<>(topics.values()))));
    return new AssignReplicasToDirsRequest()
        .brokerId(brokerId)
        .brokerEpoch(brokerEpoch.getAsLong())
        .directories(directories);
  }
}
