package dev.vitrine.controller;

import dev.vitrine.metadata.BrokerRegistration;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.*;
import dev.vitrine.sim.SimShard;
import dev.vitrine.sim.SimWorld;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/**
 * Controllers that take over from one another, and brokers that register, beat, fall silent, stop,
 * and alter partitions rightly and wrongly, all from one seed. The log is checked record by record.
 */
final class ControllerSimulation {
  private static final int CONTROLLERS = 3;
  private static final int BROKERS = 5;

  private final SimWorld world;
  private final RandomGenerator random;
  private final FakeQuorum quorum = new FakeQuorum();
  private final Map<Integer, Controller> controllers = new TreeMap<>();
  private final Map<Integer, SimShard> shards = new TreeMap<>();
  private final Map<Integer, Long> epochs = new TreeMap<>();
  private final Map<Integer, Uuid> incarnations = new TreeMap<>();
  private final Map<Integer, Long> writtenAtTheEnd = new TreeMap<>();
  private final LogChecker checker;
  private final int minInSync;
  private int active;
  private int asked;
  private int answered;
  private long ids;

  ControllerSimulation(long seed) {
    world = new SimWorld(seed);
    random = world.random();
    minInSync = 1 + random.nextInt(3);
    checker = new LogChecker(quorum, minInSync);
    if (random.nextInt(4) > 0) {
      quorum.formatted(ControllerFixture.formattedWithElr());
    }
    for (int id = 100; id < 100 + CONTROLLERS; id++) {
      startController(id);
    }
    elect(100 + random.nextInt(CONTROLLERS));
  }

  private void startController(int id) {
    SimShard shard = world.newShard("controller-" + id);
    ControllerConfig config =
        new ControllerConfig(id, ControllerFixture.CLUSTER)
            .maxIdleIntervalMs(0)
            .minInSyncReplicas(minInSync);
    Controller c = new Controller(config, quorum.node(id), shard, ControllerFixture.keys(id));
    shards.put(id, shard);
    controllers.put(id, c);
    shard.run(c::start);
  }

  private void elect(int id) {
    active = id;
    shards.get(id).run(() -> quorum.elect(id));
  }

  void run(int steps) {
    for (int i = 0; i < steps; i++) {
      step();
      checker.check();
    }
    shards.get(active).run(() -> quorum.commit(Integer.MAX_VALUE));
    checker.check();
    settle();
    for (Controller c : controllers.values()) {
      require(c.image().equals(checker.image()), "a controller's image is not the log's");
    }
    require(asked == answered, asked + " requests got " + answered + " answers");
  }

  List<ApiMessage> records() {
    return quorum.records();
  }

  private void step() {
    switch (random.nextInt(30)) {
      case 0, 1, 2 -> register(broker());
      case 3, 4, 5, 6, 7, 8 -> beat(broker(), false);
      case 9 -> createTopic();
      case 10 -> deleteTopic();
      case 11 -> createPartitions();
      case 12, 13, 14, 15, 16 -> alterPartition();
      case 17 -> electLeaders();
      case 18 -> allowUnclean();
      case 22, 23 -> reassign();
      case 19 -> {
        if (random.nextInt(3) == 0) {
          failOver();
        }
      }
      case 20 -> world.runFor(random.nextInt(4_000));
      case 21 -> {
        if (random.nextInt(8) == 0) {
          world.runFor(300_000);
        }
      }
      case 24 -> otherMinInSync();
      case 25 -> {
        if (random.nextInt(4) == 0) {
          updateElr();
        }
      }
      case 26 -> {
        if (random.nextInt(8) == 0) {
          unregister(broker());
        }
      }
      case 27 -> fenceDead(broker());
      default -> shards.get(active).run(() -> quorum.commit(1 + random.nextInt(3)));
    }
  }

  /** In the end every broker is there and beats: then whoever can lead does. */
  private void settle() {
    for (int i = 0; i < 4; i++) {
      for (int id = 1; id <= BROKERS; id++) {
        BrokerRegistration b = checker.image().broker(id);
        if (i == 1 && (b == null || !epochs.containsKey(id) || b.epoch() != epochs.get(id))) {
          register(id);
        } else if (i != 1 && epochs.containsKey(id)) {
          beat(id, true);
        }
        shards.get(active).run(() -> quorum.commit(Integer.MAX_VALUE));
        checker.check();
      }
      if (i == 0) {
        world.runFor(9_200);
        shards.get(active).run(() -> quorum.commit(Integer.MAX_VALUE));
        checker.check();
      }
    }
    MetadataImage image = checker.image();
    for (TopicImage topic : image.topics().all()) {
      topic
          .partitions()
          .forEach(
              (i, p) ->
                  require(
                      p.hasLeader() || mayLead(p).stream().noneMatch(b -> there(image, p, b)),
                      "nobody leads " + topic.name() + "-" + i + ": " + p));
    }
  }

  private static List<Integer> mayLead(PartitionImage p) {
    return !p.isr().isEmpty() ? p.isr() : !p.elr().isEmpty() ? p.elr() : p.lastKnownElr();
  }

