package dev.vitrine.broker.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.vitrine.broker.OneNode;
import dev.vitrine.broker.api.Wire.Topic;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.DescribeQuorumRequestData;
import org.apache.kafka.common.message.DescribeQuorumResponseData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What clients ask before they read and write: offsets, coordinators, ids, nodes, topics. */
class OffsetsAndNodesTest {
  private static OneNode node;
  private static Wire wire;

  @BeforeAll
  static void start() {
    node = OneNode.start();
    wire = new Wire(node);
    wire.newTopic(1); // once that is there, the broker is unfenced
  }

  @AfterAll
  static void stop() throws IOException {
    wire.close();
    node.close();
  }

  private static String told(ListOffsetsPartitionResponse r) {
    return Errors.forCode(r.errorCode()) + " " + r.offset() + "@" + r.timestamp();
  }

  private static String offsetAt(Topic t, long timestamp) {
    return told(Requests.listOffsets(wire, t.name(), 0, timestamp));
  }

  // ---- ListOffsets

  @Test
  void timeIsLookedUpWithinTheBatch() {
    Topic t = wire.newTopic(1);
    wire.produce(t, 0, Requests.batch(1_000, "a", "b", "c"));
    wire.produce(t, 0, Requests.batch(5_000, "d"));
    wire.produce(t, 0, Requests.batch(3_000, "e"));
    assertEquals("NONE 0@1000", offsetAt(t, 0));
    assertEquals("NONE 2@1002", offsetAt(t, 1_002));
    assertEquals("NONE 3@5000", offsetAt(t, 1_003));
    assertEquals("NONE -1@-1", offsetAt(t, 5_001));
    assertEquals("NONE 3@5000", offsetAt(t, -3));
    assertEquals("NONE 0@-1", offsetAt(t, -2));
    assertEquals("NONE 5@-1", offsetAt(t, -1));
    assertEquals("NONE 0@-1", offsetAt(t, -4));
    assertEquals("NONE -1@-1", offsetAt(t, -5));
    assertEquals("NONE -1@-1", offsetAt(t, -6));
    assertEquals("UNSUPPORTED_VERSION -1@-1", offsetAt(t, -7));
  }

  @Test
  void allVersionsTellTheEnd() {
    Topic t = wire.newTopic(1);
    wire.produce(t, 0, Requests.batch(1_000, "a"));
    for (int version = 1; version <= 11; version++) {
      ListOffsetsPartitionResponse r =
          Requests.listOffsets(
              wire,
              new ListOffsetsRequestData().setReplicaId(-1),
              version,
              t.name(),
              new ListOffsetsPartition().setTimestamp(-1));
      assertEquals("NONE 1@-1", told(r), "version " + version);
      assertEquals(version >= 4 ? 0 : -1, r.leaderEpoch());
      boolean maxKnown = version >= 7;
      r =
          Requests.listOffsets(
              wire,
              new ListOffsetsRequestData().setReplicaId(-1),
              version,
              t.name(),
              new ListOffsetsPartition().setTimestamp(-3));
      assertEquals(maxKnown ? "NONE 0@1000" : "UNSUPPORTED_VERSION -1@-1", told(r));
    }
  }

  @Test
  void partitionNamedTwiceIsInvalid() {
    Topic t = wire.newTopic(1);
    ListOffsetsPartition p = new ListOffsetsPartition().setTimestamp(-1);
    assertEquals(
        "INVALID_REQUEST -1@-1",
        told(
            Requests.listOffsets(
                wire,
                new ListOffsetsRequestData().setReplicaId(-1),
                11,
                t.name(),
                p,
                p.duplicate())));
  }

  @Test
  void leaderEpochIsChecked() {
    Topic t = wire.newTopic(1);
    assertEquals(
        "UNKNOWN_LEADER_EPOCH -1@-1",
        told(
            Requests.listOffsets(
                wire,
                new ListOffsetsRequestData().setReplicaId(-1),
                11,
                t.name(),
                new ListOffsetsPartition().setTimestamp(-1).setCurrentLeaderEpoch(4))));
  }

  @Test
  void anEpochBelowNoneIsAnOldOne() {
    Topic t = wire.newTopic(1);
    ListOffsetsPartition p = new ListOffsetsPartition().setTimestamp(-1).setCurrentLeaderEpoch(-2);
    ListOffsetsRequestData request = new ListOffsetsRequestData().setReplicaId(-1);
    assertEquals(
        "FENCED_LEADER_EPOCH -1@-1", told(Requests.listOffsets(wire, request, 11, t.name(), p)));
  }

