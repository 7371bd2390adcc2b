package dev.vitrine.broker;

import dev.vitrine.broker.api.Allowances;
import dev.vitrine.broker.api.ApiListener;
import dev.vitrine.broker.api.ApiTable;
import dev.vitrine.broker.api.ListenerType;
import dev.vitrine.broker.api.OpenConnections;
import dev.vitrine.broker.control.AlterPartitionChannel;
import dev.vitrine.broker.control.BrokerLifecycle;
import dev.vitrine.broker.control.ControllerChannel;
import dev.vitrine.broker.control.CountedProposals;
import dev.vitrine.broker.control.DirectoryAssignments;
import dev.vitrine.broker.control.Metadata;
import dev.vitrine.broker.control.SinceRegistration;
import dev.vitrine.broker.fault.ApiFaults;
import dev.vitrine.broker.observe.Metric;
import dev.vitrine.broker.observe.Sample;
import dev.vitrine.broker.observe.ShardMeters;
import dev.vitrine.broker.partition.BatchAppender;
import dev.vitrine.broker.partition.PartitionContext;
import dev.vitrine.broker.partition.ReplicaEligibility;
import dev.vitrine.broker.partition.ReplicationQuota;
import dev.vitrine.broker.quota.ConnectionLimits;
import dev.vitrine.broker.quota.ConnectionRules;
import dev.vitrine.broker.quota.HostNames;
import dev.vitrine.broker.replication.FetcherOptions;
import dev.vitrine.broker.replication.Fetchers;
import dev.vitrine.broker.replication.Housekeeping;
import dev.vitrine.broker.replication.LocalReplicas;
import dev.vitrine.broker.replication.LogMoves;
import dev.vitrine.broker.replication.LogStore;
import dev.vitrine.broker.replication.ReplicaMetrics;
import dev.vitrine.broker.replication.ReplicaPlacement;
import dev.vitrine.broker.replication.Replicas;
import dev.vitrine.config.KafkaConfig;
import dev.vitrine.config.Listener;
import dev.vitrine.config.LogSettings;
import dev.vitrine.controller.ControllerConfig;
import dev.vitrine.metadata.BrokerEndpoint;
import dev.vitrine.metadata.BrokerRegistration;
import dev.vitrine.metadata.ImageChange;
import dev.vitrine.metadata.LiveConfig;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.BrokerRegistrationRequest;
import dev.vitrine.quorum.RaftClient;
import dev.vitrine.rpc.RpcClient;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Network;
import dev.vitrine.seam.Shard;
import dev.vitrine.storage.Log;
import dev.vitrine.storage.LogDirectory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The broker role of a node, put together: replicas on their shards, the APIs of clients, the
 * relation with the controller. Built, started and stopped on the quorum loop; what it makes
 * belongs to whom its own comment says.
 */
final class BrokerPart {
  private static final Logger LOG = LoggerFactory.getLogger(BrokerPart.class);
  private static final long CONTROLLED_SHUTDOWN_MS = 30_000;

  // Kafka's states of a broker, as its metric has them.
  private static final int STARTING = 1;
  private static final int RUNNING = 3;
  private static final int LEAVING = 6;

  private final NodeServices services;
  private final KafkaConfig config;
  private final LiveConfig live;
  private final Metadata metadata;
  private final RaftClient quorum;
  private final LogStore logs;
  private final ReplicationQuota moving;
  private final Map<Shard, RpcClient> clients;
  private final Map<Shard, ControllerChannel> controllers;
  private final DirectoryAssignments assignments;
  private final BrokerApis apis;
  private final Replicas replicas;
  private final ReplicaPlacement placement;
  private final Housekeeping housekeeping;
  private final List<Network.Server> servers = new ArrayList<>();
  private final Consumer<String> onRefused;
  private volatile long brokerEpoch = -1;
  private volatile SinceRegistration sinceRegistration;
  private volatile int state = STARTING;
  private BrokerLifecycle lifecycle;

