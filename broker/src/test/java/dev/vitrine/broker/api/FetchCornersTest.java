package dev.vitrine.broker.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.broker.OneNode;
import dev.vitrine.broker.api.Wire.Topic;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The corners of Fetch in which brokers have gone wrong. */
class FetchCornersTest {
  private static final int VERSION = 16;
  private static final int LAST_WITH_NAMES = 12;
  private static final int LONG_MS = 60_000;
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

  private static FetchResponseData ask(FetchRequestData request, Topic topic, int p, long offset) {
    request.setTopics(List.of(Requests.topic(topic.id(), Requests.partition(p, offset))));
    return wire.ask(request, VERSION, FetchResponseData.class);
  }

  private static PartitionData fetch(Topic topic, long offset) {
    return only(ask(Requests.fetch(), topic, 0, offset));
  }

  private static PartitionData only(FetchResponseData response) {
    assertEquals(Errors.NONE, Errors.forCode(response.errorCode()));
    assertEquals(1, response.responses().size(), response::toString);
    assertEquals(1, response.responses().get(0).partitions().size());
    return response.responses().get(0).partitions().get(0);
  }

  private static List<String> values(PartitionData p) {
    List<String> values = new ArrayList<>();
    ((MemoryRecords) p.records())
        .records()
        .forEach(
            r -> {
              byte[] v = new byte[r.valueSize()];
              r.value().get(v);
              values.add(r.offset() + "=" + new String(v));
            });
    return values;
  }

  private static Errors error(PartitionData p) {
    return Errors.forCode(p.errorCode());
  }

  @Test
  void offsetInsideABatchGivesTheWholeBatch() {
    Topic t = wire.newTopic(1);
    wire.produce(t, 0, Requests.batch(1, "a", "b", "c"));
    wire.produce(t, 0, Requests.batch(9, "d"));
    PartitionData p = fetch(t, 1);
    assertEquals(List.of("0=a", "1=b", "2=c", "3=d"), values(p));
    assertEquals(4, p.highWatermark());
    assertEquals(4, p.lastStableOffset());
    assertEquals(0, p.logStartOffset());
  }

  @Test
  void firstBatchComesWholeHoweverLarge() {
    Topic t = wire.newTopic(2);
    String large = "x".repeat(10_000);
    for (int p = 0; p < 2; p++) {
      wire.produce(t, p, Requests.batch(1, large));
      wire.produce(t, p, Requests.batch(1, large));
    }
    FetchRequestData request = Requests.fetch().setMaxBytes(100);
    request.setTopics(
        List.of(
            Requests.topic(
                t.id(),
                Requests.partition(0, 0).setPartitionMaxBytes(100),
                Requests.partition(1, 0).setPartitionMaxBytes(100))));
    FetchResponseData response = wire.ask(request, VERSION, FetchResponseData.class);
    List<PartitionData> parts = response.responses().get(0).partitions();
    assertEquals(2, parts.size());
    assertEquals(1, values(parts.get(0)).size() + values(parts.get(1)).size());
    assertEquals(2, parts.get(0).highWatermark());
    assertEquals(2, parts.get(1).highWatermark());
  }

  @Test
  void aPartOfABatchAloneIsNotSent() {
    Topic t = wire.newTopic(2);
    wire.produce(t, 0, Requests.batch(1, "a"));
    wire.produce(t, 1, Requests.batch(1, "b"));
    FetchRequestData request = Requests.fetch();
    request.setTopics(
        List.of(
            Requests.topic(
                t.id(),
                Requests.partition(0, 0).setPartitionMaxBytes(1),
                Requests.partition(1, 0).setPartitionMaxBytes(1))));
    FetchResponseData response = wire.ask(request, VERSION, FetchResponseData.class);
    List<PartitionData> parts = response.responses().get(0).partitions();
    int whole = Requests.batch(1, "a").sizeInBytes();
    for (PartitionData p : parts) {
      // Partitions of different shards may both be the first.
      int size = p.records().sizeInBytes();
      assertTrue(size == 0 || size == whole, "a part of " + size + " bytes");
    }
  }

