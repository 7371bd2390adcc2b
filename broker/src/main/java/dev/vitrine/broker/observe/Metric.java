package dev.vitrine.broker.observe;

import java.util.List;

/**
 * All metrics that a node tells, but those of the JVM and those of clients. The names are those
 * that the usual configuration of the Prometheus JMX exporter for Kafka in KRaft mode gives to
 * Apache Kafka's MBeans, the ones that dashboards ask for; lags of groups are called as
 * kafka-exporter calls them. docs/METRICS.md is made from this.
 */
public enum Metric {
  // ---- topics
  MESSAGES_IN(
      Kind.COUNTER,
      "kafka_server_brokertopicmetrics_messagesin_total",
      "kafka.server:type=BrokerTopicMetrics,name=MessagesInPerSec,topic=*",
      "Records appended to partitions that this broker leads.",
      "topic"),
  BYTES_IN(
      Kind.COUNTER,
      "kafka_server_brokertopicmetrics_bytesin_total",
      "kafka.server:type=BrokerTopicMetrics,name=BytesInPerSec,topic=*",
      "Bytes of the batches appended to partitions that this broker leads, as they came.",
      "topic"),
  BYTES_OUT(
      Kind.COUNTER,
      "kafka_server_brokertopicmetrics_bytesout_total",
      "kafka.server:type=BrokerTopicMetrics,name=BytesOutPerSec,topic=*",
      "Bytes of records read for consumers. An answer that a quota empties counts all the same.",
      "topic"),
  BYTES_REJECTED(
      Kind.COUNTER,
      "kafka_server_brokertopicmetrics_bytesrejected_total",
      "kafka.server:type=BrokerTopicMetrics,name=BytesRejectedPerSec,topic=*",
      "Bytes of batches refused with MESSAGE_TOO_LARGE.",
      "topic"),
  PRODUCE_REQUESTS(
      Kind.COUNTER,
      "kafka_server_brokertopicmetrics_totalproducerequests_total",
      "kafka.server:type=BrokerTopicMetrics,name=TotalProduceRequestsPerSec,topic=*",
      "Batches that were to be appended, one for each partition of a request.",
      "topic"),
  FAILED_PRODUCE_REQUESTS(
      Kind.COUNTER,
      "kafka_server_brokertopicmetrics_failedproducerequests_total",
      "kafka.server:type=BrokerTopicMetrics,name=FailedProduceRequestsPerSec,topic=*",
      "Those of them that failed for a reason of the broker's own, such as its disk.",
      "topic"),
  FETCH_REQUESTS(
      Kind.COUNTER,
      "kafka_server_brokertopicmetrics_totalfetchrequests_total",
      "kafka.server:type=BrokerTopicMetrics,name=TotalFetchRequestsPerSec,topic=*",
      "Partitions in answered fetches, of consumers and followers. Kafka counts each read of a fetch that waits; here a fetch counts once.",
      "topic"),
  FAILED_FETCH_REQUESTS(
      Kind.COUNTER,
      "kafka_server_brokertopicmetrics_failedfetchrequests_total",
      "kafka.server:type=BrokerTopicMetrics,name=FailedFetchRequestsPerSec,topic=*",
      "Those of them that failed for a reason of the broker's own.",
      "topic"),
  REPLICATION_BYTES_IN(
      Kind.COUNTER,
      "kafka_server_brokertopicmetrics_replicationbytesin_total",
      "kafka.server:type=BrokerTopicMetrics,name=ReplicationBytesInPerSec",
      "Bytes of records copied from leaders."),
  REPLICATION_BYTES_OUT(
      Kind.COUNTER,
      "kafka_server_brokertopicmetrics_replicationbytesout_total",
      "kafka.server:type=BrokerTopicMetrics,name=ReplicationBytesOutPerSec",
      "Bytes of records sent to followers."),

