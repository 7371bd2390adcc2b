package dev.vitrine.broker.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.MessageWriter;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.AddPartitionsToTxnRequest;
import dev.vitrine.protocol.message.AlterConfigsRequest;
import dev.vitrine.protocol.message.AlterPartitionReassignmentsRequest;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.CreatePartitionsRequest;
import dev.vitrine.protocol.message.CreateTopicsRequest;
import dev.vitrine.protocol.message.DeleteGroupsRequest;
import dev.vitrine.protocol.message.DeleteRecordsRequest;
import dev.vitrine.protocol.message.DeleteTopicsRequest;
import dev.vitrine.protocol.message.DescribeAclsRequest;
import dev.vitrine.protocol.message.DescribeConfigsRequest;
import dev.vitrine.protocol.message.DescribeGroupsRequest;
import dev.vitrine.protocol.message.ElectLeadersRequest;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FindCoordinatorRequest;
import dev.vitrine.protocol.message.IncrementalAlterConfigsRequest;
import dev.vitrine.protocol.message.ListOffsetsRequest;
import dev.vitrine.protocol.message.MetadataRequest;
import dev.vitrine.protocol.message.OffsetCommitRequest;
import dev.vitrine.protocol.message.OffsetFetchRequest;
import dev.vitrine.protocol.message.OffsetForLeaderEpochRequest;
import dev.vitrine.protocol.message.ProduceRequest;
import dev.vitrine.protocol.message.TxnOffsetCommitRequest;
import dev.vitrine.protocol.record.Records;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The same request, the same error, in every version: the answer is the one that kafka-clients' own
 * classes make.
 */
class ErrorResponsesTest {
  @TestFactory
  List<DynamicTest> sayTheSameAsKafka() {
    List<DynamicTest> tests = new ArrayList<>();
    for (ApiKeys api : ApiKeys.values()) {
      if (ErrorResponses.of(request(api, api.highestVersion()), api.highestVersion(), Errors.NONE)
          == null) {
        continue;
      }
      tests.add(
          DynamicTest.dynamicTest(
              api.toString(),
              () -> {
                for (short v = api.lowestVersion(); v <= api.highestVersion(); v++) {
                  for (Errors error :
                      List.of(Errors.UNKNOWN_SERVER_ERROR, Errors.CLUSTER_AUTHORIZATION_FAILED)) {
                    compare(api, v, error);
                  }
                }
              }));
    }
    return tests;
  }

  @Test
  void aProduceThatWantsNoAnswerGetsNone() {
    ProduceRequest request = (ProduceRequest) request(ApiKeys.PRODUCE, (short) 9);
    assertNull(ErrorResponses.of(request.acks((short) 0), (short) 9, Errors.UNKNOWN_SERVER_ERROR));
  }

  private static void compare(ApiKeys api, short version, Errors error) {
    ApiMessage request = request(api, version);
    ByteBuffer bytes = encode(request, version);
    AbstractRequest theirs =
        AbstractRequest.parseRequest(
                org.apache.kafka.common.protocol.ApiKeys.forId(api.id()), version, readable(bytes))
            .request;
    AbstractResponse expected =
        theirs.getErrorResponse(
            0, org.apache.kafka.common.protocol.Errors.forCode(error.code()).exception());
    assertNotNull(expected);
    String want = hex(MessageUtil.toByteBufferAccessor(expected.data(), version).buffer());
    ApiMessage answer = ErrorResponses.of(request, version, error);
    String got = hex(encode(answer, version));
    assertEquals(
        want,
        got,
        () -> api + " " + version + "\n  theirs: " + expected.data() + "\n  ours: " + answer);
  }

  private static org.apache.kafka.common.protocol.Readable readable(ByteBuffer bytes) {
    return new ByteBufferAccessor(bytes);
  }

  private static ByteBuffer encode(ApiMessage message, short version) {
    ByteBuf buffer = Unpooled.buffer(message.size(version));
    message.write(new MessageWriter(buffer), version);
    return buffer.nioBuffer();
  }

  private static String hex(ByteBuffer bytes) {
    return ByteBufUtil.hexDump(Unpooled.wrappedBuffer(bytes));
  }

