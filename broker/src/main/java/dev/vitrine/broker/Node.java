package dev.vitrine.broker;

import dev.vitrine.broker.control.ControllerChannel;
import dev.vitrine.broker.control.Metadata;
import dev.vitrine.broker.control.QuorumMetrics;
import dev.vitrine.broker.control.SnapshotTrigger;
import dev.vitrine.config.KafkaConfig;
import dev.vitrine.config.QuorumSettings;
import dev.vitrine.config.TopicConfigs;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.quorum.QuorumConfig;
import dev.vitrine.quorum.QuorumDriver;
import dev.vitrine.quorum.RpcQuorumTransport;
import dev.vitrine.quorum.VoterSet;
import dev.vitrine.rpc.RpcClient;
import dev.vitrine.rpc.RpcOptions;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Shard;
import dev.vitrine.storage.LogConfig;
import dev.vitrine.storage.LogDirectory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One node of the cluster, above the seams: the quorum, and by {@code process.roles} a controller,
 * a broker, or both. Owned by the quorum loop, where it is started and stopped. It never touches a
 * file, a socket or a clock but through {@link NodeServices}.
 */
public final class Node {
  private static final Logger LOG = LoggerFactory.getLogger(Node.class);
  private static final long HAND_OVER_MS = 1_000;

  private final NodeServices services;
  private final Consumer<Throwable> onFatal;
  private final Metadata metadata = new Metadata();
  private final List<RpcClient> clients = new ArrayList<>();
  private QuorumDriver quorum;
  private ControllerPart controller;
  private BrokerPart broker;

  /**
   * @param onFatal hears why this node cannot go on: the process should end
   */
  public Node(NodeServices services, Consumer<Throwable> onFatal) {
    this.services = services;
    this.onFatal = onFatal;
  }

  /** On the quorum loop. Blocks while the metadata log is opened. */
  public void start() {
    KafkaConfig config = services.config();
    QuorumConfig quorumConfig = quorumConfig(config);
    Shard loop = services.quorumLoop();
    quorum =
        QuorumDriver.open(
            quorumConfig,
            new QuorumDriver.Setup(
                loop,
                services.disk(),
                metadataDirectory(),
                metadataLogConfig(config),
                new RpcQuorumTransport(loop, services.network(), quorumConfig),
                onFatal));
    services.metrics().add(loop, new QuorumMetrics(quorum::view));
    metadata.snapshots(new SnapshotTrigger(quorum, loop, config.quorum().log()));
    Map<Shard, RpcClient> byShard = new HashMap<>();
    Map<Shard, ControllerChannel> controllers = new HashMap<>();
    List<Shard> all = new ArrayList<>(services.shards());
    all.add(loop);
    RpcOptions options = RpcOptions.of("node-" + config.node().nodeId());
    for (Shard shard : all) {
      RpcClient client = new RpcClient(shard, services.network(), options);
      clients.add(client);
      byShard.put(shard, client);
      controllers.put(
          shard,
          new ControllerChannel(
              shard, client, () -> quorum.leaderEndpoint(), config.quorum().requestTimeoutMs()));
    }
    Uuid incarnation = new Uuid(loop.random().nextLong(), loop.random().nextLong());
    if (config.node().isController()) {
      controller = new ControllerPart(services, quorum, metadata);
      controller.start(controllers.get(loop), incarnation);
    }
    if (config.node().isBroker()) {
      broker =
          new BrokerPart(
              services,
              metadata,
              quorum,
              byShard,
              controllers,
              why -> onFatal.accept(new IllegalStateException(why)));
      broker.start(incarnation);
    } else {
      quorum.register(metadata);
    }
  }

  private LogDirectory metadataDirectory() {
    Path wanted = Path.of(services.config().node().metadataLogDir()).toAbsolutePath().normalize();
    for (LogDirectory d : services.directories()) {
      if (d.path().toAbsolutePath().normalize().equals(wanted)) {
        return d;
      }
    }
    throw new IllegalStateException("metadata.log.dir " + wanted + " is not open");
  }

  private QuorumConfig quorumConfig(KafkaConfig config) {
    QuorumSettings q = config.quorum();
    String listener = config.listeners().controllerNames().get(0);
    List<VoterSet.Voter> voters = new ArrayList<>();
    q.voters()
        .values()
        .forEach(v -> voters.add(VoterSet.Voter.fixed(v.id(), listener, v.endpoint())));
    List<VoterSet.Listener> own = new ArrayList<>();
    if (config.node().isController()) {
      ControllerPart.advertised(services)
          .forEach(l -> own.add(new VoterSet.Listener(l.name(), new Endpoint(l.host(), l.port()))));
    }
    return new QuorumConfig(
        config.node().nodeId(),
        metadataDirectory().meta().directoryId(),
        services.clusterId(),
        new VoterSet(voters),
        listener,
        new QuorumConfig.Timeouts(
            q.electionTimeoutMs(),
            q.fetchTimeoutMs(),
            q.electionBackoffMaxMs(),
            q.requestTimeoutMs(),
            q.retryBackoffMs(),
            QuorumConfig.Timeouts.DEFAULT.fetchMaxWaitMs(),
            q.fetchMaxBytes(),
            q.fetchSnapshotMaxBytes()),
        new QuorumConfig.Membership(own, q.bootstrapServers(), q.autoJoin()));
  }

  private static LogConfig metadataLogConfig(KafkaConfig config) {
    QuorumSettings.MetadataLog log = config.quorum().log();
    return LogConfig.builder()
        .segmentBytes(log.segmentBytes())
        .segmentMs(log.segmentMs())
        // What goes is said by snapshots alone; they go by the same limits.
        .cleanupPolicy(false, false)
        .retentionMs(log.retentionMs())
        .retentionBytes(log.retentionBytes())
        .maxMessageBytes(config.quorum().fetchMaxBytes())
        .fileDeleteDelayMs(TopicConfigs.logConfig(Map.of(), config).fileDeleteDelayMs())
        .build();
  }

  /** The broker role; null if this node has none, or has not started. */
  BrokerPart broker() {
    return broker;
  }

  /** What this node knows of the cluster. */
  Metadata metadata() {
    return metadata;
  }

  /** On the quorum loop: hands over, closes everything, and says so. */
  public void stop(Runnable done) {
    LOG.info("Stopping node {}", services.config().node().nodeId());
    if (broker == null) {
      stopQuorum(d -> d.close(-1), done);
    } else if (!broker.isInUse()) {
      stopQuorum(LogDirectory::leaveAsFound, done);
    } else {
      broker.stop(
          clean ->
              stopQuorum(clean ? d -> d.close(broker.lastEpoch()) : LogDirectory::abandon, done));
    }
  }

  private void stopQuorum(Consumer<LogDirectory> close, Runnable done) {
    if (controller != null) {
      controller.close();
    }
    quorum.shutdown(
        HAND_OVER_MS,
        () ->
            services
                .quorumLoop()
                .offload(
                    () -> {
                      services.directories().forEach(close);
                      return null;
                    },
                    (nothing, problem) -> {
                      if (problem != null) {
                        LOG.error("The log directories could not be closed cleanly", problem);
                      }
                      done.run();
                    }));
  }
}