  @Test
  void ofAPartitionNamedTwiceTheLastCounts() {
    Topic t = wire.newTopic(1);
    wire.produce(t, 0, Requests.batch(1, "a"));
    wire.produce(t, 0, Requests.batch(1, "b"));
    FetchRequestData request = Requests.fetch().setSessionEpoch(-1);
    request.setTopics(
        List.of(Requests.topic(t.id(), Requests.partition(0, 0), Requests.partition(0, 1))));
    assertEquals(List.of("1=b"), values(only(wire.ask(request, VERSION, FetchResponseData.class))));
  }

  @Test
  void noIdIsAnUnknownId() {
    PartitionData p = fetch(new Topic("", Uuid.ZERO_UUID), 0);
    assertEquals(Errors.UNKNOWN_TOPIC_ID, error(p));
    assertEquals(List.of(), p.abortedTransactions());
  }

  @Test
  void followersAreToldOfNoEndpoints() {
    Topic t = wire.newTopic(1);
    FetchRequestData request = Requests.fetch();
    request.replicaState().setReplicaId(77);
    FetchResponseData response = ask(request, t, 0, 0);
    assertEquals(Errors.NOT_LEADER_OR_FOLLOWER, error(only(response)));
    assertTrue(response.nodeEndpoints().isEmpty());
  }

  @Test
  void limitsOfNothingStillGiveTheFirstBatch() {
    Topic t = wire.newTopic(1);
    wire.produce(t, 0, Requests.batch(1, "a"));
    FetchRequestData request = Requests.fetch().setMaxBytes(0);
    request.setTopics(
        List.of(Requests.topic(t.id(), Requests.partition(0, 0).setPartitionMaxBytes(0))));
    assertEquals(List.of("0=a"), values(only(wire.ask(request, VERSION, FetchResponseData.class))));
  }

  @Test
  void secondPartitionFillsWhatTheFirstLeaves() {
    Topic t = wire.newTopic(2);
    wire.produce(t, 0, Requests.batch(1, "x".repeat(3_000)));
    wire.produce(t, 1, Requests.batch(1, "y".repeat(3_000)));
    wire.produce(t, 1, Requests.batch(1, "z".repeat(3_000)));
    FetchRequestData request = Requests.fetch().setMaxBytes(7_000);
    request.setTopics(
        List.of(Requests.topic(t.id(), Requests.partition(0, 0), Requests.partition(1, 0))));
    FetchResponseData response = wire.ask(request, VERSION, FetchResponseData.class);
    int records = 0;
    for (PartitionData p : response.responses().get(0).partitions()) {
      records += values(p).size();
    }
    assertEquals(2, records);
  }

  @Test
  void atTheEndItWaitsAndThenAnswersEmpty() {
    Topic t = wire.newTopic(1);
    wire.produce(t, 0, Requests.batch(1, "a"));
    PartitionData p = only(ask(Requests.fetch().setMaxWaitMs(100), t, 0, 1));
    assertEquals(Errors.NONE, error(p));
    assertEquals(List.of(), values(p));
    assertEquals(1, p.highWatermark());
  }

  @Test
  void whatIsProducedWakesTheWaiting() {
    Topic t = wire.newTopic(1);
    FetchRequestData request = Requests.fetch().setMaxWaitMs(LONG_MS);
    request.setTopics(List.of(Requests.topic(t.id(), Requests.partition(0, 0))));
    try (Wire other = new Wire(node)) {
      other.send(request, VERSION);
      wire.produce(t, 0, Requests.batch(1, "a"));
      assertEquals(
          List.of("0=a"), values(only(other.receive(request, VERSION, FetchResponseData.class))));
    }
  }

  @Test
  void waitsForMinBytes() {
    Topic t = wire.newTopic(2);
    FetchRequestData request = Requests.fetch().setMaxWaitMs(LONG_MS).setMinBytes(5_000);
    request.setTopics(
        List.of(Requests.topic(t.id(), Requests.partition(0, 0), Requests.partition(1, 0))));
    try (Wire other = new Wire(node)) {
      other.send(request, VERSION);
      wire.produce(t, 0, Requests.batch(1, "a"));
      wire.produce(t, 1, Requests.batch(1, "b"));
      wire.produce(t, 0, Requests.batch(1, "c".repeat(6_000)));
      FetchResponseData response = other.receive(request, VERSION, FetchResponseData.class);
      int records = 0;
      for (PartitionData p : response.responses().get(0).partitions()) {
        records += values(p).size();
      }
      assertEquals(3, records);
    }
  }

