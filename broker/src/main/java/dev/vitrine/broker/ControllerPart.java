package dev.vitrine.broker;

import dev.vitrine.broker.api.Allowances;
import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.ApiListener;
import dev.vitrine.broker.api.ApiTable;
import dev.vitrine.broker.api.ApiVersionsHandler;
import dev.vitrine.broker.api.DescribeClusterHandler;
import dev.vitrine.broker.api.DescribeConfigsHandler;
import dev.vitrine.broker.api.ListenerType;
import dev.vitrine.broker.api.LoggerChanges;
import dev.vitrine.broker.api.Loggers;
import dev.vitrine.broker.api.OpenConnections;
import dev.vitrine.broker.control.BrokerHeartbeatHandler;
import dev.vitrine.broker.control.BrokerRegistrationHandler;
import dev.vitrine.broker.control.ClusterFeatures;
import dev.vitrine.broker.control.ClusterMetrics;
import dev.vitrine.broker.control.ControllerChannel;
import dev.vitrine.broker.control.ControllerConfigsHandler;
import dev.vitrine.broker.control.ControllerHandler;
import dev.vitrine.broker.control.ControllerLifecycle;
import dev.vitrine.broker.control.EnvelopeHandler;
import dev.vitrine.broker.control.FailureDetector;
import dev.vitrine.broker.control.Metadata;
import dev.vitrine.broker.control.QuorumHandler;
import dev.vitrine.broker.quota.ConnectionLimits;
import dev.vitrine.broker.quota.ConnectionRules;
import dev.vitrine.broker.quota.ControllerTime;
import dev.vitrine.broker.quota.HostNames;
import dev.vitrine.config.KafkaConfig;
import dev.vitrine.config.Listener;
import dev.vitrine.controller.Controller;
import dev.vitrine.controller.ControllerConfig;
import dev.vitrine.controller.KafkaConfigValidator;
import dev.vitrine.metadata.LiveConfig;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.ControllerRegistrationRequest;
import dev.vitrine.quorum.QuorumDriver;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Network;
import dev.vitrine.seam.Shard;
import java.util.ArrayList;
import java.util.List;

/**
 * The controller role of a node: the controller itself and the listener for brokers, voters and
 * tools. All of it runs on the quorum loop.
 */
final class ControllerPart {
  private final NodeServices services;
  private final QuorumDriver quorum;
  private final Metadata metadata;
  private final Controller controller;
  private final HostNames names;

  /** Null if brokers are only judged by their sessions. */
  private final FailureDetector detector;

  private final List<Network.Server> servers = new ArrayList<>();

  ControllerPart(NodeServices services, QuorumDriver quorum, Metadata metadata) {
    this.services = services;
    this.quorum = quorum;
    this.metadata = metadata;
    KafkaConfig config = services.config();
    this.names = new HostNames(services.quorumLoop(), services.network());
    this.controller =
        new Controller(
            ControllerConfig.of(config, services.clusterId())
                .isHost(name -> names.addressOf(name) != null),
            quorum,
            services.quorumLoop(),
            new KafkaConfigValidator(config));
    this.detector =
        config.vitrine().detectsByConnection()
            ? new FailureDetector(
                services.quorumLoop(),
                services.network(),
                judge(),
                config.node().nodeId(),
                config.listeners().interBroker())
            : null;
  }

  private FailureDetector.Judge judge() {
    return new FailureDetector.Judge() {
      @Override
      public boolean isActive() {
        return controller.isActive();
      }

      @Override
      public MetadataImage image() {
        return controller.image();
      }

      @Override
      public boolean isAlive(int brokerId, long brokerEpoch) {
        return controller.isAlive(brokerId, brokerEpoch);
      }

      @Override
      public void fence(int brokerId, long brokerEpoch) {
        controller.fence(brokerId, brokerEpoch);
      }
    };
  }

  /** Opens the listeners and begins to follow the log. */
  void start(ControllerChannel toActive, Uuid incarnation) {
    controller.start();
    KafkaConfig config = services.config();
    if (detector != null) {
      quorum.register(detector);
    }
    ApiTable table = table();
    Allowances allowances = allowances();
    for (Listener l : config.listeners().controllers()) {
      Network.Server server =
          services
              .network()
              .listen(
                  new Endpoint(l.host(), l.port()),
                  List.of(services.quorumLoop()),
                  config.sockets().requestMaxBytes(),
                  new ApiListener(
                      l.name(),
                      table,
                      services.network().allocator(),
                      config.sockets().maxIdleMs(),
                      allowances,
                      services.metrics()::on));
      servers.add(server);
    }
    int self = config.node().nodeId();
    services
        .metrics()
        .add(new ClusterMetrics(metadata, () -> metadata.controller().leaderId() == self));
    new ControllerLifecycle(registration(incarnation), services.quorumLoop(), toActive, metadata)
        .start();
  }