  private static boolean there(MetadataImage image, PartitionImage p, int broker) {
    return Leadership.mayLead(image, p, broker);
  }

  private int broker() {
    return 1 + random.nextInt(BROKERS);
  }

  private interface Answer<T> {
    void got(T answer);
  }

  @SuppressWarnings("unchecked")
  private <T extends ApiMessage> void ask(ApiMessage request, Answer<T> then) {
    asked++;
    // Now and then a node asks one that is not the controller.
    int to = random.nextInt(20) == 0 ? 100 + random.nextInt(CONTROLLERS) : active;
    shards
        .get(to)
        .run(
            () ->
                controllers
                    .get(to)
                    .handle(
                        request,
                        request.highestSupportedVersion(),
                        RequestContext.internal("X"),
                        answer -> {
                          answered++;
                          then.got((T) answer);
                        }));
  }

  private void register(int id) {
    long previous = -1;
    if (!incarnations.containsKey(id) || random.nextInt(3) > 0) {
      boolean clean = writtenAtTheEnd.containsKey(id);
      incarnations.put(id, new Uuid(clean ? LogChecker.CLEAN : LogChecker.UNCLEAN, ++ids));
      // Mostly as it is; now and then from a directory that was restored from somewhere.
      previous = random.nextInt(10) == 0 ? -2 - ids : writtenAtTheEnd.getOrDefault(id, -1L);
    }
    BrokerRegistrationRequest request =
        new BrokerRegistrationRequest()
            .brokerId(id)
            .clusterId(ControllerFixture.CLUSTER)
            .incarnationId(incarnations.get(id))
            .logDirs(List.of(new Uuid(2, id), new Uuid(3, id)))
            .rack("rack" + id % 2)
            .previousBrokerEpoch(previous)
            .features(
                List.of(
                    new BrokerRegistrationRequest.Feature()
                        .name("metadata.version")
                        .minSupportedVersion((short) 7)
                        .maxSupportedVersion((short) 33),
                    new BrokerRegistrationRequest.Feature()
                        .name("eligible.leader.replicas.version")
                        .maxSupportedVersion((short) 1)));
    this.<BrokerRegistrationResponse>ask(
        request,
        answer -> {
          if (answer.errorCode() == 0) {
            epochs.put(id, answer.brokerEpoch());
            writtenAtTheEnd.remove(id);
          }
        });
  }

  private void beat(int id, boolean well) {
    if (!epochs.containsKey(id)) {
      return;
    }
    BrokerHeartbeatRequest request =
        new BrokerHeartbeatRequest()
            .brokerId(id)
            .brokerEpoch(epochs.get(id))
            .currentMetadataOffset(checker.image().offset());
    if (!well) {
      request.wantFence(random.nextInt(8) == 0).wantShutDown(random.nextInt(8) == 0);
      if (random.nextInt(10) == 0) {
        request.offlineLogDirs(List.of(new Uuid(2 + random.nextInt(2), id)));
      }
    }
    this.<BrokerHeartbeatResponse>ask(
        request,
        answer -> {
          if (answer.shouldShutDown()) {
            long epoch = epochs.remove(id);
            if (random.nextInt(3) > 0) {
              writtenAtTheEnd.put(id, epoch);
            }
            incarnations.remove(id);
          }
        });
  }

  private void createTopic() {
    ask(
        new CreateTopicsRequest()
            .topics(
                List.of(
                    new CreateTopicsRequest.CreatableTopic()
                        .name("t" + random.nextInt(6))
                        .numPartitions(1 + random.nextInt(5))
                        .replicationFactor((short) (1 + random.nextInt(4))))),
        answer -> {});
  }

  private void deleteTopic() {
    ask(
        new DeleteTopicsRequest()
            .timeoutMs(1)
            .topics(
                List.of(new DeleteTopicsRequest.DeleteTopicState().name("t" + random.nextInt(6)))),
        answer -> {});
  }

  private void createPartitions() {
    ask(
        new CreatePartitionsRequest()
            .timeoutMs(1)
            .topics(
                List.of(
                    new CreatePartitionsRequest.CreatePartitionsTopic()
                        .name("t" + random.nextInt(6))
                        .count(random.nextInt(8))
                        .assignments(null))),
        answer -> {});
  }

  /** Names a few brokers, perhaps one that is not there, or twice the same; or cancels. */
  private void reassign() {
    List<Integer> target = null;
    if (random.nextInt(3) > 0) {
      target = new ArrayList<>();
      for (int left = 1 + random.nextInt(4); left > 0; left--) {
        target.add(broker());
      }
      if (random.nextInt(4) > 0) {
        target = new ArrayList<>(new TreeSet<>(target));
        Collections.rotate(target, random.nextInt(4));
      }
    }
    ask(
        new AlterPartitionReassignmentsRequest()
            .allowReplicationFactorChange(random.nextInt(4) > 0)
            .topics(
                List.of(
                    new AlterPartitionReassignmentsRequest.ReassignableTopic()
                        .name("t" + random.nextInt(6))
                        .partitions(
                            List.of(
                                new AlterPartitionReassignmentsRequest.ReassignablePartition()
                                    .partitionIndex(random.nextInt(3))
                                    .replicas(target))))),
        answer -> {});
  }

