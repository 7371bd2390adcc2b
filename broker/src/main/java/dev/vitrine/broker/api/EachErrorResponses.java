package dev.vitrine.broker.api;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.AddPartitionsToTxnRequest;
import dev.vitrine.protocol.message.AddPartitionsToTxnResponse;
import dev.vitrine.protocol.message.AlterClientQuotasRequest;
import dev.vitrine.protocol.message.AlterConfigsRequest;
import dev.vitrine.protocol.message.AlterConfigsResponse;
import dev.vitrine.protocol.message.AlterPartitionReassignmentsRequest;
import dev.vitrine.protocol.message.AlterReplicaLogDirsRequest;
import dev.vitrine.protocol.message.AlterReplicaLogDirsResponse;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.CreatePartitionsRequest;
import dev.vitrine.protocol.message.CreatePartitionsResponse;
import dev.vitrine.protocol.message.CreateTopicsRequest;
import dev.vitrine.protocol.message.CreateTopicsResponse;
import dev.vitrine.protocol.message.DeleteGroupsRequest;
import dev.vitrine.protocol.message.DeleteGroupsResponse;
import dev.vitrine.protocol.message.DeleteRecordsRequest;
import dev.vitrine.protocol.message.DeleteRecordsResponse;
import dev.vitrine.protocol.message.DeleteTopicsRequest;
import dev.vitrine.protocol.message.DeleteTopicsResponse;
import dev.vitrine.protocol.message.DescribeConfigsRequest;
import dev.vitrine.protocol.message.DescribeConfigsResponse;
import dev.vitrine.protocol.message.DescribeGroupsRequest;
import dev.vitrine.protocol.message.DescribeGroupsResponse;
import dev.vitrine.protocol.message.ElectLeadersRequest;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FetchResponse;
import dev.vitrine.protocol.message.FindCoordinatorRequest;
import dev.vitrine.protocol.message.FindCoordinatorResponse;
import dev.vitrine.protocol.message.IncrementalAlterConfigsRequest;
import dev.vitrine.protocol.message.IncrementalAlterConfigsResponse;
import dev.vitrine.protocol.message.ListOffsetsRequest;
import dev.vitrine.protocol.message.ListOffsetsResponse;
import dev.vitrine.protocol.message.MetadataRequest;
import dev.vitrine.protocol.message.MetadataResponse;
import dev.vitrine.protocol.message.OffsetCommitRequest;
import dev.vitrine.protocol.message.OffsetCommitResponse;
import dev.vitrine.protocol.message.OffsetFetchRequest;
import dev.vitrine.protocol.message.OffsetFetchResponse;
import dev.vitrine.protocol.message.OffsetForLeaderEpochRequest;
import dev.vitrine.protocol.message.OffsetForLeaderEpochResponse;
import dev.vitrine.protocol.message.ProduceRequest;
import dev.vitrine.protocol.message.ProduceResponse;
import dev.vitrine.protocol.message.TxnOffsetCommitRequest;
import dev.vitrine.protocol.message.TxnOffsetCommitResponse;
import dev.vitrine.protocol.record.Records;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The error answers that name everything that was asked for: topics and partitions, groups,
 * resources. See {@link ErrorResponses}. As in Kafka, most have no text where it would only be the
 * error's own.
 */
final class EachErrorResponses {
  private EachErrorResponses() {}