  // ---- replicas
  PARTITIONS(
      Kind.GAUGE,
      "kafka_server_replicamanager_partitioncount",
      "kafka.server:type=ReplicaManager,name=PartitionCount",
      "Replicas on this broker."),
  LEADERS(
      Kind.GAUGE,
      "kafka_server_replicamanager_leadercount",
      "kafka.server:type=ReplicaManager,name=LeaderCount",
      "Those of them that lead."),
  OFFLINE_REPLICAS(
      Kind.GAUGE,
      "kafka_server_replicamanager_offlinereplicacount",
      "kafka.server:type=ReplicaManager,name=OfflineReplicaCount",
      "Those of them whose log directory has failed."),
  UNDER_REPLICATED(
      Kind.GAUGE,
      "kafka_server_replicamanager_underreplicatedpartitions",
      "kafka.server:type=ReplicaManager,name=UnderReplicatedPartitions",
      "Partitions led here of which not all replicas are in sync; those that a reassignment adds don't count."),
  UNDER_MIN_ISR(
      Kind.GAUGE,
      "kafka_server_replicamanager_underminisrpartitioncount",
      "kafka.server:type=ReplicaManager,name=UnderMinIsrPartitionCount",
      "Partitions led here with fewer in-sync replicas than min.insync.replicas."),
  AT_MIN_ISR(
      Kind.GAUGE,
      "kafka_server_replicamanager_atminisrpartitioncount",
      "kafka.server:type=ReplicaManager,name=AtMinIsrPartitionCount",
      "Partitions led here with just min.insync.replicas in-sync replicas."),
  REASSIGNING(
      Kind.GAUGE,
      "kafka_server_replicamanager_reassigningpartitions",
      "kafka.server:type=ReplicaManager,name=ReassigningPartitions",
      "Partitions led here that are being reassigned."),
  ISR_SHRINKS(
      Kind.COUNTER,
      "kafka_server_replicamanager_isrshrinks_total",
      "kafka.server:type=ReplicaManager,name=IsrShrinksPerSec",
      "Changes that made the in-sync set of a partition led here smaller."),
  ISR_EXPANDS(
      Kind.COUNTER,
      "kafka_server_replicamanager_isrexpands_total",
      "kafka.server:type=ReplicaManager,name=IsrExpandsPerSec",
      "Changes that made the in-sync set of a partition led here larger."),
  FAILED_ISR_UPDATES(
      Kind.COUNTER,
      "kafka_server_replicamanager_failedisrupdates_total",
      "kafka.server:type=ReplicaManager,name=FailedIsrUpdatesPerSec",
      "Changes of the in-sync set that the controller refused."),
  MAX_LAG(
      Kind.MAXIMUM,
      "kafka_server_replicafetchermanager_maxlag",
      "kafka.server:type=ReplicaFetcherManager,name=MaxLag,clientId=Replica",
      "The most records by which a follower here is behind its leader's high watermark.",
      "clientId"),
  FOLLOWER_LAG(
      Kind.GAUGE,
      "kafka_server_fetcherlagmetrics_consumerlag",
      "kafka.server:type=FetcherLagMetrics,name=ConsumerLag,clientId=*,topic=*,partition=*",
      "Records by which the follower here is behind its leader's high watermark.",
      "clientId",
      "topic",
      "partition"),
  PURGATORY(
      Kind.GAUGE,
      "kafka_server_delayedoperationpurgatory_purgatorysize",
      "kafka.server:type=DelayedOperationPurgatory,name=PurgatorySize,delayedOperation=*",
      "What waits: Produce, batches that are not committed yet; Fetch, partitions of fetches that wait for more.",
      "delayedOperation"),