  @Test
  void aTopicOfNoPartitionsIsNotNamed() {
    ListOffsetsRequestData request = new ListOffsetsRequestData().setReplicaId(-1);
    request.topics().add(new ListOffsetsRequestData.ListOffsetsTopic().setName("t"));
    assertEquals(List.of(), wire.ask(request, 7, ListOffsetsResponseData.class).topics());
  }

  @Test
  void endOfAnEpoch() {
    Topic t = wire.newTopic(1);
    wire.produce(t, 0, Requests.batch(1_000, "a", "b"));
    for (int version = 2; version <= 4; version++) {
      assertEquals("NONE 0 2", endOf(t, version, 0, -1, 0));
      assertEquals("NONE -1 -1", endOf(t, version, 0, 0, 5));
      assertEquals("UNKNOWN_LEADER_EPOCH -1 -1", endOf(t, version, 0, 4, 0));
      assertEquals("UNKNOWN_TOPIC_OR_PARTITION -1 -1", endOf(t, version, 3, -1, 0));
    }
  }

  private static String endOf(Topic t, int version, int partition, int current, int epoch) {
    OffsetForLeaderEpochRequestData request = new OffsetForLeaderEpochRequestData();
    request
        .topics()
        .add(
            new OffsetForLeaderEpochRequestData.OffsetForLeaderTopic()
                .setTopic(t.name())
                .setPartitions(
                    List.of(
                        new OffsetForLeaderEpochRequestData.OffsetForLeaderPartition()
                            .setPartition(partition)
                            .setCurrentLeaderEpoch(current)
                            .setLeaderEpoch(epoch))));
    var end =
        wire.ask(request, version, OffsetForLeaderEpochResponseData.class)
            .topics()
            .iterator()
            .next()
            .partitions()
            .get(0);
    return Errors.forCode(end.errorCode()) + " " + end.leaderEpoch() + " " + end.endOffset();
  }

  // ---- FindCoordinator, InitProducerId

  @Test
  void everyVersionFindsTheGroupCoordinator() {
    for (int version = 0; version <= 6; version++) {
      FindCoordinatorRequestData request = new FindCoordinatorRequestData();
      if (version < 4) {
        request.setKey("group");
      } else {
        request.setCoordinatorKeys(List.of("group", ""));
      }
      FindCoordinatorResponseData r;
      while (true) {
        r = wire.ask(request, version, FindCoordinatorResponseData.class);
        short error = version < 4 ? r.errorCode() : r.coordinators().get(0).errorCode();
        if (error != Errors.COORDINATOR_NOT_AVAILABLE.code()) {
          assertEquals(0, error);
          break;
        }
        Wire.pause(); // the topic is being made
      }
      if (version < 4) {
        assertEquals(1, r.nodeId());
        assertEquals(node.port(), r.port());
        assertEquals(version == 0 ? "" : "NONE", r.errorMessage() == null ? "" : r.errorMessage());
      } else {
        assertEquals(2, r.coordinators().size());
        assertEquals("group", r.coordinators().get(0).key());
        assertEquals(1, r.coordinators().get(0).nodeId());
        assertEquals("", r.coordinators().get(0).errorMessage());
      }
    }
    var topic = metadata("__consumer_offsets", false).topics().find("__consumer_offsets");
    assertTrue(topic.isInternal());
  }

  @Test
  void noCoordinatorForUnknownKindsOfKeys() {
    FindCoordinatorRequestData request =
        new FindCoordinatorRequestData().setKeyType((byte) 7).setCoordinatorKeys(List.of("x"));
    var c = wire.ask(request, 4, FindCoordinatorResponseData.class).coordinators().get(0);
    assertEquals(Errors.INVALID_REQUEST.code(), c.errorCode());
    assertEquals(-1, c.nodeId());
    assertEquals("", c.host());
    assertEquals(-1, c.port());
  }

  @Test
  void transactionsAreRefusedForGood() {
    assumeTrue(node.isVitrine());
    FindCoordinatorRequestData request =
        new FindCoordinatorRequestData().setKeyType((byte) 1).setKey("tx");
    assertEquals(
        Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED.code(),
        wire.ask(request, 3, FindCoordinatorResponseData.class).errorCode());
    InitProducerIdRequestData init = new InitProducerIdRequestData().setTransactionalId("tx");
    assertEquals(
        Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED.code(),
        wire.ask(init, 5, InitProducerIdResponseData.class).errorCode());
  }