  /** Null for APIs that say an error once, as a whole. */
  static ApiMessage of(ApiKeys api, ApiMessage request, short version, Errors e) {
    return switch (api) {
      case PRODUCE -> produce((ProduceRequest) request, e);
      case FETCH -> fetch((FetchRequest) request, version, e);
      case LIST_OFFSETS -> listOffsets((ListOffsetsRequest) request, e);
      case METADATA -> metadata((MetadataRequest) request, e);
      case OFFSET_COMMIT -> offsetCommit((OffsetCommitRequest) request, e);
      case OFFSET_FETCH -> offsetFetch((OffsetFetchRequest) request, version, e);
      case FIND_COORDINATOR -> findCoordinator((FindCoordinatorRequest) request, version, e);
      case DESCRIBE_GROUPS -> describeGroups((DescribeGroupsRequest) request, e);
      case DELETE_GROUPS -> deleteGroups((DeleteGroupsRequest) request, e);
      case CREATE_TOPICS -> createTopics((CreateTopicsRequest) request, e);
      case DELETE_TOPICS -> deleteTopics((DeleteTopicsRequest) request, version, e);
      case CREATE_PARTITIONS -> createPartitions((CreatePartitionsRequest) request, e);
      case DELETE_RECORDS -> deleteRecords((DeleteRecordsRequest) request, e);
      case ALTER_REPLICA_LOG_DIRS -> alterReplicaLogDirs((AlterReplicaLogDirsRequest) request, e);
      case OFFSET_FOR_LEADER_EPOCH -> endOffsets((OffsetForLeaderEpochRequest) request, e);
      case DESCRIBE_CONFIGS -> describeConfigs((DescribeConfigsRequest) request, e);
      case ALTER_CLIENT_QUOTAS -> QuotaErrorResponses.alter((AlterClientQuotasRequest) request, e);
      case ALTER_CONFIGS -> alterConfigs((AlterConfigsRequest) request, e);
      case INCREMENTAL_ALTER_CONFIGS ->
          incrementalAlterConfigs((IncrementalAlterConfigsRequest) request, e);
      case ALTER_PARTITION_REASSIGNMENTS ->
          PlacementErrorResponses.reassignments((AlterPartitionReassignmentsRequest) request, e);
      case ELECT_LEADERS ->
          PlacementErrorResponses.elections((ElectLeadersRequest) request, version, e);
      case ADD_PARTITIONS_TO_TXN ->
          addPartitionsToTxn((AddPartitionsToTxnRequest) request, version, e);
      case TXN_OFFSET_COMMIT -> txnOffsetCommit((TxnOffsetCommitRequest) request, e);
      default -> null;
    };
  }

  private static <T, R> List<R> each(List<T> asked, Function<T, R> answer) {
    List<R> answers = new ArrayList<>(asked.size());
    for (T t : asked) {
      answers.add(answer.apply(t));
    }
    return answers;
  }

  private static ApiMessage produce(ProduceRequest request, Errors e) {
    if (request.acks() == 0) {
      return null;
    }
    return new ProduceResponse()
        .responses(
            each(
                request.topicData(),
                t ->
                    new ProduceResponse.TopicProduceResponse()
                        .name(t.name())
                        .topicId(t.topicId())
                        .partitionResponses(
                            each(
                                t.partitionData(),
                                p ->
                                    new ProduceResponse.PartitionProduceResponse()
                                        .index(p.index())
                                        .errorCode(e.code())
                                        .errorMessage(null)
                                        .baseOffset(-1)
                                        .logAppendTimeMs(-1)
                                        .logStartOffset(-1)))));
  }

  /** From version 13 on, and where there is a session, the whole has the error. */
  private static ApiMessage fetch(FetchRequest request, short version, Errors e) {
    FetchResponse response = new FetchResponse().errorCode(e.code()).sessionId(request.sessionId());
    if (version < 13) {
      response.responses(
          each(
              request.topics(),
              t ->
                  new FetchResponse.FetchableTopicResponse()
                      .topic(t.topic())
                      .topicId(t.topicId())
                      .partitions(
                          each(
                              t.partitions(),
                              p ->
                                  new FetchResponse.PartitionData()
                                      .partitionIndex(p.partition())
                                      .errorCode(e.code())
                                      .highWatermark(-1)
                                      .records(Records.EMPTY)))));
    }
    return response;
  }

  private static ApiMessage listOffsets(ListOffsetsRequest request, Errors e) {
    return new ListOffsetsResponse()
        .topics(
            each(
                request.topics(),
                t ->
                    new ListOffsetsResponse.ListOffsetsTopicResponse()
                        .name(t.name())
                        .partitions(
                            each(
                                t.partitions(),
                                p ->
                                    new ListOffsetsResponse.ListOffsetsPartitionResponse()
                                        .partitionIndex(p.partitionIndex())
                                        .errorCode(e.code())))));
  }

  private static ApiMessage metadata(MetadataRequest request, Errors e) {
    MetadataResponse response = new MetadataResponse().errorCode(e.code());
    if (request.topics() != null) {
      response.topics(
          each(
              request.topics(),
              t ->
                  new MetadataResponse.MetadataResponseTopic()
                      .name(t.name() == null ? "" : t.name())
                      .topicId(t.topicId())
                      .errorCode(e.code())));
    }
    return response;
  }