  // ---- partitions
  LOG_SIZE(
      Kind.GAUGE,
      "kafka_log_log_size",
      "kafka.log:type=Log,name=Size,topic=*,partition=*",
      "Bytes of the replica's log.",
      "topic",
      "partition"),
  LOG_END_OFFSET(
      Kind.GAUGE,
      "kafka_log_log_logendoffset",
      "kafka.log:type=Log,name=LogEndOffset,topic=*,partition=*",
      "The offset that the replica's next record will have.",
      "topic",
      "partition"),
  LOG_START_OFFSET(
      Kind.GAUGE,
      "kafka_log_log_logstartoffset",
      "kafka.log:type=Log,name=LogStartOffset,topic=*,partition=*",
      "The replica's first offset.",
      "topic",
      "partition"),
  LOG_SEGMENTS(
      Kind.GAUGE,
      "kafka_log_log_numlogsegments",
      "kafka.log:type=Log,name=NumLogSegments,topic=*,partition=*",
      "Segments of the replica's log.",
      "topic",
      "partition"),
  PARTITION_UNDER_REPLICATED(
      Kind.GAUGE,
      "kafka_cluster_partition_underreplicated",
      "kafka.cluster:type=Partition,name=UnderReplicated,topic=*,partition=*",
      "1 if not all replicas are in sync. Told by the leader alone.",
      "topic",
      "partition"),
  PARTITION_UNDER_MIN_ISR(
      Kind.GAUGE,
      "kafka_cluster_partition_underminisr",
      "kafka.cluster:type=Partition,name=UnderMinIsr,topic=*,partition=*",
      "1 if fewer than min.insync.replicas are in sync. Told by the leader alone.",
      "topic",
      "partition"),
  PARTITION_AT_MIN_ISR(
      Kind.GAUGE,
      "kafka_cluster_partition_atminisr",
      "kafka.cluster:type=Partition,name=AtMinIsr,topic=*,partition=*",
      "1 if just min.insync.replicas are in sync. Told by the leader alone.",
      "topic",
      "partition"),
  PARTITION_REPLICAS(
      Kind.GAUGE,
      "kafka_cluster_partition_replicascount",
      "kafka.cluster:type=Partition,name=ReplicasCount,topic=*,partition=*",
      "Replicas of the partition. Told by the leader alone.",
      "topic",
      "partition"),
  PARTITION_IN_SYNC(
      Kind.GAUGE,
      "kafka_cluster_partition_insyncreplicascount",
      "kafka.cluster:type=Partition,name=InSyncReplicasCount,topic=*,partition=*",
      "In-sync replicas of the partition. Told by the leader alone.",
      "topic",
      "partition"),
  LAST_STABLE_OFFSET_LAG(
      Kind.GAUGE,
      "kafka_cluster_partition_laststableoffsetlag",
      "kafka.cluster:type=Partition,name=LastStableOffsetLag,topic=*,partition=*",
      "Committed records behind an open transaction. Told by the leader alone.",
      "topic",
      "partition"),
  DIRECTORY_OFFLINE(
      Kind.GAUGE,
      "kafka_log_logmanager_logdirectoryoffline",
      "kafka.log:type=LogManager,name=LogDirectoryOffline,logDirectory=*",
      "1 if the log directory has failed.",
      "logDirectory"),
  OFFLINE_DIRECTORIES(
      Kind.GAUGE,
      "kafka_log_logmanager_offlinelogdirectorycount",
      "kafka.log:type=LogManager,name=OfflineLogDirectoryCount",
      "Log directories that have failed."),

