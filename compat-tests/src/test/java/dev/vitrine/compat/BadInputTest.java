package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Bytes that no client sends. Each gets what Apache Kafka gives: an error or a closed connection;
 * and after each a stock client that was there before goes on as if nothing had been.
 */
@Tag("smoke")
class BadInputTest {
  private static final String TOPIC = "bad-input";
  private static final String COMPACTED = "bad-input-compacted";
  private static final String BYSTANDERS = "bystanders";
  private static final int PRODUCE_VERSION = 9;
  private static final int MAX_REQUEST = 2_000_000;
  private static final AtomicInteger BYSTANDER = new AtomicInteger();

  /** Kafka falls over these, without harm to others; we say what is wrong. */
  private static final Errors NOT_FORESEEN =
      Target.isVitrine() ? Errors.INVALID_RECORD : Errors.UNKNOWN_SERVER_ERROR;

  private static ClusterUnderTest cluster;
  private static KafkaProducer<String, String> bystander;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        LocalCluster.start(
            "bad-input", 1, Map.of("socket.request.max.bytes", String.valueOf(MAX_REQUEST)));
    Clients clients = new Clients(cluster.bootstrap());
    clients.createTopic(new NewTopic(TOPIC, 1, (short) 1));
    clients.createTopic(new NewTopic(BYSTANDERS, 1, (short) 1));
    NewTopic compacted = new NewTopic(COMPACTED, 1, (short) 1);
    clients.createTopic(compacted.configs(Map.of("cleanup.policy", "compact")));
    bystander = clients.producer(Map.of());
  }

  @AfterAll
  static void stop() throws Exception {
    if (bystander != null) {
      bystander.close();
      assertEquals(BYSTANDER.get(), new Clients(cluster.bootstrap()).readAll(BYSTANDERS).size());
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  @AfterEach
  void otherClientsGoOn() throws Exception {
    int offset = BYSTANDER.getAndIncrement();
    assertEquals(offset, bystander.send(new ProducerRecord<>(BYSTANDERS, "v")).get().offset());
  }

  // Frames

  @ParameterizedTest
  @ValueSource(ints = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, MAX_REQUEST + 1})
  void anAbsurdLengthCloses(int length) throws IOException {
    try (RawConnection connection = connect()) {
      connection.send(ByteBuffer.allocate(4).putInt(length).array());
      assertEquals(Optional.empty(), connection.receive());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 9})
  void aFrameTooShortForAHeaderCloses(int length) throws IOException {
    try (RawConnection connection = connect()) {
      connection.sendFrame(new byte[length]);
      assertEquals(Optional.empty(), connection.receive());
    }
  }

  @Test
  void aFrameThatIsNeverFinishedHurtsNobody() throws IOException {
    try (RawConnection connection = connect()) {
      connection.send(ByteBuffer.allocate(14).putInt(1_000).array());
    }
  }

  @Test
  void aTruncatedBodyCloses() throws IOException {
    byte[] whole =
        RawConnection.request(
            ApiKeys.PRODUCE,
            (short) PRODUCE_VERSION,
            1,
            produce(TOPIC, -1, RawBatch.ofTwo().build()));
    for (int length : new int[] {whole.length - 3, whole.length / 2, 20}) {
      try (RawConnection connection = connect()) {
        connection.sendFrame(Arrays.copyOf(whole, length));
        assertEquals(Optional.empty(), connection.receive(), "cut to " + length);
      }
    }
  }

  @Test
  void anUnknownApiCloses() throws IOException {
    for (int api : new int[] {9_999, -1, 4 /* LeaderAndIsr, which is gone */}) {
      try (RawConnection connection = connect()) {
        connection.sendFrame(RawConnection.header(api, 0, 1));
        assertEquals(Optional.empty(), connection.receive(), "API " + api);
      }
    }
  }

  @Test
  void anUnknownVersionCloses() throws IOException {
    for (int version : new int[] {99, -1}) {
      try (RawConnection connection = connect()) {
        connection.sendFrame(RawConnection.header(ApiKeys.METADATA.id, version, 1));
        assertEquals(Optional.empty(), connection.receive(), "version " + version);
      }
    }
  }

  /** How a client of the future finds out what we speak. */
  @Test
  void anUnknownVersionOfApiVersionsIsAnsweredInVersion0() throws IOException {
    try (RawConnection connection = connect()) {
      connection.sendFrame(RawConnection.header(ApiKeys.API_VERSIONS.id, 99, 77));
      ByteBuffer answer = connection.receive().orElseThrow();
      assertEquals(77, answer.getInt());
      ApiVersionsResponseData versions =
          new ApiVersionsResponseData(new ByteBufferAccessor(answer), (short) 0);
      assertEquals(Errors.UNSUPPORTED_VERSION.code(), versions.errorCode());
      assertEquals(1, versions.apiKeys().size());
      assertEquals(
          ApiKeys.API_VERSIONS.id, versions.apiKeys().find(ApiKeys.API_VERSIONS.id).apiKey());
      assertFalse(answer.hasRemaining());
      // The same connection is as good as before.
      ApiVersionsResponseData after =
          connection.ask(
              ApiKeys.API_VERSIONS,
              3,
              new ApiVersionsRequestData()
                  .setClientSoftwareName("raw")
                  .setClientSoftwareVersion("1"),
              new ApiVersionsResponseData());
      assertEquals(0, after.errorCode());
      assertTrue(after.apiKeys().size() > 10);
    }
  }

  @Test
  void anInvalidClientNameIsRefused() throws IOException {
    try (RawConnection connection = connect()) {
      ApiVersionsResponseData versions =
          connection.ask(
              ApiKeys.API_VERSIONS,
              3,
              new ApiVersionsRequestData()
                  .setClientSoftwareName("no spaces!")
                  .setClientSoftwareVersion("1"),
              new ApiVersionsResponseData());
      assertEquals(Errors.INVALID_REQUEST.code(), versions.errorCode());
    }
  }

  /** An array that claims two thousand million elements in a frame of fifty bytes. */
  @Test
  void anAbsurdArrayCloses() throws IOException {
    byte[] request =
        RawConnection.request(
            ApiKeys.METADATA, (short) 1, 1, new MetadataRequestData().setTopics(null));
    ByteBuffer.wrap(request).putInt(request.length - 4, Integer.MAX_VALUE);
    try (RawConnection connection = connect()) {
      connection.sendFrame(request);
      assertEquals(Optional.empty(), connection.receive());
    }
  }

  // Batches

  static Stream<Arguments> batches() {
    long hour = 3_600_000;
    long now = System.currentTimeMillis();
    byte[] good = RawBatch.record(0, 0, "k", "v");
    return Stream.of(
        bad("wrong CRC", Errors.CORRUPT_MESSAGE, RawBatch.ofTwo().wrongCrc()),
        bad("magic 0", Errors.INVALID_RECORD, RawBatch.ofTwo().magic(0)),
        bad("magic 1", Errors.INVALID_RECORD, RawBatch.ofTwo().magic(1)),
        bad("magic 3", Errors.CORRUPT_MESSAGE, RawBatch.ofTwo().magic(3)),
        bad("magic -1", Errors.CORRUPT_MESSAGE, RawBatch.ofTwo().magic(-1)),
        bad(
            "length one less",
            Errors.CORRUPT_MESSAGE,
            RawBatch.ofTwo().length(RawBatch.ofTwo().build().capacity() - 13)),
        bad(
            "length one more",
            Errors.INVALID_RECORD,
            RawBatch.ofTwo().length(RawBatch.ofTwo().build().capacity() - 11)),
        bad("length 0", Errors.CORRUPT_MESSAGE, RawBatch.ofTwo().length(0)),
        bad("length -1", Errors.CORRUPT_MESSAGE, RawBatch.ofTwo().length(-1)),
        bad(
            "length of a header that is too short",
            Errors.CORRUPT_MESSAGE,
            RawBatch.ofTwo().length(20)),
        bad("count one less", Errors.INVALID_RECORD, RawBatch.ofTwo().count(1)),
        bad("count one more", Errors.INVALID_RECORD, RawBatch.ofTwo().count(3)),
        bad("count 0", Errors.INVALID_RECORD, RawBatch.ofTwo().count(0)),
        bad("count -1", Errors.INVALID_RECORD, RawBatch.ofTwo().count(-1)),
        bad(
            "count 2 thousand million",
            Errors.INVALID_RECORD,
            RawBatch.ofTwo().count(Integer.MAX_VALUE)),
        bad(
            "count and delta 2 thousand million",
            Errors.INVALID_RECORD,
            RawBatch.ofTwo().count(Integer.MAX_VALUE).lastOffsetDelta(Integer.MAX_VALUE - 1)),
        bad("no records", Errors.INVALID_RECORD, new RawBatch()),
        bad(
            "last offset delta too large",
            Errors.INVALID_RECORD,
            RawBatch.ofTwo().lastOffsetDelta(2)),
        bad(
            "last offset delta too small",
            Errors.INVALID_RECORD,
            RawBatch.ofTwo().lastOffsetDelta(0)),
        bad(
            "last offset delta negative",
            Errors.INVALID_RECORD,
            RawBatch.ofTwo().lastOffsetDelta(-1)),
        bad("base offset not 0", Errors.INVALID_RECORD, RawBatch.ofTwo().baseOffset(77)),
        bad(
            "offset deltas with a hole",
            Errors.INVALID_RECORD,
            new RawBatch().add(good).add(RawBatch.record(0, 2, "k", "v")).lastOffsetDelta(2)),
        bad("offset deltas that repeat", Errors.NONE, new RawBatch().add(good).add(good)),
        bad(
            "offset delta negative",
            Errors.NONE,
            new RawBatch().add(RawBatch.record(0, -1, "k", "v"))),
        bad(
            "record longer than the batch",
            Errors.INVALID_RECORD,
            new RawBatch().add(RawBatch.sized(1_000, new byte[10]))),
        bad(
            "record shorter than it is",
            Errors.INVALID_RECORD,
            new RawBatch().add(RawBatch.sized(3, new byte[20]))),
        bad(
            "record length negative",
            Errors.INVALID_RECORD,
            new RawBatch().add(RawBatch.sized(-5, new byte[10]))),
        bad(
            "record length 0",
            Errors.INVALID_RECORD,
            new RawBatch().add(RawBatch.sized(0, new byte[0]))),
        bad(
            "rubbish after the records",
            Errors.INVALID_RECORD,
            new RawBatch().add(good).add(new byte[5]).count(1).lastOffsetDelta(0)),
        bad(
            "a varint that does not end",
            NOT_FORESEEN,
            new RawBatch().add(new byte[] {-1, -1, -1, -1, -1, -1, -1, -1})),
        bad("gzip of rubbish", NOT_FORESEEN, RawBatch.ofTwo().attributes(1).body(new byte[40])),
        bad("snappy of rubbish", NOT_FORESEEN, RawBatch.ofTwo().attributes(2).body(new byte[40])),
        bad("lz4 of rubbish", NOT_FORESEEN, RawBatch.ofTwo().attributes(3).body(new byte[40])),
        bad("zstd of rubbish", NOT_FORESEEN, RawBatch.ofTwo().attributes(4).body(new byte[40])),
        bad("codec 5", NOT_FORESEEN, RawBatch.ofTwo().attributes(5)),
        bad("codec 7", NOT_FORESEEN, RawBatch.ofTwo().attributes(7)),
        bad("control batch", Errors.INVALID_RECORD, RawBatch.ofTwo().attributes(0x20)),
        bad(
            "transactional without a producer",
            Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
            RawBatch.ofTwo().attributes(0x10)),
        bad("log append time", Errors.NONE, RawBatch.ofTwo().attributes(0x08)),
        bad("unknown attributes", Errors.NONE, RawBatch.ofTwo().attributes(0x4000)),
        bad(
            "two hours in the future",
            Errors.INVALID_TIMESTAMP,
            RawBatch.ofTwo().baseTimestamp(now + 2 * hour)),
        bad(
            "max timestamp that no record has",
            Errors.NONE,
            RawBatch.ofTwo().maxTimestamp(now + 2 * hour)),
        bad("timestamp -1", Errors.NONE, RawBatch.ofTwo().baseTimestamp(-1)),
        bad("timestamp -2", Errors.NONE, RawBatch.ofTwo().baseTimestamp(-2)),
        bad("producer id without epoch", Errors.NONE, RawBatch.ofTwo().producer(5, -1, 0)),
        bad(
            "producer id without sequence",
            Errors.INVALID_RECORD,
            RawBatch.ofTwo().producer(5, 0, -1)),
        bad(
            "unknown producer in the middle",
            Errors.NONE,
            RawBatch.ofTwo().producer(123_456, 0, 10)));
  }

  private static Arguments bad(String name, Errors expected, RawBatch batch) {
    return Arguments.of(name, expected, batch.build());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("batches")
  void aBadBatchIsRefused(String name, Errors expected, ByteBuffer batch) throws IOException {
    try (RawConnection connection = connect()) {
      PartitionProduceResponse answer = produceOne(connection, TOPIC, -1, batch);
      assertEquals(expected, Errors.forCode(answer.errorCode()), answer::toString);
      if (expected != Errors.NONE) {
        assertEquals(-1, answer.baseOffset());
      }
    }
  }

  @Test
  void twoBatchesAreRefused() throws IOException {
    ByteBuffer one = RawBatch.ofTwo().build();
    ByteBuffer two = ByteBuffer.allocate(2 * one.capacity());
    two.put(one.duplicate()).put(one.duplicate()).flip();
    assertRefused(Errors.INVALID_RECORD, TOPIC, -1, two);
  }

  @Test
  void noBatchIsRefused() throws IOException {
    assertRefused(Errors.INVALID_RECORD, TOPIC, -1, ByteBuffer.allocate(0));
    assertRefused(Errors.INVALID_RECORD, TOPIC, -1, ByteBuffer.allocate(11));
  }

  @Test
  void aCompactedTopicWantsKeys() throws IOException {
    RawBatch batch = new RawBatch().add(RawBatch.record(0, 0, "k", "v"));
    batch.add(RawBatch.record(0, 1, null, "v"));
    PartitionProduceResponse answer =
        assertRefused(Errors.INVALID_RECORD, COMPACTED, -1, batch.build());
    assertEquals(1, answer.recordErrors().size());
    assertEquals(1, answer.recordErrors().get(0).batchIndex());
  }

  @Test
  void tooLargeABatchIsRefused() throws IOException {
    RawBatch batch = new RawBatch().add(RawBatch.record(0, 0, "k", "v".repeat(1_100_000)));
    assertRefused(Errors.MESSAGE_TOO_LARGE, TOPIC, -1, batch.build());
  }

  @Test
  void acksAreNoneOneOrAll() throws IOException {
    assertRefused(Errors.INVALID_REQUIRED_ACKS, TOPIC, 2, RawBatch.ofTwo().build());
    assertRefused(Errors.INVALID_REQUIRED_ACKS, TOPIC, -2, RawBatch.ofTwo().build());
  }

  @Test
  void anUnknownTopicIsRefused() throws IOException {
    ByteBuffer batch = RawBatch.ofTwo().build();
    assertRefused(Errors.UNKNOWN_TOPIC_OR_PARTITION, "never-made", 1, batch);
  }

  @Test
  void sequencesHaveNoHolesAndNoDoubles() throws IOException {
    try (RawConnection connection = connect()) {
      PartitionProduceResponse first =
          produceOne(connection, TOPIC, -1, RawBatch.ofTwo().producer(4_000, 3, 0).build());
      PartitionProduceResponse again =
          produceOne(connection, TOPIC, -1, RawBatch.ofTwo().producer(4_000, 3, 0).build());
      assertEquals(0, again.errorCode());
      assertEquals(first.baseOffset(), again.baseOffset());
    }
    assertRefused(
        Errors.OUT_OF_ORDER_SEQUENCE_NUMBER,
        TOPIC,
        -1,
        RawBatch.ofTwo().producer(4_000, 3, 7).build());
    assertRefused(
        Errors.INVALID_PRODUCER_EPOCH, TOPIC, -1, RawBatch.ofTwo().producer(4_000, 2, 2).build());
  }

  private static PartitionProduceResponse assertRefused(
      Errors expected, String topic, int acks, ByteBuffer records) throws IOException {
    try (RawConnection connection = connect()) {
      PartitionProduceResponse answer = produceOne(connection, topic, acks, records);
      assertEquals(expected, Errors.forCode(answer.errorCode()), answer::toString);
      return answer;
    }
  }

  @Test
  void aFetchThatMakesNoSenseIsRefused() throws IOException {
    try (RawConnection connection = connect()) {
      FetchRequestData request = new FetchRequestData().setMaxWaitMs(100).setMinBytes(1);
      FetchResponseData answer =
          connection.ask(
              ApiKeys.FETCH,
              12,
              request.setSessionId(987_654).setSessionEpoch(5),
              new FetchResponseData());
      assertEquals(Errors.FETCH_SESSION_ID_NOT_FOUND.code(), answer.errorCode());

      FetchRequestData beyond = new FetchRequestData().setMaxWaitMs(100).setMinBytes(1);
      beyond
          .topics()
          .add(
              new FetchRequestData.FetchTopic()
                  .setTopic(TOPIC)
                  .setPartitions(
                      List.of(
                          new FetchRequestData.FetchPartition()
                              .setPartition(0)
                              .setFetchOffset(1_000_000)
                              .setPartitionMaxBytes(1_000))));
      FetchResponseData outside =
          connection.ask(ApiKeys.FETCH, 12, beyond, new FetchResponseData());
      assertEquals(
          Errors.OFFSET_OUT_OF_RANGE.code(),
          outside.responses().get(0).partitions().get(0).errorCode());
    }
  }

  private static ProduceRequestData produce(String topic, int acks, ByteBuffer records) {
    ProduceRequestData request =
        new ProduceRequestData().setAcks((short) acks).setTimeoutMs(10_000);
    request
        .topicData()
        .add(
            new ProduceRequestData.TopicProduceData()
                .setName(topic)
                .setPartitionData(
                    List.of(
                        new ProduceRequestData.PartitionProduceData()
                            .setIndex(0)
                            .setRecords(MemoryRecords.readableRecords(records)))));
    return request;
  }

  private static PartitionProduceResponse produceOne(
      RawConnection connection, String topic, int acks, ByteBuffer records) throws IOException {
    ProduceResponseData answer =
        connection.ask(
            ApiKeys.PRODUCE,
            PRODUCE_VERSION,
            produce(topic, acks, records),
            new ProduceResponseData());
    return answer.responses().iterator().next().partitionResponses().get(0);
  }

  private static RawConnection connect() throws IOException {
    return new RawConnection(cluster.clientPort(1));
  }
}
