package dev.vitrine.broker.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vitrine.broker.OneNode;
import dev.vitrine.broker.api.Wire.Topic;
import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.DeleteRecordsResponseData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** DeleteRecords against one node; the wait for followers is in {@code PartitionDeletionTest}. */
class DeleteRecordsCornersTest {
  private static final int HIGH_WATERMARK = -1;
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

  private static DeleteRecordsPartition upTo(int partition, long offset) {
    return new DeleteRecordsPartition().setPartitionIndex(partition).setOffset(offset);
  }

  private static DeleteRecordsTopic topic(String name, DeleteRecordsPartition... partitions) {
    return new DeleteRecordsTopic().setName(name).setPartitions(List.of(partitions));
  }

  private static DeleteRecordsResponseData ask(int version, DeleteRecordsTopic... topics) {
    return wire.ask(
        new DeleteRecordsRequestData().setTimeoutMs(30_000).setTopics(List.of(topics)),
        version,
        DeleteRecordsResponseData.class);
  }

  private static String told(DeleteRecordsResponseData response, String topic, int partition) {
    var p = response.topics().find(topic).partitions().find(partition);
    return Errors.forCode(p.errorCode()) + " " + p.lowWatermark();
  }

  private static String delete(String topic, int partition, long offset) {
    return told(ask(2, topic(topic, upTo(partition, offset))), topic, partition);
  }

  private static Topic fiveRecords(String... configs) {
    Topic t = wire.newTopic(1, configs);
    wire.produce(t, 0, Requests.batch(1, "a", "b", "c", "d", "e"));
    return t;
  }

  private static long earliest(Topic t) {
    return Requests.listOffsets(wire, t.name(), 0, -2).offset();
  }

  @Test
  void whatIsBeforeIsGoneWithinABatchToo() {
    Topic t = fiveRecords();
    assertEquals("NONE 2", delete(t.name(), 0, 2));
    assertEquals(2, earliest(t));
    assertEquals(Errors.OFFSET_OUT_OF_RANGE, fetchError(t, 1));
    assertEquals(Errors.NONE, fetchError(t, 2));
    assertEquals("NONE 2", delete(t.name(), 0, 1), "it never goes back");
    assertEquals("NONE 2", delete(t.name(), 0, 0));
    assertEquals(2, earliest(t));
  }

  private static Errors fetchError(Topic t, long offset) {
    var request = Requests.fetch();
    request.setTopics(List.of(Requests.topic(t.id(), Requests.partition(0, offset))));
    return Errors.forCode(
        wire.ask(request, 16, FetchResponseData.class)
            .responses()
            .get(0)
            .partitions()
            .get(0)
            .errorCode());
  }

  @Test
  void minusOneIsTheHighWatermarkInEveryVersion() {
    for (int version = 0; version <= 2; version++) {
      Topic t = fiveRecords();
      assertEquals(
          "NONE 5", told(ask(version, topic(t.name(), upTo(0, HIGH_WATERMARK))), t.name(), 0));
      assertEquals(5, earliest(t));
      assertEquals(5, wire.produce(t, 0, Requests.batch(9, "f")).baseOffset());
      assertEquals(5, wire.produce(t, 0, Requests.batch(9, "g")).logStartOffset());
    }
  }

  @Test
  void offsetsOutsideTheLogAreOutOfRange() {
    Topic t = fiveRecords();
    assertEquals("OFFSET_OUT_OF_RANGE -1", delete(t.name(), 0, 6));
    assertEquals("OFFSET_OUT_OF_RANGE -1", delete(t.name(), 0, -2));
    assertEquals("OFFSET_OUT_OF_RANGE -1", delete(t.name(), 0, Long.MIN_VALUE));
    assertEquals(0, earliest(t));
  }

  @Test
  void onlyWhereThePolicyDeletes() {
    assertEquals(
        "POLICY_VIOLATION -1", delete(fiveRecords("cleanup.policy", "compact").name(), 0, 1));
    assertEquals("NONE 1", delete(fiveRecords("cleanup.policy", "compact,delete").name(), 0, 1));
    assertEquals("NONE 1", delete(fiveRecords("cleanup.policy", "").name(), 0, 1));
  }

  @Test
  void policyIsLookedAtBeforeTheOffset() {
    assertEquals(
        "POLICY_VIOLATION -1", delete(fiveRecords("cleanup.policy", "compact").name(), 0, 99));
  }

  @Test
  void unknownTopicsAndPartitions() {
    Topic t = fiveRecords();
    assertEquals("UNKNOWN_TOPIC_OR_PARTITION -1", delete("nothing-of-the-kind", 0, 0));
    assertEquals("UNKNOWN_TOPIC_OR_PARTITION -1", delete("no/name", 0, 0));
    assertEquals("UNKNOWN_TOPIC_OR_PARTITION -1", delete(t.name(), 1, 0));
    assertEquals("UNKNOWN_TOPIC_OR_PARTITION -1", delete(t.name(), -1, 0));
  }

  @Test
  void brokersOwnTopicsAreRefused() {
    FindCoordinatorRequestData find =
        new FindCoordinatorRequestData().setCoordinatorKeys(List.of("any"));
    while (wire.ask(find, 4, FindCoordinatorResponseData.class).coordinators().get(0).errorCode()
        != 0) {
      Wire.pause();
    }
    assertEquals("INVALID_TOPIC_EXCEPTION -1", delete("__consumer_offsets", 0, 0));
  }

  @Test
  void eachPartitionIsOnItsOwn() {
    Topic t = wire.newTopic(2);
    wire.produce(t, 0, Requests.batch(1, "a", "b"));
    wire.produce(t, 1, Requests.batch(1, "c"));
    var response =
        ask(
            2,
            topic(t.name(), upTo(0, 1), upTo(1, 7), upTo(2, 0)),
            topic("nothing-of-the-kind", upTo(0, 0)));
    assertEquals("NONE 1", told(response, t.name(), 0));
    assertEquals("OFFSET_OUT_OF_RANGE -1", told(response, t.name(), 1));
    assertEquals("UNKNOWN_TOPIC_OR_PARTITION -1", told(response, t.name(), 2));
    assertEquals("UNKNOWN_TOPIC_OR_PARTITION -1", told(response, "nothing-of-the-kind", 0));
  }

  @Test
  void lastOffsetOfAPartitionCounts() {
    Topic t = fiveRecords();
    var response = ask(2, topic(t.name(), upTo(0, 4), upTo(0, 2)), topic(t.name(), upTo(0, 3)));
    assertEquals(1, response.topics().size());
    assertEquals(1, response.topics().find(t.name()).partitions().size());
    assertEquals("NONE 3", told(response, t.name(), 0));
  }

  @Test
  void nothingIsAskedOfNobody() {
    assertEquals(0, ask(2).topics().size());
    var response = ask(2, topic("nothing-of-the-kind"));
    assertEquals(0, response.topics().size());
  }
}