  @Test
  void offsetsBeyondTheLogAreOutOfRange() {
    Topic t = wire.newTopic(1);
    wire.produce(t, 0, Requests.batch(1, "a"));
    for (long offset : new long[] {2, 1_000, -1}) {
      PartitionData p = only(ask(Requests.fetch().setMaxWaitMs(LONG_MS), t, 0, offset));
      assertEquals(Errors.OFFSET_OUT_OF_RANGE, error(p), "offset " + offset);
      assertEquals(List.of(), values(p));
      assertEquals(-1, p.highWatermark());
      assertEquals(-1, p.lastStableOffset());
      assertEquals(-1, p.logStartOffset());
    }
  }

  @Test
  void newerLeaderEpochThanOursIsUnknown() {
    Topic t = wire.newTopic(1);
    FetchRequestData request = Requests.fetch().setMaxWaitMs(LONG_MS);
    request.setTopics(
        List.of(Requests.topic(t.id(), Requests.partition(0, 0).setCurrentLeaderEpoch(3))));
    PartitionData p = only(wire.ask(request, VERSION, FetchResponseData.class));
    assertEquals(Errors.UNKNOWN_LEADER_EPOCH, error(p));
  }

  @Test
  void positionThatWasNeverThereDiverges() {
    Topic t = wire.newTopic(1);
    wire.produce(t, 0, Requests.batch(1, "a"));
    FetchRequestData request = Requests.fetch().setMaxWaitMs(LONG_MS);
    request.setTopics(
        List.of(Requests.topic(t.id(), Requests.partition(0, 5).setLastFetchedEpoch(0))));
    PartitionData p = only(wire.ask(request, VERSION, FetchResponseData.class));
    assertEquals(Errors.NONE, error(p));
    assertEquals(0, p.divergingEpoch().epoch());
    assertEquals(1, p.divergingEpoch().endOffset());
  }

  /** A follower takes nothing but the divergence from such an answer, so it must hear the rest. */
  @Test
  void sessionTellsTheHighWatermarkAfterADivergence() {
    Topic t = wire.newTopic(1);
    wire.produce(t, 0, Requests.batch(1, "a"));
    FetchRequestData first = Requests.fetch().setSessionEpoch(0).setMaxWaitMs(LONG_MS);
    first.setTopics(
        List.of(Requests.topic(t.id(), Requests.partition(0, 5).setLastFetchedEpoch(0))));
    FetchResponseData response = wire.ask(first, VERSION, FetchResponseData.class);
    assertEquals(1, only(response).divergingEpoch().endOffset());
    FetchRequestData next = inSession(response, 1);
    next.setTopics(
        List.of(Requests.topic(t.id(), Requests.partition(0, 1).setLastFetchedEpoch(0))));
    PartitionData told = only(wire.ask(next, VERSION, FetchResponseData.class));
    assertEquals(1, told.highWatermark());
  }

  /** What was answered in an older epoch may have come too late to be taken. */
  @Test
  void sessionTellsTheHighWatermarkAgainInAnotherEpoch() {
    Topic t = wire.newTopic(1);
    wire.produce(t, 0, Requests.batch(1, "a"));
    FetchRequestData first = Requests.fetch().setSessionEpoch(0);
    first.setTopics(List.of(Requests.topic(t.id(), Requests.partition(0, 1))));
    FetchResponseData response = wire.ask(first, VERSION, FetchResponseData.class);
    assertEquals(1, only(response).highWatermark());
    FetchRequestData same = inSession(response, 1);
    same.setTopics(List.of(Requests.topic(t.id(), Requests.partition(0, 1))));
    assertEquals(List.of(), wire.ask(same, VERSION, FetchResponseData.class).responses());
    FetchRequestData other = inSession(response, 2);
    other.setTopics(
        List.of(Requests.topic(t.id(), Requests.partition(0, 1).setCurrentLeaderEpoch(0))));
    assertEquals(1, only(wire.ask(other, VERSION, FetchResponseData.class)).highWatermark());
  }

