package dev.vitrine.broker.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.vitrine.broker.OneNode;
import dev.vitrine.broker.api.Wire.Topic;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The corners of Produce in which brokers have gone wrong. */
class ProduceCornersTest {
  private static final long TIME = 1_700_000_000_000L;
  private static OneNode node;
  private static Wire wire;

  @BeforeAll
  static void start() {
    node = OneNode.start();
    wire = new Wire(node);
  }

  @AfterAll
  static void stop() throws IOException {
    wire.close();
    node.close();
  }

  private static Errors error(PartitionProduceResponse r) {
    return Errors.forCode(r.errorCode());
  }

  private static long end(Topic t) {
    return Requests.listOffsets(wire, t.name(), 0, -1).offset();
  }

  private static long newProducerId() {
    InitProducerIdRequestData request = new InitProducerIdRequestData().setTransactionalId(null);
    while (true) {
      InitProducerIdResponseData got = wire.ask(request, 4, InitProducerIdResponseData.class);
      if (got.errorCode() == 0) {
        return got.producerId();
      }
      Wire.pause(); // Kafka lets the first wait for its block of ids
    }
  }

  @Test
  void offsetsAreAssignedInOrder() {
    Topic t = wire.newTopic(1);
    assertEquals(0, wire.produce(t, 0, Requests.batch(TIME, "a", "b")).baseOffset());
    PartitionProduceResponse second = wire.produce(t, 0, Requests.batch(TIME, "c"));
    assertEquals(2, second.baseOffset());
    assertEquals(-1, second.logAppendTimeMs());
    assertEquals(0, second.logStartOffset());
  }

  @Test
  void brokerStampsWhereTheTopicSaysSo() {
    Topic t = wire.newTopic(1, "message.timestamp.type", "LogAppendTime");
    assertTrue(wire.produce(t, 0, Requests.batch(TIME, "a")).logAppendTimeMs() > TIME);
  }

  @Test
  void failureWithoutAcksClosesTheConnection() {
    try (Wire other = new Wire(node)) {
      other.produceWithoutAcks("no-such-topic", 0, Requests.batch(TIME, "a"));
      assertTrue(other.isClosed());
    }
  }

  @Test
  void successWithoutAcksHasNoAnswer() {
    Topic t = wire.newTopic(1);
    try (Wire other = new Wire(node)) {
      other.produceWithoutAcks(t.name(), 0, Requests.batch(TIME, "a"));
      // The next answer on this connection is that of the next request.
      assertEquals(1, Requests.listOffsets(other, t.name(), 0, -1).offset());
    }
  }

  @Test
  void onlyThreeKindsOfAcks() {
    Topic t = wire.newTopic(1);
    for (int acks : new int[] {2, -2, 7}) {
      PartitionProduceResponse r = wire.produce(t.name(), 0, acks, Requests.batch(TIME, "a"));
      assertEquals(Errors.INVALID_REQUIRED_ACKS, error(r), "acks=" + acks);
      assertEquals(-1, r.baseOffset());
    }
    assertEquals(0, end(t));
  }