  private static ApiMessage offsetCommit(OffsetCommitRequest request, Errors e) {
    return new OffsetCommitResponse()
        .topics(
            each(
                request.topics(),
                t ->
                    new OffsetCommitResponse.OffsetCommitResponseTopic()
                        .name(t.name())
                        .topicId(t.topicId())
                        .partitions(
                            each(
                                t.partitions(),
                                p ->
                                    new OffsetCommitResponse.OffsetCommitResponsePartition()
                                        .partitionIndex(p.partitionIndex())
                                        .errorCode(e.code())))));
  }

  private static ApiMessage offsetFetch(OffsetFetchRequest request, short version, Errors e) {
    OffsetFetchResponse response = new OffsetFetchResponse();
    if (version >= 8) {
      return response.groups(
          each(
              request.groups(),
              g ->
                  new OffsetFetchResponse.OffsetFetchResponseGroup()
                      .groupId(g.groupId())
                      .errorCode(e.code())));
    }
    if (version >= 2) {
      return response.errorCode(e.code());
    }
    return response.topics(
        each(
            request.topics(),
            t ->
                new OffsetFetchResponse.OffsetFetchResponseTopic()
                    .name(t.name())
                    .partitions(
                        each(
                            t.partitionIndexes(),
                            p ->
                                new OffsetFetchResponse.OffsetFetchResponsePartition()
                                    .partitionIndex(p)
                                    .committedOffset(-1)
                                    .metadata("")
                                    .errorCode(e.code())))));
  }

  private static ApiMessage findCoordinator(
      FindCoordinatorRequest request, short version, Errors e) {
    if (version < 4) {
      return new FindCoordinatorResponse()
          .errorCode(e.code())
          .errorMessage(e.message())
          .nodeId(-1)
          .port(-1);
    }
    return new FindCoordinatorResponse()
        .coordinators(
            each(
                request.coordinatorKeys(),
                key ->
                    new FindCoordinatorResponse.Coordinator()
                        .key(key)
                        .errorCode(e.code())
                        .errorMessage(e.message())
                        .nodeId(-1)
                        .port(-1)));
  }

  private static ApiMessage describeGroups(DescribeGroupsRequest request, Errors e) {
    return new DescribeGroupsResponse()
        .groups(
            each(
                request.groups(),
                g -> new DescribeGroupsResponse.DescribedGroup().groupId(g).errorCode(e.code())));
  }

  private static ApiMessage deleteGroups(DeleteGroupsRequest request, Errors e) {
    return new DeleteGroupsResponse()
        .results(
            each(
                request.groupsNames(),
                g ->
                    new DeleteGroupsResponse.DeletableGroupResult()
                        .groupId(g)
                        .errorCode(e.code())));
  }

  private static ApiMessage createTopics(CreateTopicsRequest request, Errors e) {
    return new CreateTopicsResponse()
        .topics(
            each(
                request.topics(),
                t ->
                    new CreateTopicsResponse.CreatableTopicResult()
                        .name(t.name())
                        .errorCode(e.code())
                        .errorMessage(null)));
  }

  private static ApiMessage deleteTopics(DeleteTopicsRequest request, short version, Errors e) {
    DeleteTopicsResponse response = new DeleteTopicsResponse();
    if (version >= 6) {
      return response.responses(
          each(
              request.topics(),
              t ->
                  new DeleteTopicsResponse.DeletableTopicResult()
                      .name(t.name())
                      .topicId(t.topicId())
                      .errorCode(e.code())));
    }
    return response.responses(
        each(
            request.topicNames(),
            name ->
                new DeleteTopicsResponse.DeletableTopicResult().name(name).errorCode(e.code())));
  }

  private static ApiMessage createPartitions(CreatePartitionsRequest request, Errors e) {
    return new CreatePartitionsResponse()
        .results(
            each(
                request.topics(),
                t ->
                    new CreatePartitionsResponse.CreatePartitionsTopicResult()
                        .name(t.name())
                        .errorCode(e.code())
                        .errorMessage(null)));
  }

  private static ApiMessage deleteRecords(DeleteRecordsRequest request, Errors e) {
    return new DeleteRecordsResponse()
        .topics(
            each(
                request.topics(),
                t ->
                    new DeleteRecordsResponse.DeleteRecordsTopicResult()
                        .name(t.name())
                        .partitions(
                            each(
                                t.partitions(),
                                p ->
                                    new DeleteRecordsResponse.DeleteRecordsPartitionResult()
                                        .partitionIndex(p.partitionIndex())
                                        .lowWatermark(-1)
                                        .errorCode(e.code())))));
  }

