package dev.vitrine.broker;

import dev.vitrine.broker.api.AlterConfigsHandler;
import dev.vitrine.broker.api.AlterReplicaLogDirsHandler;
import dev.vitrine.broker.api.ApiTable;
import dev.vitrine.broker.api.ApiVersionsHandler;
import dev.vitrine.broker.api.DeleteRecordsHandler;
import dev.vitrine.broker.api.DescribeClientQuotasHandler;
import dev.vitrine.broker.api.DescribeClusterHandler;
import dev.vitrine.broker.api.DescribeConfigsHandler;
import dev.vitrine.broker.api.DescribeLogDirsHandler;
import dev.vitrine.broker.api.DescribeProducersHandler;
import dev.vitrine.broker.api.DescribeTopicPartitionsHandler;
import dev.vitrine.broker.api.DescribeUserScramCredentialsHandler;
import dev.vitrine.broker.api.FetchHandler;
import dev.vitrine.broker.api.FindCoordinatorHandler;
import dev.vitrine.broker.api.IncrementalAlterConfigsHandler;
import dev.vitrine.broker.api.InitProducerIdHandler;
import dev.vitrine.broker.api.ListConfigResourcesHandler;
import dev.vitrine.broker.api.ListOffsetsHandler;
import dev.vitrine.broker.api.ListenerType;
import dev.vitrine.broker.api.LoggerChanges;
import dev.vitrine.broker.api.Loggers;
import dev.vitrine.broker.api.MetadataHandler;
import dev.vitrine.broker.api.OffsetForLeaderEpochHandler;
import dev.vitrine.broker.api.ProduceHandler;
import dev.vitrine.broker.api.TopicCreator;
import dev.vitrine.broker.control.ClusterFeatures;
import dev.vitrine.broker.control.ControllerChannel;
import dev.vitrine.broker.control.DescribeQuorumHandler;
import dev.vitrine.broker.control.Forwarding;
import dev.vitrine.broker.control.ProducerIds;
import dev.vitrine.broker.group.GroupCoordinators;
import dev.vitrine.broker.observe.ShardMeters;
import dev.vitrine.broker.partition.Partition;
import dev.vitrine.broker.quota.BrokerQuotas;
import dev.vitrine.broker.replication.LocalReplicas;
import dev.vitrine.broker.replication.LogStore;
import dev.vitrine.broker.replication.Replicas;
import dev.vitrine.broker.telemetry.ClientTelemetry;
import dev.vitrine.config.KafkaConfig;
import dev.vitrine.metadata.ImageChange;
import dev.vitrine.metadata.LiveConfig;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.seam.Shard;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Everything that a broker offers to clients, and the coordinators behind it: which handler serves
 * which API. Put together once on the quorum loop; what it makes belongs to whom its own comment
 * says.
 */
final class BrokerApis {
  /** What only the controller can decide. */
  private static final List<ApiKeys> FORWARDED =
      List.of(
          ApiKeys.DELETE_TOPICS,
          ApiKeys.CREATE_PARTITIONS,
          ApiKeys.ELECT_LEADERS,
          ApiKeys.ALTER_CLIENT_QUOTAS,
          ApiKeys.ALTER_PARTITION_REASSIGNMENTS,
          ApiKeys.LIST_PARTITION_REASSIGNMENTS,
          ApiKeys.UPDATE_FEATURES,
          ApiKeys.UNREGISTER_BROKER,
          ApiKeys.ADD_RAFT_VOTER,
          ApiKeys.REMOVE_RAFT_VOTER,
          ApiKeys.CREATE_TOPICS);

  private final NodeServices services;
  private final KafkaConfig config;
  private final LiveConfig live;
  private final Supplier<MetadataImage> metadata;
  private final BrokerQuotas quotas;
  private final Map<Shard, ControllerChannel> controllers;
  private final GroupCoordinators groups;
  private final ProducerIds producerIds;
  private final ClusterFeatures features;

  /** Written and read on the quorum loop. */
  private long brokerEpoch = -1;

  BrokerApis(
      NodeServices services,
      LiveConfig live,
      Supplier<MetadataImage> metadata,
      Supplier<Short> kraftVersion,
      Map<Shard, ControllerChannel> controllers) {
    this.features = new ClusterFeatures(metadata, kraftVersion);
    this.services = services;
    this.config = services.config();
    this.live = live;
    this.quotas = new BrokerQuotas(services.shards().get(0), config.quotas().clients());
    this.metadata = metadata;
    this.controllers = controllers;
    this.groups = new GroupCoordinators(services.shards(), live, metadata);
    this.producerIds =
        new ProducerIds(
            services.quorumLoop(),
            controllers.get(services.quorumLoop()),
            config.node().nodeId(),
            () -> brokerEpoch);
  }