  @Test
  void unknownTopicsAndPartitions() {
    Topic t = wire.newTopic(1);
    MemoryRecords batch = Requests.batch(TIME, "a");
    assertEquals(
        Errors.UNKNOWN_TOPIC_OR_PARTITION, error(wire.produce("no-such-topic", 0, 1, batch)));
    assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION, error(wire.produce(t.name(), 3, 1, batch)));
    ProduceRequestData byId = new ProduceRequestData().setAcks((short) 1).setTimeoutMs(30_000);
    byId.topicData()
        .add(
            new ProduceRequestData.TopicProduceData()
                .setTopicId(Uuid.randomUuid())
                .setPartitionData(
                    List.of(
                        new ProduceRequestData.PartitionProduceData()
                            .setIndex(0)
                            .setRecords(batch))));
    assertEquals(
        Errors.UNKNOWN_TOPIC_ID,
        error(
            wire.ask(byId, 13, ProduceResponseData.class)
                .responses()
                .iterator()
                .next()
                .partitionResponses()
                .get(0)));
  }

  @Test
  void tooLargeForTheTopic() {
    Topic t = wire.newTopic(1, "max.message.bytes", "1000");
    PartitionProduceResponse r = wire.produce(t, 0, Requests.batch(TIME, "x".repeat(2_000)));
    assertEquals(Errors.MESSAGE_TOO_LARGE, error(r));
    assertEquals(0, end(t));
    assertEquals(Errors.NONE, error(wire.produce(t, 0, Requests.batch(TIME, "x".repeat(500)))));
  }

  @Test
  void damagedBatchIsCorrupt() {
    Topic t = wire.newTopic(1);
    MemoryRecords good = Requests.batch(TIME, "a");
    ByteBuffer bytes = good.buffer().duplicate();
    bytes.put(bytes.limit() - 2, (byte) ~bytes.get(bytes.limit() - 2));
    PartitionProduceResponse r = wire.produce(t, 0, MemoryRecords.readableRecords(bytes));
    assertEquals(Errors.CORRUPT_MESSAGE, error(r));
    assertEquals(0, end(t));
  }

  @Test
  void secondBatchInOneRequestIsRefused() {
    Topic t = wire.newTopic(1);
    ByteBuffer two = ByteBuffer.allocate(1_000);
    two.put(Requests.batch(TIME, "a").buffer()).put(Requests.batch(TIME, "b").buffer()).flip();
    PartitionProduceResponse r = wire.produce(t, 0, MemoryRecords.readableRecords(two));
    assertEquals(Errors.INVALID_RECORD, error(r));
    assertEquals(0, end(t));
  }

  @Test
  void compactedTopicWantsKeys() {
    Topic t = wire.newTopic(1, "cleanup.policy", "compact");
    MemoryRecords records =
        MemoryRecords.withRecords(
            Compression.NONE,
            new SimpleRecord(TIME, "k".getBytes(), "v".getBytes()),
            new SimpleRecord(TIME, null, "v".getBytes()));
    PartitionProduceResponse r = wire.produce(t, 0, records);
    assertEquals(Errors.INVALID_RECORD, error(r));
    assertEquals(1, r.recordErrors().size());
    assertEquals(1, r.recordErrors().get(0).batchIndex());
    assertEquals(0, end(t));
  }

  @Test
  void minInSyncIsNeverMoreThanTheReplicas() {
    Topic t = wire.newTopic(1, "min.insync.replicas", "2");
    assertEquals(Errors.NONE, error(wire.produce(t, 0, Requests.batch(TIME, "a"))));
  }

  @Test
  void repeatedBatchIsAcknowledgedOnce() {
    Topic t = wire.newTopic(1);
    long id = newProducerId();
    wire.produce(t, 0, Requests.idempotent(id, 0, 0, "a", "b"));
    wire.produce(t, 0, Requests.idempotent(id, 0, 2, "c"));
    PartitionProduceResponse again = wire.produce(t, 0, Requests.idempotent(id, 0, 0, "a", "b"));
    assertEquals(Errors.NONE, error(again));
    assertEquals(0, again.baseOffset());
    assertEquals(3, end(t));
  }

  @Test
  void gapsInTheSequenceAreRefused() {
    Topic t = wire.newTopic(1);
    long id = newProducerId();
    wire.produce(t, 0, Requests.idempotent(id, 0, 0, "a"));
    assertEquals(
        Errors.OUT_OF_ORDER_SEQUENCE_NUMBER,
        error(wire.produce(t, 0, Requests.idempotent(id, 0, 2, "c"))));
    assertEquals(Errors.NONE, error(wire.produce(t, 0, Requests.idempotent(id, 0, 1, "b"))));
    assertEquals(2, end(t));
  }

  @Test
  void duplicateThatIsNoLongerRememberedIsOutOfOrder() {
    Topic t = wire.newTopic(1);
    long id = newProducerId();
    for (int i = 0; i < 7; i++) {
      wire.produce(t, 0, Requests.idempotent(id, 0, i, "v" + i));
    }
    assertEquals(
        Errors.OUT_OF_ORDER_SEQUENCE_NUMBER,
        error(wire.produce(t, 0, Requests.idempotent(id, 0, 0, "v0"))));
    assertEquals(7, end(t));
  }

  @Test
  void olderEpochIsFencedAndANewerBeginsAtZero() {
    Topic t = wire.newTopic(1);
    long id = newProducerId();
    wire.produce(t, 0, Requests.idempotent(id, 1, 0, "a"));
    assertEquals(
        Errors.INVALID_PRODUCER_EPOCH,
        error(wire.produce(t, 0, Requests.idempotent(id, 0, 1, "b"))));
    assertEquals(
        Errors.OUT_OF_ORDER_SEQUENCE_NUMBER,
        error(wire.produce(t, 0, Requests.idempotent(id, 2, 1, "b"))));
    assertEquals(Errors.NONE, error(wire.produce(t, 0, Requests.idempotent(id, 2, 0, "b"))));
  }

  @Test
  void emptyRequestIsAnswered() {
    ProduceRequestData request = new ProduceRequestData().setAcks((short) -1).setTimeoutMs(1_000);
    assertEquals(0, wire.ask(request, 12, ProduceResponseData.class).responses().size());
  }

  @Test
  void transactionalBatchIsRefused() {
    assumeTrue(node.isVitrine());
    Topic t = wire.newTopic(1);
    MemoryRecords records =
        MemoryRecords.withRecords(
            RecordBatch.CURRENT_MAGIC_VALUE,
            0,
            Compression.NONE,
            TimestampType.CREATE_TIME,
            5,
            (short) 0,
            0,
            0,
            true,
            new SimpleRecord(TIME, null, "a".getBytes()));
    assertEquals(Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, error(wire.produce(t, 0, records)));
  }

  @Test
  void allVersionsAreServed() {
    Topic t = wire.newTopic(1);
    for (int version = 3; version <= 13; version++) {
      ProduceRequestData request = new ProduceRequestData().setAcks((short) 1).setTimeoutMs(30_000);
      ProduceRequestData.TopicProduceData topic = new ProduceRequestData.TopicProduceData();
      if (version >= 13) {
        topic.setTopicId(t.id());
      } else {
        topic.setName(t.name());
      }
      topic.setPartitionData(
          List.of(
              new ProduceRequestData.PartitionProduceData()
                  .setIndex(0)
                  .setRecords(Requests.batch(TIME, "a"))));
      request.topicData().add(topic);
      PartitionProduceResponse r =
          wire.ask(request, version, ProduceResponseData.class)
              .responses()
              .iterator()
              .next()
              .partitionResponses()
              .get(0);
      assertEquals(Errors.NONE, error(r), "version " + version);
      assertEquals(version - 3, r.baseOffset());
    }
  }
}
