package dev.vitrine.quorum;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.config.KafkaConfig;
import dev.vitrine.controller.Controller;
import dev.vitrine.controller.ControllerConfig;
import dev.vitrine.controller.KafkaConfigValidator;
import dev.vitrine.controller.RequestContext;
import dev.vitrine.metadata.ImageChange;
import dev.vitrine.metadata.ImageLoader;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.AllocateProducerIdsRequest;
import dev.vitrine.protocol.message.AllocateProducerIdsResponse;
import dev.vitrine.protocol.message.BrokerHeartbeatRequest;
import dev.vitrine.protocol.message.BrokerHeartbeatResponse;
import dev.vitrine.protocol.message.BrokerRegistrationRequest;
import dev.vitrine.protocol.message.BrokerRegistrationResponse;
import dev.vitrine.protocol.message.CreateTopicsRequest;
import dev.vitrine.protocol.message.CreateTopicsResponse;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Network;
import dev.vitrine.sim.SimDisk;
import dev.vitrine.sim.SimNetwork;
import dev.vitrine.sim.SimShard;
import dev.vitrine.sim.SimWorld;
import dev.vitrine.storage.LogConfig;
import dev.vitrine.storage.LogDirectory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Controllers on a real quorum with real logs, all simulated: nodes die and lose their power while
 * one broker and its client go on asking. What was acknowledged must be there in the end, once, on
 * all nodes.
 */
class ControllerOnQuorumTest {
  private static final int NODES = 3;
  private static final Path ROOT = Path.of("/data");

  private SimWorld world;
  private SimNetwork network;
  private final List<Node> nodes = new ArrayList<>();
  private final List<String> acknowledged = new ArrayList<>();
  private final TreeSet<Long> blocks = new TreeSet<>();
  private long brokerEpoch = -1;
  private long lastBeatMs;
  private int topics;
  private boolean faults;

  private final class Node implements RaftListener {
    final int id;
    final SimDisk disk = world.newDisk();
    final QuorumConfig config;
    SimShard shard;
    QuorumDriver driver;
    Controller controller;
    ImageLoader loader;
    boolean up;

    Node(int id, VoterSet voters) {
      this.id = id;
      config =
          new QuorumConfig(
              id,
              new Uuid(7, id),
              "cluster",
              voters,
              "CONTROLLER",
              new QuorumConfig.Timeouts(300, 600, 300, 600, 20, 150, 1 << 20, 1 << 20));
      disk.createDirectories(ROOT);
      disk.syncDirectory(Path.of("/"));
    }

    void start() {
      shard = world.newShard("n" + id);
      up = true;
      shard.run(this::open);
    }

    private void open() {
      Network host = network.host("n" + id);
      driver =
          QuorumDriver.open(
              config,
              new QuorumDriver.Setup(
                  shard,
                  disk,
                  LogDirectory.open(disk, ROOT),
                  LogConfig.builder().segmentBytes(4096).build(),
                  new RpcQuorumTransport(shard, host, config),
                  this::died));
      host.listen(
          new Endpoint("n" + id, 9093),
          List.of(shard),
          100 << 20,
          (c, s) -> new SimQuorumServer((r, v, answer) -> driver.handle(r, v, answer::send)));
      KafkaConfig keys =
          KafkaConfig.parse(
              Map.of(
                  "process.roles",
                  "controller",
                  "node.id",
                  "" + id,
                  "controller.quorum.voters",
                  id + "@n" + id + ":9093",
                  "listeners",
                  "CONTROLLER://n" + id + ":9093",
                  "controller.listener.names",
                  "CONTROLLER"));
      controller =
          new Controller(
              new ControllerConfig(id, "cluster"), driver, shard, new KafkaConfigValidator(keys));
      controller.start();
      loader = new ImageLoader();
      driver.register(this);
    }

    private void died(Throwable why) {
      throw new AssertionError("node " + id + " died", why);
    }

    void crash() {
      up = false;
      shard.kill();
      network.kill("n" + id);
      if (world.random().nextBoolean()) {
        disk.crash(world.random());
      } else {
        disk.killProcess();
      }
      world.at(1000L * world.random().nextInt(1_500), this::start);
    }

    void ask(ApiMessage request, Consumer<ApiMessage> answer) {
      if (up) {
        shard.run(
            () ->
                controller.handle(
                    request,
                    request.highestSupportedVersion(),
                    RequestContext.internal("X"),
                    answer));
      }
    }

    @Override
    public void handleCommit(List<CommittedBatch> batches) {
      for (CommittedBatch batch : batches) {
        ImageChange change = loader.apply(batch);
        assertNotNull(change);
      }
    }

    @Override
    public void handleLoadSnapshot(Snapshot snapshot) {
      loader.load(snapshot);
    }