  private static ApiMessage alterReplicaLogDirs(AlterReplicaLogDirsRequest request, Errors e) {
    List<AlterReplicaLogDirsResponse.AlterReplicaLogDirTopicResult> results = new ArrayList<>();
    request.dirs().forEach(d -> results.addAll(each(d.topics(), t -> alterReplicaLogDirs(t, e))));
    return new AlterReplicaLogDirsResponse().results(results);
  }

  private static AlterReplicaLogDirsResponse.AlterReplicaLogDirTopicResult alterReplicaLogDirs(
      AlterReplicaLogDirsRequest.AlterReplicaLogDirTopic topic, Errors e) {
    return new AlterReplicaLogDirsResponse.AlterReplicaLogDirTopicResult()
        .topicName(topic.name())
        .partitions(
            each(
                topic.partitions(),
                p ->
                    new AlterReplicaLogDirsResponse.AlterReplicaLogDirPartitionResult()
                        .partitionIndex(p)
                        .errorCode(e.code())));
  }

  private static ApiMessage endOffsets(OffsetForLeaderEpochRequest request, Errors e) {
    return new OffsetForLeaderEpochResponse()
        .topics(
            each(
                request.topics(),
                t ->
                    new OffsetForLeaderEpochResponse.OffsetForLeaderTopicResult()
                        .topic(t.topic())
                        .partitions(
                            each(
                                t.partitions(),
                                p ->
                                    new OffsetForLeaderEpochResponse.EpochEndOffset()
                                        .partition(p.partition())
                                        .errorCode(e.code())))));
  }

  private static ApiMessage describeConfigs(DescribeConfigsRequest request, Errors e) {
    return new DescribeConfigsResponse()
        .results(
            each(
                request.resources(),
                r ->
                    new DescribeConfigsResponse.DescribeConfigsResult()
                        .resourceType(r.resourceType())
                        .resourceName(r.resourceName())
                        .errorCode(e.code())
                        .errorMessage(e.message())));
  }

  private static ApiMessage alterConfigs(AlterConfigsRequest request, Errors e) {
    return new AlterConfigsResponse()
        .responses(
            each(
                request.resources(),
                r ->
                    new AlterConfigsResponse.AlterConfigsResourceResponse()
                        .resourceType(r.resourceType())
                        .resourceName(r.resourceName())
                        .errorCode(e.code())
                        .errorMessage(null)));
  }

  private static ApiMessage incrementalAlterConfigs(
      IncrementalAlterConfigsRequest request, Errors e) {
    return new IncrementalAlterConfigsResponse()
        .responses(
            each(
                request.resources(),
                r ->
                    new IncrementalAlterConfigsResponse.AlterConfigsResourceResponse()
                        .resourceType(r.resourceType())
                        .resourceName(r.resourceName())
                        .errorCode(e.code())
                        .errorMessage(null)));
  }

  private static ApiMessage addPartitionsToTxn(
      AddPartitionsToTxnRequest request, short version, Errors e) {
    AddPartitionsToTxnResponse response = new AddPartitionsToTxnResponse();
    if (version >= 4) {
      return response.errorCode(e.code());
    }
    return response.resultsByTopicV3AndBelow(
        each(
            request.v3AndBelowTopics(),
            t ->
                new AddPartitionsToTxnResponse.AddPartitionsToTxnTopicResult()
                    .name(t.name())
                    .resultsByPartition(
                        each(
                            t.partitions(),
                            p ->
                                new AddPartitionsToTxnResponse.AddPartitionsToTxnPartitionResult()
                                    .partitionIndex(p)
                                    .partitionErrorCode(e.code())))));
  }

  private static ApiMessage txnOffsetCommit(TxnOffsetCommitRequest request, Errors e) {
    return new TxnOffsetCommitResponse()
        .topics(
            each(
                request.topics(),
                t ->
                    new TxnOffsetCommitResponse.TxnOffsetCommitResponseTopic()
                        .name(t.name())
                        .topicId(t.topicId())
                        .partitions(
                            each(
                                t.partitions(),
                                p ->
                                    new TxnOffsetCommitResponse.TxnOffsetCommitResponsePartition()
                                        .partitionIndex(p.partitionIndex())
                                        .errorCode(e.code())))));
  }
}