  private static FetchRequestData inSession(FetchResponseData response, int epoch) {
    return Requests.fetch()
        .setSessionId(response.sessionId())
        .setSessionEpoch(epoch)
        .setMaxWaitMs(50);
  }

  @Test
  void unknownPartitionsAndTopics() {
    Topic t = wire.newTopic(1);
    assertEquals(
        Errors.UNKNOWN_TOPIC_OR_PARTITION,
        error(only(ask(Requests.fetch().setMaxWaitMs(LONG_MS), t, 4, 0))));
    Topic none = new Topic("none", Uuid.randomUuid());
    assertEquals(
        Errors.UNKNOWN_TOPIC_ID,
        error(only(ask(Requests.fetch().setMaxWaitMs(LONG_MS), none, 0, 0))));
    FetchRequestData named = Requests.fetch().setMaxWaitMs(LONG_MS);
    named.setTopics(
        List.of(
            new FetchRequestData.FetchTopic()
                .setTopic("nothing-of-the-kind")
                .setPartitions(List.of(Requests.partition(0, 0)))));
    assertEquals(
        Errors.UNKNOWN_TOPIC_OR_PARTITION,
        error(only(wire.ask(named, LAST_WITH_NAMES, FetchResponseData.class))));
  }

  @Test
  void topicMadeAgainIsAnotherTopic() {
    Topic t = wire.newTopic(1);
    wire.produce(t, 0, Requests.batch(1, "a"));
    DeleteTopicsRequestData delete = new DeleteTopicsRequestData().setTimeoutMs(30_000);
    delete.topics().add(new DeleteTopicsRequestData.DeleteTopicState().setName(t.name()));
    assertEquals(
        0,
        wire.ask(delete, 6, DeleteTopicsResponseData.class).responses().find(t.name()).errorCode());
    Topic again = wire.create(t.name(), 1);
    assertEquals(Errors.UNKNOWN_TOPIC_ID, error(fetch(t, 0)));
    PartitionData p = fetch(again, 0);
    assertEquals(Errors.NONE, error(p));
    assertEquals(0, p.highWatermark());
  }

  @Test
  void allVersionsGiveTheRecords() {
    Topic t = wire.newTopic(1);
    wire.produce(t, 0, Requests.batch(1, "a", "b"));
    for (int version = 4; version <= 18; version++) {
      FetchRequestData request = Requests.fetch();
      FetchRequestData.FetchTopic topic = new FetchRequestData.FetchTopic();
      if (version > LAST_WITH_NAMES) {
        topic.setTopicId(t.id());
      } else {
        topic.setTopic(t.name());
      }
      topic.setPartitions(List.of(Requests.partition(0, 0)));
      request.setTopics(List.of(topic));
      if (version < 7) {
        request.setSessionEpoch(-1);
      }
      PartitionData p = only(wire.ask(request, version, FetchResponseData.class));
      assertEquals(List.of("0=a", "1=b"), values(p), "version " + version);
    }
  }

  // ---- sessions

  private static int newSession(Topic t, int partitions) {
    FetchRequestData.FetchPartition[] all = new FetchRequestData.FetchPartition[partitions];
    for (int i = 0; i < partitions; i++) {
      all[i] = Requests.partition(i, 0);
    }
    FetchRequestData request = Requests.fetch().setSessionId(0).setSessionEpoch(0);
    request.setTopics(List.of(Requests.topic(t.id(), all)));
    FetchResponseData response = wire.ask(request, VERSION, FetchResponseData.class);
    assertEquals(0, response.errorCode());
    assertTrue(response.sessionId() > 0);
    assertEquals(partitions, response.responses().get(0).partitions().size());
    return response.sessionId();
  }

  private static FetchRequestData next(int session, int epoch) {
    return Requests.fetch().setSessionId(session).setSessionEpoch(epoch);
  }