  // ---- requests
  REQUESTS(
      Kind.COUNTER,
      "kafka_network_requestmetrics_requests_total",
      "kafka.network:type=RequestMetrics,name=RequestsPerSec,request=*,version=*",
      "Answered requests, on all listeners. Fetch is FetchConsumer and FetchFollower together.",
      "request",
      "version"),
  REQUEST_ERRORS(
      Kind.COUNTER,
      "kafka_network_requestmetrics_errors_total",
      "kafka.network:type=RequestMetrics,name=ErrorsPerSec,request=*,error=*",
      "Error codes in answers, each that an answer holds; also NONE.",
      "request",
      "error"),
  TOTAL_TIME(
      Kind.MILLISECONDS,
      "kafka_network_requestmetrics_totaltimems",
      "kafka.network:type=RequestMetrics,name=TotalTimeMs,request=*",
      "Milliseconds from the whole request to its answer. Quantiles are of the last five minutes.",
      "request"),
  REQUEST_QUEUE_TIME(
      Kind.MILLISECONDS,
      "kafka_network_requestmetrics_requestqueuetimems",
      "kafka.network:type=RequestMetrics,name=RequestQueueTimeMs,request=*",
      "Of it, waiting for the requests before it on its connection.",
      "request"),
  LOCAL_TIME(
      Kind.MILLISECONDS,
      "kafka_network_requestmetrics_localtimems",
      "kafka.network:type=RequestMetrics,name=LocalTimeMs,request=*",
      "Of it, in the handler on the connection's shard.",
      "request"),
  REMOTE_TIME(
      Kind.MILLISECONDS,
      "kafka_network_requestmetrics_remotetimems",
      "kafka.network:type=RequestMetrics,name=RemoteTimeMs,request=*",
      "Of it, waiting for other shards, replicas, records or the controller.",
      "request"),
  RESPONSE_QUEUE_TIME(
      Kind.MILLISECONDS,
      "kafka_network_requestmetrics_responsequeuetimems",
      "kafka.network:type=RequestMetrics,name=ResponseQueueTimeMs,request=*",
      "Of it, the answer's waiting for those before it.",
      "request"),
  THROTTLE_TIME(
      Kind.MILLISECONDS,
      "kafka_network_requestmetrics_throttletimems",
      "kafka.network:type=RequestMetrics,name=ThrottleTimeMs,request=*",
      "Milliseconds for which a quota mutes the connection after the answer; not part of the total.",
      "request"),
  REQUEST_BYTES(
      Kind.SUMMARY,
      "kafka_network_requestmetrics_requestbytes",
      "kafka.network:type=RequestMetrics,name=RequestBytes,request=*",
      "Bytes of requests with their headers.",
      "request"),
  REQUEST_QUEUE_SIZE(
      Kind.GAUGE,
      "kafka_network_requestchannel_requestqueuesize",
      "kafka.network:type=RequestChannel,name=RequestQueueSize",
      "Requests that have been read and wait for those before them."),
  HANDLER_IDLE(
      Kind.GAUGE,
      "kafka_server_kafkarequesthandlerpool_requesthandleravgidle_percent",
      "kafka.server:type=KafkaRequestHandlerPool,name=RequestHandlerAvgIdlePercent",
      "From 0 to 1: the part of the time since it was last asked for in which the shards' threads used no processor."),
  PROCESSOR_IDLE(
      Kind.GAUGE,
      "kafka_network_socketserver_networkprocessoravgidle_percent",
      "kafka.network:type=SocketServer,name=NetworkProcessorAvgIdlePercent",
      "The same value: a shard is both a network processor and a request handler."),
  CONNECTIONS(
      Kind.GAUGE,
      "kafka_server_socket_server_metrics_connection_count",
      "kafka.server:type=socket-server-metrics,listener=*,networkProcessor=*, connection-count",
      "Open connections of clients and other nodes, by shard.",
      "listener",
      "networkProcessor"),
  CONNECTIONS_OPENED(
      Kind.COUNTER,
      "kafka_server_socket_server_metrics_connection_creation_total",
      "kafka.server:type=socket-server-metrics,listener=*,networkProcessor=*, connection-creation-total",
      "Connections that have been opened.",
      "listener",
      "networkProcessor"),
  CONNECTIONS_CLOSED(
      Kind.COUNTER,
      "kafka_server_socket_server_metrics_connection_close_total",
      "kafka.server:type=socket-server-metrics,listener=*,networkProcessor=*, connection-close-total",
      "Connections that have been closed.",
      "listener",
      "networkProcessor"),

  // ---- the broker and its metadata
  BROKER_STATE(
      Kind.GAUGE,
      "kafka_server_kafkaserver_brokerstate",
      "kafka.server:type=KafkaServer,name=BrokerState",
      "1 starting, 3 running, 6 handing over its leaderships."),
  LAST_APPLIED_OFFSET(
      Kind.GAUGE,
      "kafka_server_broker_metadata_metrics_last_applied_record_offset",
      "kafka.server:type=broker-metadata-metrics, last-applied-record-offset",
      "The last offset of the metadata log that this broker has put into effect. Also as kafka_server_brokermetadatametrics_last_applied_record_offset."),

