package dev.vitrine.broker.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import dev.vitrine.broker.api.ApiListener;
import dev.vitrine.broker.api.ApiTable;
import dev.vitrine.broker.api.ListenerType;
import dev.vitrine.broker.net.Loops;
import dev.vitrine.config.KafkaConfig;
import dev.vitrine.metadata.LiveConfig;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.FeatureLevelRecord;
import dev.vitrine.protocol.message.PartitionRecord;
import dev.vitrine.protocol.message.TopicRecord;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Network;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.junit.jupiter.api.Test;

/**
 * All group APIs over sockets: the same conversation as the one that Apache Kafka 4.4.0 had, and
 * the same records from it.
 */
class GroupApisTest {
  private static final Uuid TOPIC = new Uuid(11, 12);
  private static final Uuid OFFSETS = new Uuid(13, 14);

  static MetadataImage image() {
    MetadataImage image =
        MetadataImage.EMPTY
            .apply(new FeatureLevelRecord().name("group.version").featureLevel((short) 1))
            .apply(new TopicRecord().name("t").topicId(TOPIC))
            .apply(new TopicRecord().name(ShardCoordinators.TOPIC).topicId(OFFSETS));
    for (int p = 0; p < 2; p++) {
      image = image.apply(partition(TOPIC, p));
    }
    return image.apply(partition(OFFSETS, 0));
  }

  private static PartitionRecord partition(Uuid topic, int index) {
    return new PartitionRecord()
        .topicId(topic)
        .partitionId(index)
        .replicas(List.of(1))
        .isr(List.of(1))
        .leader(1)
        .leaderEpoch(0)
        .partitionEpoch(0)
        .directories(List.of(new Uuid(1, 1)));
  }

  private interface Conversation {
    List<String> with(int port, org.apache.kafka.common.Uuid topic) throws Exception;
  }

  @Test
  void sayWhatApacheKafkaSays() throws Exception {
    check(
        Map.of(),
        (port, topic) -> new GroupTranscript(port, topic).run(),
        "group-apis.txt",
        "group-records.txt");
  }

  @Test
  void sayWhatApacheKafkaSaysOfConsumerGroups() throws Exception {
    check(
        Map.of(),
        (port, topic) -> new ConsumerGroupTranscript(port, topic).run(),
        "consumer-group-apis.txt",
        "consumer-group-records.txt");
  }

  @Test
  void sayWhatApacheKafkaSaysInCorners() throws Exception {
    check(
        GroupCorners.CONFIG,
        (port, topic) -> new GroupCorners(new GroupTranscript(port, topic)).run(),
        "group-corners.txt",
        null);
  }

  @Test
  void letTheSameOffsetsExpire() throws Exception {
    check(
        GroupCorners.EXPIRY_CONFIG,
        (port, topic) -> new GroupCorners(new GroupTranscript(port, topic)).runExpiry(),
        "group-expiry.txt",
        null);
  }

  /** It listens before it has caught up, and clients take UNSUPPORTED_VERSION as final. */
  @Test
  void askForPatienceWhileTheBrokerKnowsNothingOfItsCluster() throws Exception {
    List<ApiMessage> answers = new ArrayList<>();
    converse(
        config(Map.of()),
        MetadataImage.EMPTY,
        new FakeLog(),
        (port, topic) -> {
          GroupTranscript t = new GroupTranscript(port, topic);
          ConsumerGroupHeartbeatRequestData beat =
              new ConsumerGroupHeartbeatRequestData().setGroupId("g").setMemberId("m");
          answers.add(t.ask("heartbeat", beat.setMemberEpoch(3), 1));
          answers.add(
              t.ask(
                  "describe", new ConsumerGroupDescribeRequestData().setGroupIds(List.of("g")), 1));
          answers.add(t.ask("classic", GroupTranscript.heartbeat("g", "m", 1), 4));
          return t.lines();
        });
    short expected = Errors.COORDINATOR_NOT_AVAILABLE.code();
    assertEquals(expected, ((ConsumerGroupHeartbeatResponseData) answers.get(0)).errorCode());
    assertEquals(
        expected, ((ConsumerGroupDescribeResponseData) answers.get(1)).groups().get(0).errorCode());
    assertEquals(expected, ((HeartbeatResponseData) answers.get(2)).errorCode());
  }

  /**
   * @param records null if they are not compared
   */
  private static void check(
      Map<String, String> differing, Conversation conversation, String answers, String records)
      throws Exception {
    LiveConfig config = config(differing);
    FakeLog log = new FakeLog();
    List<String> lines = converse(config, image(), log, conversation);
    compare(expected(answers), lines);
    if (records != null) {
      assertEquals(
          String.join("\n", expected(records)), String.join("\n", RecordsText.of(log.records())));
    }
  }

  private static List<String> converse(
      LiveConfig config, MetadataImage image, FakeLog log, Conversation conversation)
      throws Exception {
    try (Loops loops = new Loops(2)) {
      GroupCoordinators groups = new GroupCoordinators(loops.shards, config, () -> image);
      int owner =
          dev.vitrine.broker.replication.Replicas.indexOf(FakeLog.NAME, loops.shards.size());
      ShardCoordinators shard = (ShardCoordinators) groups.observerFor(loops.shards.get(owner));
      Loops.on(loops.shards.get(owner), () -> shard.roleChanged(log, true, 0));
      ApiTable table = new ApiTable(ListenerType.BROKER);
      groups.addTo(table);
      Network.Server server =
          loops.network.listen(
              new Endpoint("127.0.0.1", 0),
              loops.shards,
              1 << 20,
              new ApiListener("PLAINTEXT", table, loops.network.allocator(), 600_000));
      List<String> lines =
          conversation.with(
              server.port(),
              new org.apache.kafka.common.Uuid(
                  TOPIC.mostSignificantBits(), TOPIC.leastSignificantBits()));
      server.close();
      return lines;
    }
  }

  private static LiveConfig config(Map<String, String> differing) {
    Map<String, String> properties = new TreeMap<>();
    properties.put("process.roles", "broker");
    properties.put("node.id", "1");
    properties.put("controller.quorum.voters", "2@127.0.0.1:9093");
    properties.put("listeners", "PLAINTEXT://127.0.0.1:9092");
    properties.put("controller.listener.names", "CONTROLLER");
    properties.put("log.dirs", "/data");
    properties.put("group.min.session.timeout.ms", "1000");
    properties.put("group.initial.rebalance.delay.ms", "100");
    properties.put("group.consumer.assignment.interval.ms", "0");
    properties.put("group.consumer.max.size", "3");
    properties.putAll(differing);
    return new LiveConfig(KafkaConfig.parse(properties));
  }

  private static List<String> expected(String file) throws IOException {
    try (InputStream in = GroupApisTest.class.getResourceAsStream(file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  /** Shows all differences at once. */
  private static void compare(List<String> expected, List<String> lines) {
    StringBuilder differences = new StringBuilder();
    for (int i = 0; i < Math.min(expected.size(), lines.size()); i++) {
      if (!expected.get(i).equals(lines.get(i))) {
        int head = i - i % 3;
        differences.append(
            String.format(
                "%n%s%n%s%n Kafka %s%n ours  %s",
                lines.get(head), lines.get(head + 1), expected.get(i), lines.get(i)));
      }
    }
    if (differences.length() > 0) {
      fail(differences.toString());
    }
    assertEquals(expected.size(), lines.size());
  }
}