  /**
   * @param clients one for each shard and the quorum loop
   * @param controllers the ways to the active controller, one for each client
   * @param onRefused hears why the cluster cannot have this broker
   */
  BrokerPart(
      NodeServices services,
      Metadata metadata,
      RaftClient quorum,
      Map<Shard, RpcClient> clients,
      Map<Shard, ControllerChannel> controllers,
      Consumer<String> onRefused) {
    this.services = services;
    this.config = services.config();
    this.metadata = metadata;
    this.quorum = quorum;
    this.clients = clients;
    this.controllers = controllers;
    this.onRefused = onRefused;
    this.logs = new LogStore(services.directories(), services.offline());
    LogSettings.Moves moves = config.logs().moves();
    this.moving = new ReplicationQuota(moves.windows(), moves.windowMs());
    this.assignments =
        new DirectoryAssignments(
            services.quorumLoop(),
            controllers.get(services.quorumLoop()),
            config.node().nodeId(),
            () -> brokerEpoch);
    this.live = new LiveConfig(config);
    this.apis =
        new BrokerApis(
            services, live, this::shownToClients, () -> quorum.kraftVersion(), controllers);
    List<LocalReplicas> shards = new ArrayList<>();
    for (Shard shard : services.shards()) {
      shards.add(localReplicas(shard));
    }
    this.replicas = new Replicas(shards);
    this.placement = new ReplicaPlacement(live, replicas, moving);
    this.housekeeping =
        new Housekeeping(
            replicas,
            logs,
            new Housekeeping.Intervals(
                Math.max(1, config.replication().lagTimeMaxMs() / 2),
                config.logs().initialTaskDelayMs(),
                config.logs().retentionCheckIntervalMs(),
                config.vitrine().writebackMs(),
                config.replication().highWatermarkCheckpointIntervalMs(),
                config.logs().recoveryPointCheckpointIntervalMs()));
  }

  private void tell(Sample into) {
    into.add(Metric.BROKER_STATE, state);
    into.add(Metric.LAST_APPLIED_OFFSET, metadata.get().offset());
    int offline = services.offline().size();
    services.offline().forEach(path -> into.add(Metric.DIRECTORY_OFFLINE, true, path.toString()));
    for (LogDirectory d : services.directories()) {
      boolean failed = d.failure() != null;
      offline += failed ? 1 : 0;
      into.add(Metric.DIRECTORY_OFFLINE, failed, d.path().toString());
    }
    into.add(Metric.OFFLINE_DIRECTORIES, offline);
  }

  private LocalReplicas localReplicas(Shard shard) {
    ShardMeters meters = services.metrics().on(shard);
    PartitionContext context =
        new PartitionContext(
            shard,
            config.node().nodeId(),
            () -> brokerEpoch,
            config.replication().lagTimeMaxMs(),
            new Eligibility(metadata),
            new CountedProposals(
                new AlterPartitionChannel(
                    shard, controllers.get(shard), config.node().nodeId(), () -> brokerEpoch),
                metadata,
                meters),
            new BatchAppender(shard, services.network().allocator(), meters.topics()),
            this::directoryOf,
            apis.committedOn(shard));
    Fetchers fetchers = new Fetchers(fetcherOptions(), shard, clients.get(shard), this::endpointOf);
    LogMoves moves = new LogMoves(shard, logs, moving, assignments);
    return new LocalReplicas(context, logs, fetchers, apis.observerOn(shard), moves);
  }

  private FetcherOptions fetcherOptions() {
    return new FetcherOptions(
        config.node().nodeId(),
        () -> brokerEpoch,
        config.replication().fetching(),
        config.replication().rackAware(),
        config.vitrine().truncateToHighWatermark());
  }

  private Endpoint endpointOf(int brokerId) {
    BrokerEndpoint e = metadata.get().aliveEndpoint(brokerId, config.listeners().interBroker());
    return e == null ? null : new Endpoint(e.host(), e.port());
  }

  private Uuid directoryOf(Log log) {
    for (LogDirectory d : services.directories()) {
      if (d.log(log.partition()) == log) {
        return d.meta().directoryId();
      }
    }
    return Uuid.ZERO;
  }

  /** Who may be in an in-sync set, by the newest image. */
  private record Eligibility(Metadata metadata) implements ReplicaEligibility {
    @Override
    public boolean isEligible(int brokerId) {
      return metadata.get().cluster().isActive(brokerId);
    }

    @Override
    public boolean isEligible(int brokerId, long brokerEpoch) {
      BrokerRegistration b = metadata.get().broker(brokerId);
      return b != null && b.isActive() && (brokerEpoch < 0 || b.epoch() == brokerEpoch);
    }

    @Override
    public boolean hasReplica(Uuid topicId, int partition, int brokerId) {
      MetadataImage image = metadata.get();
      BrokerRegistration b = image.broker(brokerId);
      PartitionImage p = image.partition(topicId, partition);
      Uuid directory = p == null ? null : p.directory(brokerId);
      return b != null && directory != null && b.hasOnlineDirectory(directory);
    }
  }