  // ---- the quorum
  CURRENT_LEADER(
      Kind.GAUGE,
      "kafka_server_raft_metrics_current_leader",
      "kafka.server:type=raft-metrics, current-leader",
      "The node that leads the quorum; -1 if none is known. This and the next ones also as kafka_server_raftmetrics_*."),
  CURRENT_EPOCH(
      Kind.GAUGE,
      "kafka_server_raft_metrics_current_epoch",
      "kafka.server:type=raft-metrics, current-epoch",
      "The quorum's epoch."),
  CURRENT_VOTE(
      Kind.GAUGE,
      "kafka_server_raft_metrics_current_vote",
      "kafka.server:type=raft-metrics, current-vote",
      "Whom this node has voted for in the epoch; -1 for nobody."),
  CURRENT_STATE(
      Kind.GAUGE,
      "kafka_server_raft_metrics_current_state_info",
      "kafka.server:type=raft-metrics, current-state",
      "1, for the state that this node is in: leader, candidate, prospective, follower, unattached, observer or resigned.",
      "state"),
  QUORUM_HIGH_WATERMARK(
      Kind.GAUGE,
      "kafka_server_raft_metrics_high_watermark",
      "kafka.server:type=raft-metrics, high-watermark",
      "The metadata log's high watermark as this node knows it; -1 if it does not."),
  QUORUM_LOG_END(
      Kind.GAUGE,
      "kafka_server_raft_metrics_log_end_offset",
      "kafka.server:type=raft-metrics, log-end-offset",
      "The end of this node's metadata log."),
  QUORUM_LOG_END_EPOCH(
      Kind.GAUGE,
      "kafka_server_raft_metrics_log_end_epoch",
      "kafka.server:type=raft-metrics, log-end-epoch",
      "The epoch of its last record."),
  QUORUM_VOTERS(
      Kind.GAUGE,
      "kafka_server_raft_metrics_number_of_voters",
      "kafka.server:type=raft-metrics, number-of-voters",
      "Voters as this node's log has them."),
  COMMIT_LATENCY_AVG(
      Kind.GAUGE,
      "kafka_server_raft_metrics_commit_latency_avg",
      "kafka.server:type=raft-metrics, commit-latency-avg",
      "Milliseconds from an append by this leader to its commit, on average over the last minute or so; absent if there was none."),
  COMMIT_LATENCY_MAX(
      Kind.GAUGE,
      "kafka_server_raft_metrics_commit_latency_max",
      "kafka.server:type=raft-metrics, commit-latency-max",
      "The longest of them."),

  // ---- the controller
  ACTIVE_CONTROLLER(
      Kind.GAUGE,
      "kafka_controller_kafkacontroller_activecontrollercount",
      "kafka.controller:type=KafkaController,name=ActiveControllerCount",
      "1 if this node is the active controller."),
  ACTIVE_BROKERS(
      Kind.GAUGE,
      "kafka_controller_kafkacontroller_activebrokercount",
      "kafka.controller:type=KafkaController,name=ActiveBrokerCount",
      "Registered brokers that are not fenced. This and the next ones are told by each controller."),
  FENCED_BROKERS(
      Kind.GAUGE,
      "kafka_controller_kafkacontroller_fencedbrokercount",
      "kafka.controller:type=KafkaController,name=FencedBrokerCount",
      "Registered brokers that are fenced."),
  TOPICS(
      Kind.GAUGE,
      "kafka_controller_kafkacontroller_globaltopiccount",
      "kafka.controller:type=KafkaController,name=GlobalTopicCount",
      "Topics of the cluster."),
  CLUSTER_PARTITIONS(
      Kind.GAUGE,
      "kafka_controller_kafkacontroller_globalpartitioncount",
      "kafka.controller:type=KafkaController,name=GlobalPartitionCount",
      "Partitions of the cluster."),
  OFFLINE_PARTITIONS(
      Kind.GAUGE,
      "kafka_controller_kafkacontroller_offlinepartitionscount",
      "kafka.controller:type=KafkaController,name=OfflinePartitionsCount",
      "Partitions without a leader."),
  PREFERRED_IMBALANCE(
      Kind.GAUGE,
      "kafka_controller_kafkacontroller_preferredreplicaimbalancecount",
      "kafka.controller:type=KafkaController,name=PreferredReplicaImbalanceCount",
      "Partitions that their first replica does not lead."),
  CONTROLLER_APPLIED_OFFSET(
      Kind.GAUGE,
      "kafka_controller_kafkacontroller_lastappliedrecordoffset",
      "kafka.controller:type=KafkaController,name=LastAppliedRecordOffset",
      "The last offset of the metadata log that this controller has put into effect."),

