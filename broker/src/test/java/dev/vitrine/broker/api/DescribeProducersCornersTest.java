package dev.vitrine.broker.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.vitrine.broker.OneNode;
import dev.vitrine.broker.api.Wire.Topic;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.DescribeProducersRequestData.TopicRequest;
import org.apache.kafka.common.message.DescribeProducersRequestData.TopicRequestCollection;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.DescribeProducersResponseData.PartitionResponse;
import org.apache.kafka.common.message.DescribeProducersResponseData.ProducerState;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** DescribeProducers against one node, of idempotent producers. */
class DescribeProducersCornersTest {
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

  private static TopicRequest topic(String name, Integer... partitions) {
    return new TopicRequest().setName(name).setPartitionIndexes(List.of(partitions));
  }

  private static DescribeProducersResponseData ask(TopicRequest... topics) {
    return wire.ask(
        new DescribeProducersRequestData()
            .setTopics(new TopicRequestCollection(List.of(topics).iterator())),
        0,
        DescribeProducersResponseData.class);
  }

  private static PartitionResponse only(DescribeProducersResponseData response) {
    assertEquals(1, response.topics().size());
    assertEquals(1, response.topics().get(0).partitions().size());
    return response.topics().get(0).partitions().get(0);
  }

  private static List<ProducerState> producers(Topic t) {
    PartitionResponse p = only(ask(topic(t.name(), 0)));
    assertEquals(0, p.errorCode());
    assertNull(p.errorMessage());
    return p.activeProducers().stream()
        .sorted(Comparator.comparing(ProducerState::producerId))
        .toList();
  }

  private static String told(PartitionResponse p) {
    assertEquals(List.of(), p.activeProducers());
    return p.partitionIndex() + " " + Errors.forCode(p.errorCode()) + " " + p.errorMessage();
  }

  @Test
  void eachProducerWithItsLastBatch() {
    Topic t = wire.newTopic(1);
    assertEquals(List.of(), producers(t));
    wire.produce(t, 0, Requests.batch(1, "without an id"));
    assertEquals(List.of(), producers(t));
    wire.produce(t, 0, Requests.idempotent(7_001, 0, 0, "a", "b"));
    wire.produce(t, 0, Requests.idempotent(7_001, 0, 2, "c"));
    wire.produce(t, 0, Requests.idempotent(7_002, 3, 0, "d"));
    ProducerState first =
        new ProducerState()
            .setProducerId(7_001)
            .setProducerEpoch(0)
            .setLastSequence(2)
            .setLastTimestamp(1_700_000_000_000L)
            .setCoordinatorEpoch(-1)
            .setCurrentTxnStartOffset(-1);
    ProducerState second =
        first.duplicate().setProducerId(7_002).setProducerEpoch(3).setLastSequence(0);
    assertEquals(List.of(first, second), producers(t));
  }

  @Test
  void newEpochReplacesTheOld() {
    Topic t = wire.newTopic(1);
    wire.produce(t, 0, Requests.idempotent(7_003, 0, 0, "a"));
    wire.produce(t, 0, Requests.idempotent(7_003, 1, 0, "b", "c"));
    List<ProducerState> found = producers(t);
    assertEquals(1, found.size());
    assertEquals(1, found.get(0).producerEpoch());
    assertEquals(1, found.get(0).lastSequence());
  }

  @Test
  void whatIsNotThere() {
    Topic t = wire.newTopic(1);
    assertEquals("1 UNKNOWN_TOPIC_OR_PARTITION null", told(only(ask(topic(t.name(), 1)))));
    assertEquals("-1 UNKNOWN_TOPIC_OR_PARTITION null", told(only(ask(topic(t.name(), -1)))));
    assertEquals(
        "0 UNKNOWN_TOPIC_OR_PARTITION This server does not host this topic-partition.",
        told(only(ask(topic("nothing-of-the-kind", 0)))));
  }

  @Test
  void namesThatNoTopicCanHave() {
    assertEquals(
        "4 INVALID_TOPIC_EXCEPTION Topic name is invalid: 'a/b' contains one or more characters"
            + " other than ASCII alphanumerics, '.', '_' and '-'",
        told(only(ask(topic("a/b", 4)))));
    assertEquals(
        "0 INVALID_TOPIC_EXCEPTION Topic name is invalid: the empty string is not allowed",
        told(only(ask(topic("", 0)))));
  }

  @Test
  void askedInOrderAndAsOftenAsAsked() {
    Topic t = wire.newTopic(2);
    var response =
        ask(topic(t.name(), 1, 0, 1), topic(t.name(), 0), topic("nothing", 0), topic("n"));
    assertEquals(
        List.of(t.name() + "[1, 0, 1]", t.name() + "[0]", "nothing[0]", "n[]"),
        response.topics().stream()
            .map(
                a ->
                    a.name()
                        + a.partitions().stream().map(PartitionResponse::partitionIndex).toList())
            .toList());
    assertEquals(0, ask().topics().size());
  }
}