  /** With the failure detector listening to what it needs. */
  private ApiHandler handlerOf(ApiKeys api, ControllerHandler handler, Loggers loggers) {
    if (api == ApiKeys.INCREMENTAL_ALTER_CONFIGS) {
      int nodeId = services.config().node().nodeId();
      return new ControllerConfigsHandler(new LoggerChanges(loggers, nodeId), handler);
    }
    return detector == null ? handler : watched(api, handler);
  }

  private ApiHandler watched(ApiKeys api, ControllerHandler handler) {
    return switch (api) {
      case BROKER_HEARTBEAT -> new BrokerHeartbeatHandler(handler, detector);
      case BROKER_REGISTRATION -> new BrokerRegistrationHandler(handler, detector);
      default -> handler;
    };
  }

  /** How many may connect. How long a client is held back, the controller says in its answers. */
  private Allowances allowances() {
    Shard loop = services.quorumLoop();
    OpenConnections open = new OpenConnections(List.of(loop));
    KafkaConfig config = services.config();
    ConnectionLimits limits =
        new ConnectionLimits(
            loop,
            config,
            config.listeners().controllers().stream().map(Listener::name).toList(),
            open);
    ConnectionRules rules = new ConnectionRules(loop, limits, names, new LiveConfig(config));
    rules.start();
    metadata.subscribe(rules);
    return new Allowances(null, limits, open);
  }

  /** What the listener serves. */
  ApiTable table() {
    Shard loop = services.quorumLoop();
    ApiTable table = new ApiTable(ListenerType.CONTROLLER);
    Loggers loggers = new LogbackLoggers();
    QuorumHandler quorumHandler = new QuorumHandler(loop, quorum);
    for (ApiKeys api :
        List.of(
            ApiKeys.FETCH,
            ApiKeys.VOTE,
            ApiKeys.BEGIN_QUORUM_EPOCH,
            ApiKeys.END_QUORUM_EPOCH,
            ApiKeys.DESCRIBE_QUORUM,
            ApiKeys.FETCH_SNAPSHOT,
            ApiKeys.ADD_RAFT_VOTER,
            ApiKeys.REMOVE_RAFT_VOTER,
            ApiKeys.UPDATE_RAFT_VOTER)) {
      table.add(api, quorumHandler);
    }
    ControllerHandler handler =
        new ControllerHandler(
            loop, controller, names, new ControllerTime(services.config().quotas().clients()));
    for (ApiKeys api : Controller.APIS) {
      table.add(api, handlerOf(api, handler, loggers));
    }
    table.add(ApiKeys.ENVELOPE, new EnvelopeHandler(table, handler, quorumHandler));
    table.add(
        ApiKeys.API_VERSIONS,
        new ApiVersionsHandler(
            table,
            new ClusterFeatures(metadata, () -> quorum.kraftVersion()),
            services.clusterId(),
            services.config().node().nodeId()));
    table.add(
        ApiKeys.DESCRIBE_CONFIGS,
        new DescribeConfigsHandler(metadata, new LiveConfig(services.config()), loggers));
    table.add(
        ApiKeys.DESCRIBE_CLUSTER,
        new DescribeClusterHandler(
            ListenerType.CONTROLLER,
            metadata,
            services.clusterId(),
            () -> metadata.controller().leaderId()));
    return table;
  }

  private ControllerRegistrationRequest registration(Uuid incarnation) {
    KafkaConfig config = services.config();
    ControllerRegistrationRequest request =
        new ControllerRegistrationRequest()
            .controllerId(config.node().nodeId())
            .incarnationId(incarnation)
            .zkMigrationReady(false);
    for (Listener l : advertised(services)) {
      request
          .listeners()
          .add(
              new ControllerRegistrationRequest.Listener()
                  .name(l.name())
                  .host(l.host())
                  .port(l.port())
                  .securityProtocol(l.protocol().id()));
    }
    ControllerConfig.supportedFeatures()
        .forEach(
            (name, range) ->
                request
                    .features()
                    .add(
                        new ControllerRegistrationRequest.Feature()
                            .name(name)
                            .minSupportedVersion(range.min())
                            .maxSupportedVersion(range.max())));
    return request;
  }

  /** Where others reach this controller, under the names of its listeners. */
  static List<Listener> advertised(NodeServices services) {
    KafkaConfig config = services.config();
    var self = config.quorum().voters().get(config.node().nodeId());
    return config.listeners().advertisedControllers(self).stream()
        .map(
            l ->
                l.isWildcard()
                    ? new Listener(l.name(), l.protocol(), services.hostName(), l.port())
                    : l)
        .toList();
  }

  void close() {
    servers.forEach(Network.Server::close);
  }
}
