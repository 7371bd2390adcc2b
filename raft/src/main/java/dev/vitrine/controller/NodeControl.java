package dev.vitrine.controller;

import dev.vitrine.metadata.BrokerRegistration;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.AllocateProducerIdsRequest;
import dev.vitrine.protocol.message.AllocateProducerIdsResponse;
import dev.vitrine.protocol.message.AssignReplicasToDirsRequest;
import dev.vitrine.protocol.message.AssignReplicasToDirsResponse;
import dev.vitrine.protocol.message.ControllerRegistrationRequest;
import dev.vitrine.protocol.message.ControllerRegistrationResponse;
import dev.vitrine.protocol.message.PartitionChangeRecord;
import dev.vitrine.protocol.message.ProducerIdsRecord;
import dev.vitrine.protocol.message.RegisterControllerRecord;
import dev.vitrine.protocol.message.UnregisterControllerRecord;
import dev.vitrine.protocol.message.UnregisterControllerRequest;
import dev.vitrine.protocol.message.UnregisterControllerResponse;
import java.util.ArrayList;
import java.util.List;

/**
 * The small things that nodes ask for themselves: AllocateProducerIds v0, AssignReplicasToDirs v0,
 * ControllerRegistration v0, UnregisterController v0. On the quorum loop.
 */
final class NodeControl {
  private static final int PRODUCER_ID_BLOCK = 1000;
  private static final int FIRST_VERSION_WITH_DIRECTORIES = 17;
  private static final int FIRST_VERSION_WITH_CONTROLLER_REGISTRATION = 15;
  private static final int FIRST_VERSION_WITH_CONTROLLER_UNREGISTRATION = 33;

  private final int nodeId;
  private final Leadership leadership;

  /**
   * @param nodeId this controller, which is the active one when it is asked
   */
  NodeControl(int nodeId, Leadership leadership) {
    this.nodeId = nodeId;
    this.leadership = leadership;
  }

  AllocateProducerIdsResponse allocate(AllocateProducerIdsRequest r, Draft draft) {
    BrokerControl.current(draft.image(), r.brokerId(), r.brokerEpoch());
    long first = draft.image().nextProducerId();
    if (first > Long.MAX_VALUE - PRODUCER_ID_BLOCK) {
      throw new ControllerException(Errors.UNKNOWN_SERVER_ERROR, "Out of producer ids.");
    }
    draft.add(
        new ProducerIdsRecord()
            .brokerId(r.brokerId())
            .brokerEpoch(r.brokerEpoch())
            .nextProducerId(first + PRODUCER_ID_BLOCK));
    return new AllocateProducerIdsResponse()
        .producerIdStart(first)
        .producerIdLen(PRODUCER_ID_BLOCK);
  }

  AssignReplicasToDirsResponse assign(AssignReplicasToDirsRequest r, Draft draft) {
    if (draft.image().features().metadataVersion() < FIRST_VERSION_WITH_DIRECTORIES) {
      throw new ControllerException(
          Errors.UNSUPPORTED_VERSION, "Directory assignment is not supported yet.");
    }
    BrokerRegistration broker = BrokerControl.current(draft.image(), r.brokerId(), r.brokerEpoch());
    AssignReplicasToDirsResponse response = new AssignReplicasToDirsResponse();
    List<Uuid> failed = new ArrayList<>();
    for (AssignReplicasToDirsRequest.DirectoryData d : r.directories()) {
      AssignReplicasToDirsResponse.DirectoryData directory =
          new AssignReplicasToDirsResponse.DirectoryData().id(d.id());
      for (AssignReplicasToDirsRequest.TopicData t : d.topics()) {
        AssignReplicasToDirsResponse.TopicData topic =
            new AssignReplicasToDirsResponse.TopicData().topicId(t.topicId());
        for (AssignReplicasToDirsRequest.PartitionData p : t.partitions()) {
          Errors error = assignOne(draft, broker.id(), d.id(), t.topicId(), p.partitionIndex());
          topic
              .partitions()
              .add(
                  new AssignReplicasToDirsResponse.PartitionData()
                      .partitionIndex(p.partitionIndex())
                      .errorCode(error.code()));
        }
        directory.topics().add(topic);
      }
      response.directories().add(directory);
      if (!broker.hasOnlineDirectory(d.id())) {
        failed.add(d.id());
      }
    }
    if (!failed.isEmpty()) {
      leadership.directoriesFail(draft, broker.id(), failed);
    }
    return response;
  }