  private static InitProducerIdResponseData init(InitProducerIdRequestData request, int version) {
    while (true) {
      var r = wire.ask(request, version, InitProducerIdResponseData.class);
      if (r.errorCode() != Errors.COORDINATOR_LOAD_IN_PROGRESS.code()) {
        return r;
      }
      Wire.pause();
    }
  }

  @Test
  void producerIdsAreNeverTheSame() {
    Set<Long> seen = new HashSet<>();
    InitProducerIdRequestData request = new InitProducerIdRequestData().setTransactionalId(null);
    for (int i = 0; i < 2_500; i++) { // more than two blocks
      InitProducerIdResponseData r = init(request, i % 6);
      assertEquals(0, r.errorCode());
      assertEquals(0, r.producerEpoch());
      assertTrue(seen.add(r.producerId()));
    }
  }

  @Test
  void halfAProducerIsInvalid() {
    InitProducerIdRequestData request =
        new InitProducerIdRequestData().setTransactionalId(null).setProducerId(5);
    assertEquals(Errors.INVALID_REQUEST.code(), init(request, 4).errorCode());
    request.setProducerEpoch((short) 3);
    InitProducerIdResponseData r = init(request, 4);
    assertEquals(0, r.errorCode());
    assertEquals(0, r.producerEpoch());
    assertEquals(
        Errors.INVALID_REQUEST.code(),
        init(new InitProducerIdRequestData().setTransactionalId(""), 0).errorCode());
  }

  // ---- DescribeCluster, DescribeTopicPartitions, DescribeQuorum, Metadata

  @Test
  void clusterIsDescribedByBrokersToWhoAsksForBrokers() {
    for (int version = 0; version <= 2; version++) {
      DescribeClusterRequestData request =
          new DescribeClusterRequestData().setIncludeClusterAuthorizedOperations(true);
      var r = wire.ask(request, version, DescribeClusterResponseData.class);
      assertEquals(0, r.errorCode());
      assertEquals(1, r.controllerId());
      assertEquals(node.port(), r.brokers().find(1).port());
      assertEquals(8096, r.clusterAuthorizedOperations());
      assertNull(r.errorMessage());
    }
    assertEquals(Errors.MISMATCHED_ENDPOINT_TYPE, endpointType(2));
    assertEquals(Errors.UNSUPPORTED_ENDPOINT_TYPE, endpointType(3));
  }

  private static Errors endpointType(int type) {
    DescribeClusterRequestData request =
        new DescribeClusterRequestData().setEndpointType((byte) type);
    return Errors.forCode(wire.ask(request, 1, DescribeClusterResponseData.class).errorCode());
  }

  @Test
  void topicsAreDescribedPageByPage() {
    String prefix = "page-" + UUID.randomUUID();
    wire.create(prefix + "-a", 2);
    wire.create(prefix + "-b", 3);
    DescribeTopicPartitionsRequestData request =
        new DescribeTopicPartitionsRequestData().setResponsePartitionLimit(2);
    for (String name : List.of("-b", "-none", "-a", "-b")) {
      request
          .topics()
          .add(new DescribeTopicPartitionsRequestData.TopicRequest().setName(prefix + name));
    }
    TreeSet<String> seen = new TreeSet<>();
    int pages = 0;
    while (true) {
      var r = wire.ask(request, 0, DescribeTopicPartitionsResponseData.class);
      pages++;
      for (var topic : r.topics()) {
        String name = topic.name().substring(prefix.length());
        if (topic.errorCode() != 0) {
          seen.add(name + " " + Errors.forCode(topic.errorCode()));
        }
        topic.partitions().forEach(p -> assertTrue(seen.add(name + " " + p.partitionIndex())));
      }
      if (r.nextCursor() == null) {
        break;
      }
      request.setCursor(
          new DescribeTopicPartitionsRequestData.Cursor()
              .setTopicName(r.nextCursor().topicName())
              .setPartitionIndex(r.nextCursor().partitionIndex()));
    }
    assertEquals(3, pages);
    assertEquals(
        new TreeSet<>(
            List.of("-a 0", "-a 1", "-b 0", "-b 1", "-b 2", "-none UNKNOWN_TOPIC_OR_PARTITION")),
        seen);
  }

