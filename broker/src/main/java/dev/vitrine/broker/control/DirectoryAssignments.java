package dev.vitrine.broker.control;

import dev.vitrine.broker.replication.LocalReplicas;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.AssignReplicasToDirsRequest;
import dev.vitrine.protocol.message.AssignReplicasToDirsResponse;
import dev.vitrine.rpc.RpcCallback;
import dev.vitrine.rpc.RpcFailure;
import dev.vitrine.rpc.RpcRequest;
import dev.vitrine.seam.Shard;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the controller in which of {@code log.dirs} replicas lie (AssignReplicasToDirs, KIP-858),
 * until it knows: only then can it tell which of them go with a directory that fails. Belongs to
 * the quorum loop; one request in flight.
 */
public final class DirectoryAssignments implements LocalReplicas.Directories {
  private static final Logger LOG = LoggerFactory.getLogger(DirectoryAssignments.class);
  private static final int MOST_AT_ONCE = 2_250;
  private static final long TIMEOUT_MS = 10_000;
  private static final long RETRY_MS = 500;

  private record Replica(Uuid topicId, int partition) {}

  private final Shard shard;
  private final ControllerChannel controller;
  private final int brokerId;
  private final LongSupplier brokerEpoch;
  private final Map<Replica, Uuid> untold = new LinkedHashMap<>();
  private boolean inFlight;

  public DirectoryAssignments(
      Shard shard, ControllerChannel controller, int brokerId, LongSupplier brokerEpoch) {
    this.shard = shard;
    this.controller = controller;
    this.brokerId = brokerId;
    this.brokerEpoch = brokerEpoch;
  }

  /** Any thread. */
  @Override
  public void placed(Uuid topicId, int partition, Uuid directory) {
    shard.execute(
        () -> {
          untold.put(new Replica(topicId, partition), directory);
          // Later: a new topic brings many.
          shard.execute(this::send);
        });
  }

  private void send() {
    if (inFlight || untold.isEmpty()) {
      return;
    }
    inFlight = true;
    Map<Replica, Uuid> sent = new LinkedHashMap<>();
    for (Map.Entry<Replica, Uuid> e : untold.entrySet()) {
      if (sent.size() < MOST_AT_ONCE) {
        sent.put(e.getKey(), e.getValue());
      }
    }
    controller.send(
        RpcRequest.of(request(sent)),
        TIMEOUT_MS,
        r -> ((AssignReplicasToDirsResponse) r).errorCode() == Errors.NOT_CONTROLLER.code(),
        new RpcCallback() {
          @Override
          public void completed(ApiMessage response, short version, ByteBuf frame) {
            inFlight = false;
            answered((AssignReplicasToDirsResponse) response, sent);
          }

          @Override
          public void failed(RpcFailure failure) {
            inFlight = false;
            LOG.warn("The directories of {} replicas are not told: {}", sent.size(), failure);
            shard.schedule(RETRY_MS, DirectoryAssignments.this::send);
          }
        });
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

  private void answered(AssignReplicasToDirsResponse response, Map<Replica, Uuid> sent) {
    Errors all = Errors.forCode(response.errorCode());
    if (all != Errors.NONE) {
      LOG.warn("The controller refuses the directories of {} replicas: {}", sent.size(), all);
      shard.schedule(RETRY_MS, this::send);
      return;
    }
    // What is refused one by one is of topics and replicas that are gone: there is no telling.
    sent.forEach(untold::remove);
    send();
  }
}