  private static Errors assignOne(
      Draft draft, int broker, Uuid directory, Uuid topicId, int index) {
    TopicImage topic = draft.image().topic(topicId);
    if (topic == null) {
      return Errors.UNKNOWN_TOPIC_ID;
    }
    PartitionImage partition = topic.partition(index);
    if (partition == null) {
      return Errors.UNKNOWN_TOPIC_OR_PARTITION;
    }
    int replica = partition.replicas().indexOf(broker);
    if (replica < 0) {
      return Errors.NOT_LEADER_OR_FOLLOWER;
    }
    if (!partition.directories().get(replica).equals(directory)) {
      List<Uuid> directories = new ArrayList<>(partition.directories());
      directories.set(replica, directory);
      draft.add(
          new PartitionChangeRecord().topicId(topicId).partitionId(index).directories(directories));
    }
    return Errors.NONE;
  }

  /** Whatever features it has, as in Kafka: they are looked at when one is finalized. */
  ControllerRegistrationResponse register(ControllerRegistrationRequest r, Draft draft) {
    MetadataImage image = draft.image();
    if (image.features().metadataVersion() < FIRST_VERSION_WITH_CONTROLLER_REGISTRATION) {
      throw new ControllerException(
          Errors.UNSUPPORTED_VERSION,
          "The current MetadataVersion is too old to support controller registrations.");
    }
    List<RegisterControllerRecord.ControllerEndpoint> endpoints = new ArrayList<>();
    for (ControllerRegistrationRequest.Listener l : r.listeners()) {
      endpoints.add(
          new RegisterControllerRecord.ControllerEndpoint()
              .name(l.name())
              .host(l.host())
              .port(l.port())
              .securityProtocol(l.securityProtocol()));
    }
    List<RegisterControllerRecord.ControllerFeature> features = new ArrayList<>();
    for (ControllerRegistrationRequest.Feature f : r.features()) {
      features.add(
          new RegisterControllerRecord.ControllerFeature()
              .name(f.name())
              .minSupportedVersion(f.minSupportedVersion())
              .maxSupportedVersion(f.maxSupportedVersion()));
    }
    draft.add(
        new RegisterControllerRecord()
            .controllerId(r.controllerId())
            .incarnationId(r.incarnationId())
            .endPoints(endpoints)
            .features(features));
    return new ControllerRegistrationResponse().errorMessage(""); // Kafka's, in place of null
  }

  UnregisterControllerResponse unregister(UnregisterControllerRequest r, Draft draft) {
    if (r.controllerId() == nodeId) {
      throw new ControllerException(
          Errors.INVALID_REQUEST, "Controller cannot unregister itself while it is active.");
    }
    MetadataImage image = draft.image();
    if (image.features().metadataVersion() < FIRST_VERSION_WITH_CONTROLLER_UNREGISTRATION) {
      throw new ControllerException(
          Errors.UNSUPPORTED_VERSION,
          "The current MetadataVersion is too old to support controller unregistration.");
    }
    if (!image.cluster().controllers().containsKey(r.controllerId())) {
      throw new ControllerException(
          Errors.CONTROLLER_ID_NOT_REGISTERED,
          "Controller ID " + r.controllerId() + " is not currently registered.");
    }
    draft.add(new UnregisterControllerRecord().controllerId(r.controllerId()));
    return new UnregisterControllerResponse();
  }
}