  // ---- groups
  GROUPS(
      Kind.GAUGE,
      "kafka_coordinator_group_groupmetadatamanager_numgroups",
      "kafka.coordinator.group:type=GroupMetadataManager,name=NumGroups",
      "Groups that this broker coordinates."),
  GROUP_OFFSETS(
      Kind.GAUGE,
      "kafka_coordinator_group_groupmetadatamanager_numoffsets",
      "kafka.coordinator.group:type=GroupMetadataManager,name=NumOffsets",
      "Offsets that they have committed."),
  GROUPS_BY_PROTOCOL(
      Kind.GAUGE,
      "kafka_server_group_coordinator_metrics_group_count",
      "kafka.server:type=group-coordinator-metrics,protocol=*, group-count",
      "Those groups by protocol.",
      "protocol"),
  CLASSIC_GROUPS(
      Kind.GAUGE,
      "kafka_server_group_coordinator_metrics_classic_group_count",
      "kafka.server:type=group-coordinator-metrics,state=*, classic-group-count",
      "Those groups of the classic protocol by state.",
      "state"),
  CONSUMER_GROUPS(
      Kind.GAUGE,
      "kafka_server_group_coordinator_metrics_consumer_group_count",
      "kafka.server:type=group-coordinator-metrics,state=*, consumer-group-count",
      "Those groups of the consumer protocol by state.",
      "state"),
  GROUP_CURRENT_OFFSET(
      Kind.GAUGE,
      "kafka_consumergroup_current_offset",
      "none; as kafka-exporter has it",
      "The offset that the group has committed. Told by its coordinator.",
      "consumergroup",
      "topic",
      "partition"),
  GROUP_LAG(
      Kind.GAUGE,
      "kafka_consumergroup_lag",
      "none; as kafka-exporter has it",
      "Committed records behind that offset. Told by the group's coordinator for partitions of which it has a replica, by that replica's high watermark.",
      "consumergroup",
      "topic",
      "partition");

  /** What is done with the values of a metric. */
  enum Kind {
    COUNTER,
    GAUGE,
    /** A gauge of which the largest value counts, not the sum. */
    MAXIMUM,
    SUMMARY,
    /** A summary that is recorded in microseconds. */
    MILLISECONDS
  }

  private final Kind kind;
  private final String fullName;
  private final String mbean;
  private final String help;
  private final List<String> labels;

  Metric(Kind kind, String fullName, String mbean, String help, String... labels) {
    this.kind = kind;
    this.fullName = fullName;
    this.mbean = mbean;
    this.help = help;
    this.labels = List.of(labels);
  }

  Kind kind() {
    return kind;
  }

  /** As it is scraped; counters end in {@code _total}. */
  public String fullName() {
    return fullName;
  }

  /** Where Apache Kafka has it in JMX. */
  String mbean() {
    return mbean;
  }

  String help() {
    return help;
  }

  public List<String> labels() {
    return labels;
  }

  boolean isMaximum() {
    return kind == Kind.MAXIMUM;
  }

  /**
   * The name that Strimzi's configuration of the exporter gives to the same MBean, where it
   * differs; null elsewhere. It is told, too.
   */
  String alias() {
    String raft = "kafka_server_raft_metrics_";
    String metadata = "kafka_server_broker_metadata_metrics_";
    if (this == CURRENT_STATE) {
      return "kafka_server_raftmetrics_current_state";
    }
    if (fullName.startsWith(raft)) {
      return "kafka_server_raftmetrics_" + fullName.substring(raft.length());
    }
    return fullName.startsWith(metadata)
        ? "kafka_server_brokermetadatametrics_" + fullName.substring(metadata.length())
        : null;
  }

  /** As {@link #labels}, under the other name. */
  List<String> aliasLabels() {
    return this == CURRENT_STATE ? List.of("current_state") : labels;
  }
}
