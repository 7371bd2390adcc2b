package dev.vitrine.broker.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.broker.OneNode;
import dev.vitrine.broker.api.Wire.Topic;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData.DescribableLogDirTopic;
import org.apache.kafka.common.message.DescribeLogDirsRequestData.DescribableLogDirTopicCollection;
import org.apache.kafka.common.message.DescribeLogDirsResponseData;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsPartition;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsResult;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** DescribeLogDirs against one node with one directory. */
class DescribeLogDirsCornersTest {
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

  private static DescribableLogDirTopic topic(String name, Integer... partitions) {
    return new DescribableLogDirTopic().setTopic(name).setPartitions(List.of(partitions));
  }

  private static DescribeLogDirsResult ask(int version, DescribableLogDirTopicCollection topics) {
    var response =
        wire.ask(
            new DescribeLogDirsRequestData().setTopics(topics),
            version,
            DescribeLogDirsResponseData.class);
    assertEquals(0, response.errorCode());
    assertEquals(1, response.results().size());
    DescribeLogDirsResult result = response.results().get(0);
    assertEquals(0, result.errorCode());
    assertTrue(Path.of(result.logDir()).isAbsolute(), result::logDir);
    return result;
  }

  private static DescribeLogDirsResult ask(int version, DescribableLogDirTopic... topics) {
    return ask(version, new DescribableLogDirTopicCollection(List.of(topics).iterator()));
  }

  /** As {@code topic-partition}; each at most once. */
  private static TreeSet<String> names(DescribeLogDirsResult result) {
    TreeSet<String> names = new TreeSet<>();
    for (var topic : result.topics()) {
      assertFalse(topic.partitions().isEmpty());
      topic
          .partitions()
          .forEach(p -> assertTrue(names.add(topic.name() + "-" + p.partitionIndex())));
    }
    return names;
  }

  private static DescribeLogDirsPartition only(DescribeLogDirsResult result) {
    assertEquals(1, result.topics().size());
    assertEquals(1, result.topics().get(0).partitions().size());
    return result.topics().get(0).partitions().get(0);
  }

  @Test
  void sizeIsThatOfTheSegments() {
    Topic t = wire.newTopic(1);
    assertEquals(0, only(ask(5, topic(t.name(), 0))).partitionSize());
    MemoryRecords first = Requests.batch(1, "a", "b");
    MemoryRecords second = Requests.batch(1, "c");
    wire.produce(t, 0, first);
    wire.produce(t, 0, second);
    DescribeLogDirsPartition p = only(ask(5, topic(t.name(), 0)));
    assertEquals(first.sizeInBytes() + second.sizeInBytes(), p.partitionSize());
    assertEquals(0, p.offsetLag());
    assertFalse(p.isFutureKey());
  }

  @Test
  void everyVersionSaysWhatItCan() {
    Topic t = wire.newTopic(1);
    for (int version = 1; version <= 5; version++) {
      DescribeLogDirsResult result = ask(version, topic(t.name(), 0));
      assertNotNull(only(result));
      if (version < 4) {
        assertEquals(-1, result.totalBytes());
        assertEquals(-1, result.usableBytes());
      } else {
        assertTrue(result.totalBytes() > 0);
        assertTrue(result.usableBytes() <= result.totalBytes());
      }
      assertFalse(result.isCordoned());
    }
  }

  @Test
  void onlyWhatIsAskedForAndHere() {
    Topic t = wire.newTopic(3);
    DescribeLogDirsResult result =
        ask(5, topic(t.name(), 0, 2, 2, 9, -1), topic("nothing-of-the-kind", 0), topic("no/name"));
    assertEquals(new TreeSet<>(List.of(t.name() + "-0", t.name() + "-2")), names(result));
  }

  @Test
  void askedForNoTopicsItStillNamesTheDirectory() {
    wire.newTopic(1);
    DescribeLogDirsResult result = ask(5);
    assertEquals(List.of(), result.topics());
    assertTrue(result.totalBytes() > 0);
    assertEquals(List.of(), ask(1).topics());
  }

  @Test
  void nullMeansAllButTheMetadataLog() {
    Topic t = wire.newTopic(2);
    for (int version = 1; version <= 5; version++) {
      TreeSet<String> names = names(ask(version, (DescribableLogDirTopicCollection) null));
      assertTrue(names.containsAll(List.of(t.name() + "-0", t.name() + "-1")));
      assertFalse(names.contains("__cluster_metadata-0"));
    }
  }
}