  /** Loads the logs, then follows the metadata, opens the listeners and joins the cluster. */
  void start(Uuid incarnation) {
    Countdown left = new Countdown(services.directories().size(), () -> loaded(incarnation));
    for (LogDirectory d : services.directories()) {
      d.load(services.quorumLoop(), new Placement(), loaded -> left.one());
    }
  }

  /** Until the metadata says more, a log is configured as this broker's defaults are. */
  private final class Placement implements LogDirectory.Placement {
    private final dev.vitrine.storage.LogConfig defaults =
        dev.vitrine.config.TopicConfigs.logConfig(Map.of(), config);

    @Override
    public Shard shard(dev.vitrine.protocol.TopicPartition partition) {
      return services.shards().get(Replicas.indexOf(partition, services.shards().size()));
    }

    @Override
    public dev.vitrine.storage.LogConfig config(dev.vitrine.protocol.TopicPartition partition) {
      return defaults;
    }
  }

  private void loaded(Uuid incarnation) {
    sinceRegistration =
        new SinceRegistration(config.node().nodeId(), incarnation, this::metadataChanged);
    metadata.subscribe(sinceRegistration);
    Allowances allowances = allowances();
    quorum.register(metadata);
    ApiFaults faults = services.faults();
    ApiTable table = new ApiTable(ListenerType.BROKER);
    if (faults != null) {
      faults.topicNames(
          id -> {
            TopicImage topic = metadata.get().topic(id);
            return topic == null ? null : topic.name();
          });
      table = new ApiTable(ListenerType.BROKER, faults::around);
    }
    apis.addTo(table, replicas, logs);
    for (LocalReplicas r : replicas.shards()) {
      services.metrics().add(new ReplicaMetrics(r, metadata));
    }
    services.metrics().add(this::tell);
    Map<String, Integer> ports = new LinkedHashMap<>();
    for (Listener l : config.listeners().brokers()) {
      Network.Server server =
          services
              .network()
              .listen(
                  new Endpoint(l.host(), l.port()),
                  services.shards(),
                  config.sockets().requestMaxBytes(),
                  new ApiListener(
                      l.name(),
                      table,
                      services.network().allocator(),
                      config.sockets().maxIdleMs(),
                      allowances,
                      services.metrics()::on));
      servers.add(server);
      ports.put(l.name(), server.port());
    }
    housekeeping.start();
    lifecycle =
        new BrokerLifecycle(
            new BrokerLifecycle.Options(
                registration(incarnation, ports),
                config.broker().heartbeatIntervalMs(),
                config.broker().sessionTimeoutMs(),
                () -> metadata.get().offset()),
            services.quorumLoop(),
            controllers.get(services.quorumLoop()),
            new Joined());
    metadata.onControllerChange(lifecycle::controllerChanged);
    for (LogDirectory d : services.directories()) {
      d.onFailure(why -> services.quorumLoop().execute(() -> directoryFailed(d)));
    }
    lifecycle.start();
    lifecycle.ready();
  }

  /** What clients may do. All broker listeners accept on the first shard. */
  private Allowances allowances() {
    Shard first = services.shards().get(0);
    OpenConnections open = new OpenConnections(services.shards());
    ConnectionLimits limits =
        new ConnectionLimits(
            first,
            config,
            config.listeners().brokers().stream().map(Listener::name).toList(),
            open);
    ConnectionRules rules =
        new ConnectionRules(first, limits, new HostNames(first, services.network()), live);
    rules.start();
    metadata.subscribe(rules);
    return new Allowances(apis.quotas(), limits, open);
  }

  /** Without its metadata log, or without any place for records, a broker is of no use. */
  private void directoryFailed(LogDirectory failed) {
    Path metadataDir = Path.of(config.node().metadataLogDir()).toAbsolutePath().normalize();
    boolean all = services.directories().stream().allMatch(d -> d.failure() != null);
    if (all || failed.path().toAbsolutePath().normalize().equals(metadataDir)) {
      onRefused.accept(
          all
              ? "all log directories have failed"
              : "the log directory of the metadata, " + metadataDir + ", has failed");
      return;
    }
    replicas.shards().forEach(s -> s.shard().execute(s::directoryFailed));
    lifecycle.directoryFailed(failed.meta().directoryId(), config.logs().dirFailureTimeoutMs());
  }

  private MetadataImage shownToClients() {
    SinceRegistration since = sinceRegistration;
    return since == null ? MetadataImage.EMPTY : since.get();
  }