    @Override
    public void handleLeaderChange(LeaderAndEpoch leader) {}
  }

  @Test
  void whatWasAcknowledgedIsThereOnceOnAllNodes() {
    for (long seed = 1; seed <= 25; seed++) {
      try {
        new ControllerOnQuorumTest().run(seed);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
  }

  private void run(long seed) {
    world = new SimWorld(seed);
    network = new SimNetwork(world);
    network.latency(50, 2_000);
    List<VoterSet.Voter> voters = new ArrayList<>();
    for (int id = 1; id <= NODES; id++) {
      voters.add(VoterSet.Voter.fixed(id, "CONTROLLER", new Endpoint("n" + id, 9093)));
    }
    for (int id = 1; id <= NODES; id++) {
      nodes.add(new Node(id, new VoterSet(voters)));
    }
    nodes.forEach(Node::start);
    faults = true;
    world.at(0, this::work);
    world.at(500_000, this::fail);
    world.runFor(12_000);
    faults = false;
    network.mendAll();
    int before = acknowledged.size();
    assertTrue(
        world.runUntil(() -> acknowledged.size() > before + 5, 60_000),
        "nothing is acknowledged any more");
    assertTrue(world.runUntil(this::agree, 60_000), "the nodes do not agree");
    MetadataImage image = nodes.get(0).controller.image();
    for (String topic : acknowledged) {
      assertNotNull(image.topic(topic), topic);
    }
    for (Node n : nodes) {
      assertEquals(n.loader.image(), n.controller.image());
    }
    assertTrue(image.nextProducerId() > blocks.last());
  }

  private boolean agree() {
    MetadataImage first = nodes.get(0).controller.image();
    return nodes.stream()
        .allMatch(n -> n.controller.image().equals(first) && n.loader.image().equals(first));
  }

  private void fail() {
    if (!faults) {
      return;
    }
    Node victim = nodes.get(world.random().nextInt(NODES));
    switch (world.random().nextInt(4)) {
      case 0, 1 -> {
        if (victim.up) {
          victim.crash();
        }
      }
      case 2 -> network.cut("n" + (1 + world.random().nextInt(NODES)), "n" + victim.id);
      default -> network.mendAll();
    }
    world.at(world.random().nextInt(1_000_000), this::fail);
  }

  /** The broker and its client: whoever does not lead refuses, so they ask anybody. */
  private void work() {
    Node to = nodes.get(world.random().nextInt(NODES));
    if (brokerEpoch < 0) {
      to.ask(registration(), this::registered);
    } else if (world.elapsedMs() - lastBeatMs > 500) {
      to.ask(
          new BrokerHeartbeatRequest()
              .brokerId(9)
              .brokerEpoch(brokerEpoch)
              .currentMetadataOffset(Long.MAX_VALUE - 1),
          this::beaten);
    } else if (world.random().nextInt(4) == 0) {
      to.ask(
          new AllocateProducerIdsRequest().brokerId(9).brokerEpoch(brokerEpoch), this::allocated);
    } else {
      createTopic(to);
    }
    world.at(10_000L + world.random().nextInt(20_000), this::work);
  }

  private static BrokerRegistrationRequest registration() {
    return new BrokerRegistrationRequest()
        .brokerId(9)
        .clusterId("cluster")
        .incarnationId(new Uuid(9, 9))
        .logDirs(List.of(new Uuid(5, 5)))
        .features(
            List.of(
                new BrokerRegistrationRequest.Feature()
                    .name("metadata.version")
                    .minSupportedVersion((short) 7)
                    .maxSupportedVersion((short) 33)));
  }

  private void registered(ApiMessage answer) {
    BrokerRegistrationResponse r = (BrokerRegistrationResponse) answer;
    if (r.errorCode() == 0) {
      brokerEpoch = r.brokerEpoch();
    }
  }

  private void beaten(ApiMessage answer) {
    if (((BrokerHeartbeatResponse) answer).errorCode() == 0) {
      lastBeatMs = world.elapsedMs();
    }
  }

  private void allocated(ApiMessage answer) {
    AllocateProducerIdsResponse r = (AllocateProducerIdsResponse) answer;
    if (r.errorCode() == 0) {
      assertTrue(blocks.add(r.producerIdStart()), "given out twice: " + r.producerIdStart());
    }
  }

  private void createTopic(Node to) {
    String name = "t" + ++topics;
    CreateTopicsRequest request =
        new CreateTopicsRequest()
            .topics(
                List.of(
                    new CreateTopicsRequest.CreatableTopic()
                        .name(name)
                        .numPartitions(2)
                        .replicationFactor((short) 1)));
    to.ask(
        request,
        answer -> {
          if (((CreateTopicsResponse) answer).topics().get(0).errorCode() == 0) {
            acknowledged.add(name);
          }
        });
  }
}