  @Test
  void incrementalAnswerNamesOnlyWhatIsNew() {
    Topic t = wire.newTopic(3);
    int session = newSession(t, 3);
    FetchResponseData empty = wire.ask(next(session, 1), VERSION, FetchResponseData.class);
    assertEquals(session, empty.sessionId());
    assertEquals(List.of(), empty.responses());
    wire.produce(t, 1, Requests.batch(1, "a"));
    PartitionData p = only(wire.ask(next(session, 2), VERSION, FetchResponseData.class));
    assertEquals(1, p.partitionIndex());
    assertEquals(List.of("0=a"), values(p));
    FetchRequestData moved = next(session, 3);
    moved.setTopics(List.of(Requests.topic(t.id(), Requests.partition(1, 1))));
    assertEquals(List.of(), wire.ask(moved, VERSION, FetchResponseData.class).responses());
  }

  @Test
  void forgottenPartitionsAreNotRead() {
    Topic t = wire.newTopic(2);
    int session = newSession(t, 2);
    FetchRequestData forget = next(session, 1);
    forget.setForgottenTopicsData(
        List.of(
            new FetchRequestData.ForgottenTopic().setTopicId(t.id()).setPartitions(List.of(0))));
    wire.ask(forget, VERSION, FetchResponseData.class);
    wire.produce(t, 0, Requests.batch(1, "a"));
    wire.produce(t, 1, Requests.batch(1, "b"));
    PartitionData p = only(wire.ask(next(session, 2), VERSION, FetchResponseData.class));
    assertEquals(1, p.partitionIndex());
  }

  @Test
  void wrongEpochsAndUnknownSessionsAreRefused() {
    Topic t = wire.newTopic(1);
    int session = newSession(t, 1);
    assertEquals(
        Errors.INVALID_FETCH_SESSION_EPOCH.code(),
        wire.ask(next(session, 5), VERSION, FetchResponseData.class).errorCode());
    assertEquals(
        Errors.FETCH_SESSION_ID_NOT_FOUND.code(),
        wire.ask(next(session ^ 1, 1), VERSION, FetchResponseData.class).errorCode());
    // What was refused has not used up the epoch.
    assertEquals(0, wire.ask(next(session, 1), VERSION, FetchResponseData.class).errorCode());
    assertEquals(
        Errors.FETCH_SESSION_TOPIC_ID_ERROR.code(),
        wire.ask(next(session, 2), LAST_WITH_NAMES, FetchResponseData.class).errorCode());
  }

  @Test
  void finalEpochEndsTheSession() {
    Topic t = wire.newTopic(1);
    int session = newSession(t, 1);
    assertEquals(0, wire.ask(next(session, -1), VERSION, FetchResponseData.class).sessionId());
    assertEquals(
        Errors.FETCH_SESSION_ID_NOT_FOUND.code(),
        wire.ask(next(session, 1), VERSION, FetchResponseData.class).errorCode());
  }

  @Test
  void errorsOfASessionAreToldAgainAndAgain() {
    Topic t = wire.newTopic(1);
    FetchRequestData request = Requests.fetch().setSessionId(0).setSessionEpoch(0);
    request.setTopics(List.of(Requests.topic(t.id(), Requests.partition(0, 7))));
    FetchResponseData first = wire.ask(request, VERSION, FetchResponseData.class);
    assertEquals(Errors.OFFSET_OUT_OF_RANGE, error(only(first)));
    assertTrue(first.sessionId() > 0);
    for (int epoch = 1; epoch < 3; epoch++) {
      FetchResponseData again =
          wire.ask(next(first.sessionId(), epoch), VERSION, FetchResponseData.class);
      assertEquals(Errors.OFFSET_OUT_OF_RANGE, error(only(again)));
    }
  }

  @Test
  void emptyFetchHasNothingToWaitFor() {
    FetchResponseData response =
        wire.ask(Requests.fetch().setMaxWaitMs(LONG_MS), VERSION, FetchResponseData.class);
    assertEquals(0, response.errorCode());
    assertEquals(List.of(), response.responses());
  }
}