  @Test
  void cursorMustPointAtWhatIsAskedFor() {
    Topic t = wire.newTopic(1);
    DescribeTopicPartitionsRequestData request = new DescribeTopicPartitionsRequestData();
    request.topics().add(new DescribeTopicPartitionsRequestData.TopicRequest().setName(t.name()));
    request.setCursor(
        new DescribeTopicPartitionsRequestData.Cursor().setTopicName("zz").setPartitionIndex(0));
    var r = wire.ask(request, 0, DescribeTopicPartitionsResponseData.class);
    assertEquals(Errors.INVALID_REQUEST.code(), r.topics().find(t.name()).errorCode());
    request.cursor().setTopicName(t.name()).setPartitionIndex(-1);
    r = wire.ask(request, 0, DescribeTopicPartitionsResponseData.class);
    assertEquals(Errors.INVALID_REQUEST.code(), r.topics().find(t.name()).errorCode());
  }

  @Test
  void quorumIsDescribedThroughABroker() {
    DescribeQuorumRequestData request = new DescribeQuorumRequestData();
    request
        .topics()
        .add(
            new DescribeQuorumRequestData.TopicData()
                .setTopicName("__cluster_metadata")
                .setPartitions(List.of(new DescribeQuorumRequestData.PartitionData())));
    for (int version = 0; version <= 2; version++) {
      var r = wire.ask(request, version, DescribeQuorumResponseData.class);
      assertEquals(0, r.errorCode());
      var p = r.topics().get(0).partitions().get(0);
      assertEquals(0, p.errorCode());
      assertEquals(1, p.leaderId());
      assertEquals(1, p.currentVoters().size());
      assertEquals(version < 2 ? 0 : 1, r.nodes().size());
    }
  }

  private static MetadataResponseData metadata(String name, boolean create) {
    MetadataRequestData request = new MetadataRequestData().setAllowAutoTopicCreation(create);
    request.setTopics(List.of(new MetadataRequestData.MetadataRequestTopic().setName(name)));
    return wire.ask(request, 9, MetadataResponseData.class);
  }

  @Test
  void metadataOfTopicsThatAreNotThere() {
    String name = "missing-" + UUID.randomUUID();
    assertEquals(
        Errors.UNKNOWN_TOPIC_OR_PARTITION.code(),
        metadata(name, false).topics().find(name).errorCode());
    assertEquals(
        Errors.UNKNOWN_TOPIC_OR_PARTITION.code(),
        metadata(name, false).topics().find(name).errorCode());
    assertEquals(
        Errors.INVALID_TOPIC_EXCEPTION.code(),
        metadata("a/b", false).topics().find("a/b").errorCode());
    assertEquals(
        Errors.UNKNOWN_TOPIC_OR_PARTITION.code(),
        metadata(name, true).topics().find(name).errorCode());
    while (metadata(name, false).topics().find(name).errorCode() != 0) {
      Wire.pause();
    }
  }

  @Test
  void idsAreRefusedBeforeTheirTime() {
    MetadataRequestData request = new MetadataRequestData();
    request.setTopics(List.of(new MetadataRequestData.MetadataRequestTopic().setName(null)));
    for (int version : new int[] {10, 11}) {
      MetadataResponseData response = wire.ask(request, version, MetadataResponseData.class);
      assertEquals(Errors.INVALID_REQUEST.code(), response.topics().iterator().next().errorCode());
      assertEquals(0, response.brokers().size());
    }
  }

  @Test
  void idsHideNamesInOneMetadataRequest() {
    Topic t = wire.newTopic(1);
    Uuid unknown = Uuid.randomUuid();
    MetadataRequestData request = new MetadataRequestData().setAllowAutoTopicCreation(false);
    request.setTopics(
        List.of(
            new MetadataRequestData.MetadataRequestTopic().setTopicId(t.id()).setName(null),
            new MetadataRequestData.MetadataRequestTopic().setTopicId(unknown).setName(null),
            new MetadataRequestData.MetadataRequestTopic().setName("some-name")));
    var r = wire.ask(request, 12, MetadataResponseData.class);
    assertEquals(2, r.topics().size());
    for (var topic : r.topics()) {
      boolean known = topic.topicId().equals(t.id());
      assertEquals(known ? 0 : Errors.UNKNOWN_TOPIC_ID.code(), topic.errorCode());
      assertEquals(known ? t.name() : null, topic.name());
    }
  }

  @Test
  void noTopicsMeansAllInVersionZeroOnly() {
    wire.newTopic(1);
    MetadataRequestData request = new MetadataRequestData();
    assertNotEquals(0, wire.ask(request, 0, MetadataResponseData.class).topics().size());
    assertEquals(0, wire.ask(request, 1, MetadataResponseData.class).topics().size());
    request.setTopics(null);
    assertNotEquals(0, wire.ask(request, 1, MetadataResponseData.class).topics().size());
  }
}