  private void metadataChanged(ImageChange change) {
    placement.apply(change);
    apis.metadataChanged(change);
  }

  private final class Joined implements BrokerLifecycle.Listener {
    @Override
    public void registered(long epoch) {
      brokerEpoch = epoch;
      apis.registered(epoch);
    }

    @Override
    public void running() {
      state = RUNNING;
      // Kafka's words, which tools wait for that start a container.
      LOG.info(
          "Broker {} has been unfenced. Transitioning from RECOVERY to RUNNING; it serves clients on {}",
          config.node().nodeId(),
          config.listeners().brokers());
      placement.setStraysAside(logs, metadata);
    }

    @Override
    public void refused(String why) {
      onRefused.accept(why);
    }
  }

  private BrokerRegistrationRequest registration(Uuid incarnation, Map<String, Integer> ports) {
    BrokerRegistrationRequest request =
        new BrokerRegistrationRequest()
            .brokerId(config.node().nodeId())
            .clusterId(services.clusterId())
            .incarnationId(incarnation)
            .rack(config.node().rack());
    request.previousBrokerEpoch(previousEpoch());
    for (LogDirectory d : services.directories()) {
      request.logDirs().add(d.meta().directoryId());
    }
    for (Listener l : config.listeners().advertisedBrokers()) {
      request
          .listeners()
          .add(
              new BrokerRegistrationRequest.Listener()
                  .name(l.name())
                  .host(l.isWildcard() ? services.hostName() : l.host())
                  .port(l.port() == 0 ? ports.getOrDefault(l.name(), 0) : l.port())
                  .securityProtocol(l.protocol().id()));
    }
    ControllerConfig.supportedFeatures()
        .forEach(
            (name, range) ->
                request
                    .features()
                    .add(
                        new BrokerRegistrationRequest.Feature()
                            .name(name)
                            .minSupportedVersion(range.min())
                            .maxSupportedVersion(range.max())));
    return request;
  }

  /** As the last process left it in every directory alike; -1 if it did not: then it crashed. */
  private long previousEpoch() {
    Set<OptionalLong> epochs = new HashSet<>();
    services.directories().forEach(d -> epochs.add(d.lastBrokerEpoch()));
    return epochs.size() == 1 ? epochs.iterator().next().orElse(-1) : -1;
  }

  /**
   * Hands over the leaderships and closes every log; {@code done} hears whether all of them are
   * complete.
   */
  void stop(Consumer<Boolean> done) {
    state = LEAVING;
    long patience = config.broker().controlledShutdown() ? CONTROLLED_SHUTDOWN_MS : 0;
    lifecycle.shutDown(patience, () -> closeReplicas(done));
  }

  private void closeReplicas(Consumer<Boolean> done) {
    servers.forEach(Network.Server::close);
    housekeeping.stop();
    quorum.unregister(metadata);
    Countdown closed =
        new Countdown(
            replicas.shards().size(),
            () ->
                housekeeping.checkpointHighWatermarks(
                    () -> services.quorumLoop().execute(() -> closeLogs(done))));
    for (LocalReplicas shard : replicas.shards()) {
      shard
          .shard()
          .execute(
              () -> {
                shard.close();
                services.quorumLoop().execute(closed::one);
              });
    }
  }

  private void closeLogs(Consumer<Boolean> done) {
    List<Log> open = new ArrayList<>(logs.logs());
    open.removeIf(log -> log.partition().equals(LogDirectory.METADATA));
    open.addAll(logs.futures());
    boolean[] clean = {true};
    Countdown left = new Countdown(open.size() + 1, () -> done.accept(clean[0]));
    for (Log log : open) {
      Consumer<Throwable> closed =
          Replicas.reply(
              services.quorumLoop(),
              problem -> {
                clean[0] &= problem == null;
                left.one();
              });
      replicas.ownerOf(log.partition()).shard().execute(() -> log.close(closed));
    }
    left.one();
  }

  /** Whether all logs are loaded; before, there is nothing to {@link #stop}. */
  boolean isInUse() {
    return lifecycle != null;
  }

  /** Of the registration of this process; -1 before. */
  long brokerEpoch() {
    return brokerEpoch;
  }

  /**
   * For the mark of a clean stop. A process that was never registered hands on what the one before
   * it left: nothing was lost meanwhile, and without it this replica would count as one that may
   * have crashed, and would no longer be eligible to lead.
   */
  long lastEpoch() {
    return brokerEpoch >= 0 ? brokerEpoch : previousEpoch();
  }

  Replicas replicas() {
    return replicas;
  }
}
