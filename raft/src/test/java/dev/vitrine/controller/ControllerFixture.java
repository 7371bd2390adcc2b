package dev.vitrine.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.vitrine.config.KafkaConfig;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.*;
import dev.vitrine.quorum.ApiMessageAndVersion;
import dev.vitrine.quorum.OffsetAndEpoch;
import dev.vitrine.quorum.Snapshot;
import dev.vitrine.sim.SimShard;
import dev.vitrine.sim.SimWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.TreeMap;

/** One active controller over a log that commits at once, and brokers that do what a test says. */
final class ControllerFixture {
  static final String CLUSTER = "AAAAAAAAQACAAAAAAAAAAQ";

  final SimWorld world = new SimWorld(42);
  final SimShard shard = world.newShard("controller");
  final FakeQuorum quorum = new FakeQuorum();
  final ControllerConfig config = new ControllerConfig(100, CLUSTER).maxIdleIntervalMs(0);
  final TreeMap<Integer, Long> epochs = new TreeMap<>();
  Controller controller;
  private long incarnation;

  /** Kafka's keys with their defaults. */
  static ConfigValidator keys(int nodeId) {
    Properties p = new Properties();
    p.put("process.roles", "controller");
    p.put("node.id", "" + nodeId);
    p.put("controller.quorum.voters", nodeId + "@localhost:9093");
    p.put("listeners", "CONTROLLER://localhost:9093");
    p.put("controller.listener.names", "CONTROLLER");
    return new KafkaConfigValidator(KafkaConfig.parse(p));
  }

  ControllerFixture start() {
    controller = new Controller(config, quorum.node(100), shard, keys(100));
    shard.run(controller::start);
    shard.run(() -> quorum.elect(100));
    commit();
    return this;
  }

  /** As {@link #start}, formatted with eligible leader replicas. */
  ControllerFixture startWithElr(int minInSyncReplicas) {
    config.minInSyncReplicas(minInSyncReplicas);
    quorum.formatted(formattedWithElr());
    return start();
  }

  static Snapshot formattedWithElr() {
    return new Snapshot(
        OffsetAndEpoch.BOOTSTRAP,
        0,
        List.of(level("metadata.version", 33), level("eligible.leader.replicas.version", 1)));
  }

  private static ApiMessageAndVersion level(String feature, int level) {
    return new ApiMessageAndVersion(
        new FeatureLevelRecord().name(feature).featureLevel((short) level), (short) 0);
  }

  void commit() {
    shard.run(() -> quorum.commit(1000));
  }

  MetadataImage image() {
    return controller.image();
  }

  PartitionImage partition(String topic, int index) {
    PartitionImage p = image().partition(topic, index);
    assertNotNull(p);
    return p;
  }

  @SuppressWarnings("unchecked")
  <T extends ApiMessage> T ask(ApiMessage request, int version) {
    List<ApiMessage> answers = new ArrayList<>();
    shard.run(
        () ->
            controller.handle(
                request, (short) version, RequestContext.internal("X"), answers::add));
    commit();
    assertEquals(1, answers.size());
    return (T) answers.get(0);
  }

  /** As {@link #ask}, also checking that the answer can be written in its version. */
  <T extends ApiMessage> T ask(ApiMessage request) {
    return ask(request, request.highestSupportedVersion());
  }

  BrokerRegistrationRequest registration(int id) {
    return new BrokerRegistrationRequest()
        .brokerId(id)
        .clusterId(CLUSTER)
        .incarnationId(new Uuid(99, ++incarnation))
        .logDirs(List.of(new Uuid(50, id)))
        .rack(null)
        .listeners(
            List.of(
                new BrokerRegistrationRequest.Listener()
                    .name("PLAINTEXT")
                    .host("host" + id)
                    .port(9000 + id)))
        .features(
            List.of(
                new BrokerRegistrationRequest.Feature()
                    .name("metadata.version")
                    .minSupportedVersion((short) 7)
                    .maxSupportedVersion((short) 33),
                new BrokerRegistrationRequest.Feature()
                    .name("eligible.leader.replicas.version")
                    .maxSupportedVersion((short) 1)));
  }

  void register(int... ids) {
    for (int id : ids) {
      register(registration(id));
    }
  }

  void register(BrokerRegistrationRequest request) {
    BrokerRegistrationResponse response = ask(request);
    assertEquals(0, response.errorCode());
    epochs.put(request.brokerId(), response.brokerEpoch());
  }

  BrokerHeartbeatRequest beat(int id) {
    return new BrokerHeartbeatRequest()
        .brokerId(id)
        .brokerEpoch(epochs.get(id))
        .currentMetadataOffset(image().offset());
  }

  /** Registers and unfences. */
  ControllerFixture up(int... ids) {
    for (int id : ids) {
      register(id);
      BrokerHeartbeatResponse response = ask(beat(id));
      assertEquals(false, response.isFenced());
    }
    return this;
  }

  CreateTopicsResponse.CreatableTopicResult create(
      String name, int partitions, int replicationFactor) {
    return create(
        new CreateTopicsRequest.CreatableTopic()
            .name(name)
            .numPartitions(partitions)
            .replicationFactor((short) replicationFactor));
  }

  CreateTopicsResponse.CreatableTopicResult create(CreateTopicsRequest.CreatableTopic topic) {
    CreateTopicsResponse r = ask(new CreateTopicsRequest().topics(List.of(topic)));
    return r.topics().get(0);
  }

  /** A topic of one partition with these replicas. */
  Uuid createOn(String name, Integer... replicas) {
    CreateTopicsResponse.CreatableTopicResult r =
        create(
            new CreateTopicsRequest.CreatableTopic()
                .name(name)
                .numPartitions(-1)
                .replicationFactor((short) -1)
                .assignments(
                    List.of(
                        new CreateTopicsRequest.CreatableReplicaAssignment()
                            .partitionIndex(0)
                            .brokerIds(List.of(replicas)))));
    assertEquals(Errors.NONE.code(), r.errorCode(), r.errorMessage());
    return r.topicId();
  }
}