  private void electLeaders() {
    ask(
        new ElectLeadersRequest().electionType((byte) random.nextInt(2)).topicPartitions(null),
        answer -> {});
  }

  private void allowUnclean() {
    ask(
        new IncrementalAlterConfigsRequest()
            .resources(
                List.of(
                    new IncrementalAlterConfigsRequest.AlterConfigsResource()
                        .resourceType((byte) 2)
                        .resourceName("t" + random.nextInt(6))
                        .configs(
                            List.of(
                                new IncrementalAlterConfigsRequest.AlterableConfig()
                                    .name("unclean.leader.election.enable")
                                    .value(random.nextInt(4) == 0 ? "true" : "false"))))),
        answer -> {});
  }

  private void otherMinInSync() {
    boolean ofTopic = random.nextInt(3) > 0;
    ask(
        new IncrementalAlterConfigsRequest()
            .resources(
                List.of(
                    new IncrementalAlterConfigsRequest.AlterConfigsResource()
                        .resourceType((byte) (ofTopic ? 2 : 4))
                        .resourceName(
                            ofTopic ? "t" + random.nextInt(6) : random.nextBoolean() ? "" : "1")
                        .configs(
                            List.of(
                                new IncrementalAlterConfigsRequest.AlterableConfig()
                                    .name("min.insync.replicas")
                                    .configOperation((byte) (random.nextInt(4) == 0 ? 1 : 0))
                                    .value("" + (1 + random.nextInt(3))))))),
        answer -> {});
  }

  private void updateElr() {
    boolean up = random.nextInt(3) > 0;
    ask(
        new UpdateFeaturesRequest()
            .featureUpdates(
                List.of(
                    new UpdateFeaturesRequest.FeatureUpdateKey()
                        .feature("eligible.leader.replicas.version")
                        .maxVersionLevel((short) (up ? 1 : 0))
                        .upgradeType((byte) (up ? 1 : 2)))),
        answer -> {});
  }

  private void unregister(int id) {
    ask(
        new UnregisterBrokerRequest().brokerId(id),
        answer -> {
          epochs.remove(id);
          incarnations.remove(id);
        });
  }

  /** As the failure detector does, for a process that is not there any more. */
  private void fenceDead(int id) {
    Long epoch = epochs.get(id);
    if (epoch != null) {
      shards.get(active).run(() -> controllers.get(active).fence(id, epoch));
      epochs.remove(id);
      incarnations.remove(id);
    }
  }

  private void alterPartition() {
    List<TopicImage> topics = new ArrayList<>(checker.image().topics().all());
    if (topics.isEmpty()) {
      return;
    }
    TopicImage topic = topics.get(random.nextInt(topics.size()));
    int index = random.nextInt(topic.partitionCount());
    PartitionImage p = topic.partition(index);
    int from = random.nextInt(10) == 0 ? broker() : p.leader();
    if (!epochs.containsKey(from)) {
      return;
    }
    List<Integer> isr = new ArrayList<>(p.replicas());
    Collections.rotate(isr, random.nextInt(3));
    isr.removeIf(b -> random.nextInt(3) == 0 && b != from);
    if (random.nextInt(15) == 0) {
      isr.add(broker());
    }
    List<AlterPartitionRequest.BrokerState> states = new ArrayList<>();
    for (int b : isr) {
      long epoch = random.nextInt(10) == 0 ? -1 : epochs.getOrDefault(b, 3L);
      states.add(new AlterPartitionRequest.BrokerState().brokerId(b).brokerEpoch(epoch));
    }
    ask(
        new AlterPartitionRequest()
            .brokerId(from)
            .brokerEpoch(epochs.get(from))
            .topics(
                List.of(
                    new AlterPartitionRequest.TopicData()
                        .topicId(topic.id())
                        .partitions(
                            List.of(
                                new AlterPartitionRequest.PartitionData()
                                    .partitionIndex(index)
                                    .leaderEpoch(wrong(p.leaderEpoch()))
                                    .partitionEpoch(wrong(p.partitionEpoch()))
                                    .leaderRecoveryState((byte) (random.nextInt(9) == 0 ? 1 : 0))
                                    .newIsrWithEpochs(states))))),
        answer -> {});
  }

  private int wrong(int epoch) {
    return random.nextInt(12) == 0 ? epoch + random.nextInt(3) - 1 : epoch;
  }

  private void failOver() {
    int keep = random.nextInt(quorum.uncommitted() + 1);
    shards.get(active).run(() -> quorum.loseLeader(keep));
    if (random.nextBoolean()) {
      shards.get(active).kill();
      startController(active);
    }
    elect(100 + random.nextInt(CONTROLLERS));
    checker.check();
    require(
        controllers.get(active).image().equals(checker.image()),
        "the new controller's image is not the log's");
  }

  static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