  /** A request that asks for two things, where the API has things to ask for. */
  private static ApiMessage request(ApiKeys api, short version) {
    Uuid id = new Uuid(3, 4);
    return switch (api) {
      case PRODUCE -> {
        ProduceRequest r = new ProduceRequest().acks((short) 1);
        ProduceRequest.TopicProduceData t = new ProduceRequest.TopicProduceData();
        t = version >= 13 ? t.topicId(id) : t.name("t");
        t.partitionData()
            .add(new ProduceRequest.PartitionProduceData().index(1).records(Records.EMPTY));
        r.topicData().add(t);
        yield r;
      }
      case FETCH -> {
        FetchRequest r = new FetchRequest().maxWaitMs(1).minBytes(1);
        FetchRequest.FetchTopic t = new FetchRequest.FetchTopic();
        t = version >= 13 ? t.topicId(id) : t.topic("t");
        t.partitions().add(new FetchRequest.FetchPartition().partition(1));
        r.topics().add(t);
        yield r;
      }
      case LIST_OFFSETS -> {
        ListOffsetsRequest.ListOffsetsTopic t = new ListOffsetsRequest.ListOffsetsTopic().name("t");
        t.partitions().add(new ListOffsetsRequest.ListOffsetsPartition().partitionIndex(1));
        ListOffsetsRequest r = new ListOffsetsRequest();
        r.topics().add(t);
        yield r;
      }
      case METADATA -> {
        MetadataRequest r = new MetadataRequest();
        r.topics().add(new MetadataRequest.MetadataRequestTopic().name("t"));
        if (version >= 12) {
          r.topics().add(new MetadataRequest.MetadataRequestTopic().name(null).topicId(id));
        }
        yield r;
      }
      case OFFSET_COMMIT -> {
        OffsetCommitRequest.OffsetCommitRequestTopic t =
            new OffsetCommitRequest.OffsetCommitRequestTopic();
        t = version >= 10 ? t.topicId(id) : t.name("t");
        t.partitions()
            .add(
                new OffsetCommitRequest.OffsetCommitRequestPartition()
                    .partitionIndex(1)
                    .committedMetadata(""));
        OffsetCommitRequest r = new OffsetCommitRequest().groupId("g");
        r.topics().add(t);
        yield r;
      }
      case OFFSET_FETCH -> {
        OffsetFetchRequest r = new OffsetFetchRequest();
        if (version >= 8) {
          r.groups().add(new OffsetFetchRequest.OffsetFetchRequestGroup().groupId("g"));
          r.groups().add(new OffsetFetchRequest.OffsetFetchRequestGroup().groupId("h"));
        } else {
          OffsetFetchRequest.OffsetFetchRequestTopic t =
              new OffsetFetchRequest.OffsetFetchRequestTopic().name("t");
          t.partitionIndexes().add(1);
          r.groupId("g").topics().add(t);
        }
        yield r;
      }
      case ELECT_LEADERS -> {
        ElectLeadersRequest r = new ElectLeadersRequest().topicPartitions(new ArrayList<>());
        r.topicPartitions()
            .add(new ElectLeadersRequest.TopicPartitions().topic("t").partitions(List.of(1, 2)));
        yield r;
      }
      case ALTER_PARTITION_REASSIGNMENTS -> {
        AlterPartitionReassignmentsRequest.ReassignableTopic t =
            new AlterPartitionReassignmentsRequest.ReassignableTopic().name("t");
        t.partitions()
            .add(
                new AlterPartitionReassignmentsRequest.ReassignablePartition()
                    .partitionIndex(1)
                    .replicas(List.of(2)));
        AlterPartitionReassignmentsRequest r = new AlterPartitionReassignmentsRequest();
        r.topics().add(t);
        yield r;
      }
      case FIND_COORDINATOR -> {
        FindCoordinatorRequest r = new FindCoordinatorRequest();
        if (version >= 4) {
          r.coordinatorKeys().addAll(List.of("a", "b"));
        } else {
          r.key("a");
        }
        yield r;
      }
      case DESCRIBE_GROUPS -> new DescribeGroupsRequest().groups(List.of("a", "b"));
      case DELETE_GROUPS -> new DeleteGroupsRequest().groupsNames(List.of("a", "b"));
      case CREATE_TOPICS -> {
        CreateTopicsRequest r = new CreateTopicsRequest();
        r.topics().add(new CreateTopicsRequest.CreatableTopic().name("t"));
        yield r;
      }
      case DELETE_TOPICS -> {
        DeleteTopicsRequest r = new DeleteTopicsRequest();
        if (version >= 6) {
          r.topics().add(new DeleteTopicsRequest.DeleteTopicState().name("t"));
          r.topics().add(new DeleteTopicsRequest.DeleteTopicState().name(null).topicId(id));
        } else {
          r.topicNames().add("t");
        }
        yield r;
      }
      case CREATE_PARTITIONS -> {
        CreatePartitionsRequest r = new CreatePartitionsRequest();
        r.topics().add(new CreatePartitionsRequest.CreatePartitionsTopic().name("t"));
        yield r;
      }
      case DELETE_RECORDS -> {
        DeleteRecordsRequest.DeleteRecordsTopic t =
            new DeleteRecordsRequest.DeleteRecordsTopic().name("t");
        t.partitions().add(new DeleteRecordsRequest.DeleteRecordsPartition().partitionIndex(1));
        DeleteRecordsRequest r = new DeleteRecordsRequest();
        r.topics().add(t);
        yield r;
      }
      case OFFSET_FOR_LEADER_EPOCH -> {
        OffsetForLeaderEpochRequest.OffsetForLeaderTopic t =
            new OffsetForLeaderEpochRequest.OffsetForLeaderTopic().topic("t");
        t.partitions().add(new OffsetForLeaderEpochRequest.OffsetForLeaderPartition().partition(1));
        OffsetForLeaderEpochRequest r = new OffsetForLeaderEpochRequest();
        r.topics().add(t);
        yield r;
      }
      case DESCRIBE_ACLS ->
          new DescribeAclsRequest()
              .resourceTypeFilter((byte) 2)
              .operation((byte) 2)
              .permissionType((byte) 2);
      case DESCRIBE_CONFIGS -> {
        DescribeConfigsRequest r = new DescribeConfigsRequest();
        r.resources()
            .add(
                new DescribeConfigsRequest.DescribeConfigsResource()
                    .resourceType((byte) 2)
                    .resourceName("t"));
        yield r;
      }
      case ALTER_CONFIGS -> {
        AlterConfigsRequest r = new AlterConfigsRequest();
        r.resources()
            .add(
                new AlterConfigsRequest.AlterConfigsResource()
                    .resourceType((byte) 2)
                    .resourceName("t"));
        yield r;
      }
      case INCREMENTAL_ALTER_CONFIGS -> {
        IncrementalAlterConfigsRequest r = new IncrementalAlterConfigsRequest();
        r.resources()
            .add(
                new IncrementalAlterConfigsRequest.AlterConfigsResource()
                    .resourceType((byte) 2)
                    .resourceName("t"));
        yield r;
      }
      case ADD_PARTITIONS_TO_TXN -> {
        AddPartitionsToTxnRequest r = new AddPartitionsToTxnRequest();
        if (version < 4) {
          AddPartitionsToTxnRequest.AddPartitionsToTxnTopic t =
              new AddPartitionsToTxnRequest.AddPartitionsToTxnTopic().name("t");
          t.partitions().add(1);
          r.v3AndBelowTopics().add(t);
        }
        yield r;
      }
      case TXN_OFFSET_COMMIT -> {
        TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic t =
            new TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic();
        t = version >= 6 ? t.topicId(id) : t.name("t");
        t.partitions()
            .add(
                new TxnOffsetCommitRequest.TxnOffsetCommitRequestPartition()
                    .partitionIndex(1)
                    .committedMetadata(""));
        TxnOffsetCommitRequest r = new TxnOffsetCommitRequest();
        r.topics().add(t);
        yield r;
      }
      default -> api.newRequest();
    };
  }
}