  /** Hears of the moves of high watermarks on that shard. */
  Consumer<Partition> committedOn(Shard shard) {
    return groups.committedFor(shard);
  }

  /** Hears of the roles of that shard's replicas. */
  LocalReplicas.Observer observerOn(Shard shard) {
    return groups.observerFor(shard);
  }

  /** On the quorum loop. */
  void metadataChanged(ImageChange change) {
    groups.metadataChanged(change);
    for (TopicImage topic : change.deletedTopics()) {
      for (Shard shard : services.shards()) {
        ShardMeters meters = services.metrics().on(shard);
        shard.execute(() -> meters.topics().forget(topic.name()));
      }
    }
    if (change.security()) {
      quotas.set(change.after().security());
    }
  }

  /** This broker is registered with that epoch. */
  void registered(long epoch) {
    brokerEpoch = epoch;
  }

  /** Of this broker's clients. */
  BrokerQuotas quotas() {
    return quotas;
  }

  void addTo(ApiTable table, Replicas replicas, LogStore logs) {
    table
        .add(
            ApiKeys.API_VERSIONS,
            new ApiVersionsHandler(table, features, services.clusterId(), config.node().nodeId()))
        .add(ApiKeys.PRODUCE, new ProduceHandler(replicas, metadata))
        .add(
            ApiKeys.FETCH,
            new FetchHandler(
                replicas,
                metadata,
                config.sockets(),
                config.replication().rackAware(),
                quotas,
                services.metrics()::on));
    Forwarding forwarding = new Forwarding(controllers, config.broker().requestTimeoutMs());
    FORWARDED.forEach(api -> table.addForwarded(api, forwarding));
    TopicCreator creator = new TopicCreator(config, forwarding);
    table.add(
        ApiKeys.METADATA, new MetadataHandler(metadata, config, services.clusterId(), creator));
    table
        .add(ApiKeys.DELETE_RECORDS, new DeleteRecordsHandler(replicas, metadata))
        .add(ApiKeys.LIST_OFFSETS, new ListOffsetsHandler(replicas, metadata))
        .add(ApiKeys.OFFSET_FOR_LEADER_EPOCH, new OffsetForLeaderEpochHandler(replicas, metadata))
        .add(ApiKeys.FIND_COORDINATOR, new FindCoordinatorHandler(metadata, creator))
        .add(ApiKeys.INIT_PRODUCER_ID, new InitProducerIdHandler(producerIds::take));
    groups.addTo(table);
    groups.addTo(services.metrics(), replicas);
    if (config.telemetry().enabled()) {
      new ClientTelemetry(services.shards(), metadata, config.telemetry().maxBytes())
          .addTo(table, services.metrics());
    }
    addConfigs(table, forwarding);
    addDescriptions(table, replicas, logs);
    table.add(
        ApiKeys.ALTER_REPLICA_LOG_DIRS, new AlterReplicaLogDirsHandler(replicas, logs, metadata));
  }

  private void addConfigs(ApiTable table, Forwarding forwarding) {
    Loggers loggers = new LogbackLoggers();
    table
        .add(ApiKeys.DESCRIBE_CONFIGS, new DescribeConfigsHandler(metadata, live, loggers))
        .add(ApiKeys.DESCRIBE_CLIENT_QUOTAS, new DescribeClientQuotasHandler(metadata))
        .add(
            ApiKeys.DESCRIBE_USER_SCRAM_CREDENTIALS,
            new DescribeUserScramCredentialsHandler(metadata))
        .add(ApiKeys.LIST_CONFIG_RESOURCES, new ListConfigResourcesHandler(metadata))
        .addForwarded(
            ApiKeys.ALTER_CONFIGS, new AlterConfigsHandler(metadata, live, forwarding::forward))
        .addForwarded(
            ApiKeys.INCREMENTAL_ALTER_CONFIGS,
            new IncrementalAlterConfigsHandler(
                metadata,
                live,
                new LoggerChanges(loggers, config.node().nodeId()),
                forwarding::forward));
  }

  private void addDescriptions(ApiTable table, Replicas replicas, LogStore logs) {
    table
        .add(
            ApiKeys.DESCRIBE_CLUSTER,
            new DescribeClusterHandler(
                ListenerType.BROKER, metadata, services.clusterId(), () -> -1))
        .add(
            ApiKeys.DESCRIBE_TOPIC_PARTITIONS,
            new DescribeTopicPartitionsHandler(metadata, config.sockets().requestPartitionLimit()))
        .add(ApiKeys.DESCRIBE_LOG_DIRS, new DescribeLogDirsHandler(replicas, logs, services.disk()))
        .add(ApiKeys.DESCRIBE_PRODUCERS, new DescribeProducersHandler(replicas, metadata))
        .addForwarded(
            ApiKeys.DESCRIBE_QUORUM,
            new DescribeQuorumHandler(controllers, config.broker().requestTimeoutMs()));
  }
}
